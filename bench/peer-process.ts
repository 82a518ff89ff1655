// One peer in a process of its own: urllib changes sockets and undici for everything else in the same process.
import { readFileSync } from "node:fs";
import { setDefaultCACertificates } from "node:tls";
import { openPeer } from "./open-peer.ts";
import { runReads } from "./run-reads.ts";

/** What the parent process asks for; the answer is the outcome. */
export interface Order {
  readonly reads: number;
  readonly atATime: number;
}

const [packageName = "", certificateFile = "", origin = ""] = process.argv.slice(2);
setDefaultCACertificates([readFileSync(certificateFile, "utf8")]);
// The peers are old: what Node thinks of that is not what is measured.
process.noDeprecation = true;

const read = openPeer(packageName, origin);
process.on("message", async ({ reads, atATime }: Order) => {
  process.send?.(await runReads(read, reads, atATime));
});
process.on("disconnect", () => process.exit());
process.send?.("ready");
