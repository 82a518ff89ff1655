import { execFile } from "node:child_process";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

it("shows drift from end to end on one screen, and without colours where that is no terminal", async () => {
  const demo = path.join(import.meta.dirname, "../../examples/demo/index.ts");
  const PATH = [path.dirname(process.execPath), "/usr/bin", "/bin"].join(path.delimiter);
  const env = { PATH, HOME: tmpdir(), NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] };
  const { stdout } = await promisify(execFile)(process.execPath, [demo], { env });
  const lines = stdout.split("\n");
  expect(lines[0]).toBe("On a stand-in engine (no pulumi on the PATH):");
  expect(lines.map((line) => line.trim())).toEqual(
    expect.arrayContaining(["~ logRotate.sizeThresholdMB: 1000 => 500", "~ 1 to update, 2 unchanged", "- 3 deleted"]),
  );
  expect(lines.length).toBeLessThanOrEqual(24);
  expect(stdout).not.toContain("\x1b");
});
