import type { Server } from "./start-server.ts";

/** One way to read from a server behind Digest. */
export interface Contender {
  readonly name: string;
  /** It is opened anew for every run, because it changes with use; otherwise once, as in a program. */
  readonly opensForEveryRun?: true;
  open(server: Server): Promise<OpenContender>;
}

export interface OpenContender {
  /** What a run of that many reads needs to be there before. */
  prepare?(reads: number): Promise<void>;
  run(reads: number, atATime: number): Promise<Outcome>;
  close(): Promise<void>;
}

export interface Outcome {
  readonly seconds: number;
  /** Reads that ended with the settings. */
  readonly succeeded: number;
}
