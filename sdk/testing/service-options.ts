import { z } from "zod";
import { invalidArgument } from "../client/errors.ts";
import { describeIssues } from "./describe-issues.ts";
import type { NoncePolicy } from "./digest-protection.ts";
import type { Fault } from "./fault.ts";
import type { SettingsByProject } from "./projects.ts";

/** How the stand-in is reached, and what it starts with. */
export interface ServiceOptions {
  /** The user name of HTTP Digest. Default: `publickey`. */
  readonly publicKey?: string | undefined;
  /** The password of HTTP Digest. Default: `private-key-0001`. */
  readonly privateKey?: string | undefined;
  /** PEM texts; given both, the service speaks HTTPS. Default: plain HTTP. */
  readonly tls?: { readonly key: string; readonly cert: string } | undefined;
  /** The port on 127.0.0.1, from 0 to 65535. Default: 0, a free one. */
  readonly port?: number | undefined;
  /** How long and how often its nonces can be used. Default: for 1023 requests and 60 seconds. */
  readonly nonces?: NoncePolicy | undefined;
  /** The projects that exist. Default: none. */
  readonly settings?: SettingsByProject | undefined;
  /** What goes wrong with the first authenticated requests, one fault each, in this order. Default: nothing. */
  readonly faults?: readonly Fault[] | undefined;
}

const schema = z.strictObject({
  publicKey: z.string().optional(),
  privateKey: z.string().optional(),
  tls: z.object({ key: z.string(), cert: z.string() }).optional(),
  port: z.int().min(0, "must be at least 0").max(65535, "must be at most 65535").optional(),
  nonces: z
    .strictObject({
      uses: z.int().min(1, "must be at least 1").optional(),
      lifetimeSeconds: z.number().min(0, "must be at least 0").optional(),
      strictCounts: z.boolean().optional(),
      announcesNext: z.boolean().optional(),
    })
    .optional(),
  settings: z.record(z.string(), z.record(z.string(), z.unknown())).optional(),
  faults: z.array(z.unknown()).optional(),
});

/** @throws AgentLogConfigError `ERR_INVALID_ARG_VALUE` that names what is wrong, and the valid options */
export function refuseUnusableOptions(options: ServiceOptions): void {
  const { success, error } = schema.safeParse(options);
  if (success) return;
  const known = Object.keys(schema.shape);
  throw invalidArgument(
    `The service was not started: ${describeIssues(error.issues)} (the valid options are ${known.join(", ")}).`,
  );
}
