import { openStandInDeployment } from "../stand-in-engine/stand-in-deployment.ts";
import type { Deployment } from "./deployment.ts";
import { openRealDeployment } from "./real-deployment.ts";

/** Opens a new, empty stack "dev" of the program in a folder that has a Pulumi.yaml and its packages installed. */
export async function openDeployment(options: {
  readonly directory: string;
  /** Added to the environment of every run. */
  readonly env?: Readonly<Record<string, string>>;
  readonly engine: "real" | "stand-in";
  /** The Node.js that runs the program and its provider host. Default: the one that runs this process. */
  readonly node?: string;
}): Promise<Deployment> {
  const open = options.engine === "real" ? openRealDeployment : openStandInDeployment;
  return open(options.directory, options.env ?? {}, options.node ?? process.execPath);
}
