/**
 * A stand-in for the service for tests: a server that does HTTP Digest.
 * @packageDocumentation
 */
import "../model/refuse-other-runtimes.ts";

export type { AgentKind } from "../model/agent-log-config-id.ts";
export type { CannedResponse, Cut, Delay, Fault } from "./fault.ts";
export type { ProjectSettings, ServiceSettings, SettingsByProject } from "./projects.ts";
export type { ServiceOptions } from "./service-options.ts";
export { type Service, type ServiceRequest, startService } from "./start-service.ts";
