import { z } from "zod";
import { strictObject } from "../model/parse-argument.ts";
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
  /**
   * The name of the challenge's parameter with the value `auth`: `qop`, as in RFC 7616, or `op`, as in the documentation of
   * the service, which other Digest clients may refuse. Default: `qop`.
   */
  readonly qopParameter?: "op" | "qop" | undefined;
  /** The projects that exist. Default: none. */
  readonly settings?: SettingsByProject | undefined;
  /** What goes wrong with the first authenticated requests: one fault for each request, in this order. Default: nothing. */
  readonly faults?: readonly Fault[] | undefined;
}

const port = "must be a whole number from 0 to 65535";

/** What the options must be. */
export const serviceOptionsSchema = strictObject({
  publicKey: z.string("must be a string").optional(),
  privateKey: z.string("must be a string").optional(),
  tls: z.object({ key: z.string(), cert: z.string() }, "must be an object with PEM texts, key and cert").optional(),
  port: z.int(port).min(0, port).max(65535, port).optional(),
  qopParameter: z.enum(["op", "qop"], 'must be "op" or "qop"').optional(),
  settings: z.record(z.string(), z.record(z.string(), z.unknown()), "must be an object").optional(),
  faults: z.array(z.unknown(), "must be a list").optional(),
});
