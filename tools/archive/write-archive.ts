import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";

const BLOCK_LENGTH = 512;

/**
 * Writes the files of a folder as a .tar.gz that depends on their names and contents alone. The `tar` of a system would add
 * owners, times and the modes that the umask has left.
 */
export function writeArchive(archive: string, folder: string, executable: string): void {
  const entries = readdirSync(folder)
    .sort()
    .flatMap((name) => {
      const content = readFileSync(path.join(folder, name));
      const padding = Buffer.alloc(-content.length & (BLOCK_LENGTH - 1));
      return [headerOf(name, content.length, name === executable ? 0o755 : 0o644), content, padding];
    });
  mkdirSync(path.dirname(archive), { recursive: true });
  writeFileSync(archive, gzipSync(Buffer.concat([...entries, Buffer.alloc(2 * BLOCK_LENGTH)])));
}

/** The header that POSIX names ustar, of a file of root that was changed in 1970. */
function headerOf(name: string, length: number, mode: number): Buffer {
  const header = Buffer.alloc(BLOCK_LENGTH);
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, "0")}\0`;
  const write = (offset: number, text: string) => header.write(text, offset, "latin1");
  write(0, name);
  write(100, octal(mode, 7));
  write(108, octal(0, 7) + octal(0, 7) + octal(length, 11) + octal(0, 11));
  // The sum of the header counts its own field as spaces.
  write(148, " ".repeat(8));
  write(156, "0");
  write(257, "ustar\x0000");
  const sum = header.reduce((total, byte) => total + byte, 0);
  write(148, `${octal(sum, 6)} `);
  return header;
}
