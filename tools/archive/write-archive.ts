import { chmodSync, mkdirSync, readdirSync } from "node:fs";
import path from "node:path";
import { create } from "tar";

/** Writes the files of a folder as a .tar.gz that depends on their names and contents alone, and makes one of them executable. */
export function writeArchive(file: string, cwd: string, executable: string): void {
  const names = readdirSync(cwd).sort();
  // The umask may have left them other modes.
  for (const name of names) chmodSync(path.join(cwd, name), name === executable ? 0o755 : 0o644);
  mkdirSync(path.dirname(file), { recursive: true });
  create({ file, cwd, sync: true, gzip: true, portable: true, mtime: new Date(0) }, names);
}
