/**
 * A stand-in for the service for tests: a server that does HTTP Digest.
 * @packageDocumentation
 */
import "../refuse-other-runtimes.ts";

export type { AgentKind } from "../model/read-arguments.ts";
export type { CannedResponse, RequestHandler, ServiceRequest } from "./request-handler.ts";
export type { ProjectSettings, ServiceSettings, SettingsByProject } from "./respond.ts";
export { type Service, type ServiceOptions, startService } from "./start-service.ts";
