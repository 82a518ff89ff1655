import { createHash } from "node:crypto";
import { isUnknown, UNKNOWN } from "../engine/engine-marks.ts";
import { apiAddress } from "../model/connection-options.ts";
import { type AgentOfProject, idOf } from "../model/read-arguments.ts";
import type { ConnectionSettings } from "../reading/connection-settings.ts";

/** What settings were read for. */
export interface ReadTarget {
  /** `<projectId>/<agent>`, or a fingerprint of the members of a fleet; {@link UNKNOWN} in a preview as long as nothing is known of them. */
  readonly id: string;
  /** A fingerprint of the service's address; null if nobody knows of which service they are. */
  readonly service: string | null;
}

export const UNKNOWN_TARGET: ReadTarget = { id: UNKNOWN, service: null };

/** Says what a read over a connection is for. The address of the service may be a secret of the stack. */
export function readTargetOf(resource: AgentOfProject, connection: ConnectionSettings): ReadTarget {
  return { id: idOf(resource), service: fingerprintsOf(connection).service };
}

export function readTargetText({ id, service }: ReadTarget): string {
  return isUnknown(id) ? UNKNOWN : `${id} ${service}`;
}

export function parseReadTarget(value: unknown): ReadTarget | undefined {
  if (isUnknown(value)) return UNKNOWN_TARGET;
  const [id, service, ...rest] = typeof value === "string" ? value.split(" ") : [];
  if (id === undefined || service === undefined || rest.length > 0) return undefined;
  return { id, service: service === "null" ? null : service };
}

/** What tells connections apart without showing their settings, which may be secrets of the stack; null for what is not set. */
export interface Fingerprints {
  readonly service: string | null;
  readonly publicKey: string | null;
}

export function fingerprintsOf({ baseUrl, publicKey }: ConnectionSettings): Fingerprints {
  const url = URL.parse(baseUrl?.text ?? "");
  // One service has one fingerprint, however its address is spelled.
  return {
    service: baseUrl === undefined ? null : fingerprintOf((url && apiAddress(url)) ?? baseUrl.text),
    publicKey: publicKey === undefined ? null : fingerprintOf(publicKey.text),
  };
}

export function fingerprintOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
