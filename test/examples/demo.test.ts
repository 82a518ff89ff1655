import { execFile } from "node:child_process";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

it("shows drift from end to end where there is no Pulumi CLI", async () => {
  const demo = path.join(import.meta.dirname, "../../examples/demo/index.ts");
  const PATH = [path.dirname(process.execPath), "/usr/bin", "/bin"].join(path.delimiter);
  const { stdout } = await promisify(execFile)(process.execPath, [demo], { env: { PATH, HOME: tmpdir() } });
  expect(stdout).toMatch(/^On the stand-in engine \(no pulumi on the PATH\)\.$/m);
  expect(stdout).toContain("~ sizeThresholdMB: 1000 => 500");
  expect(stdout).toContain("- 3 deleted");
});
