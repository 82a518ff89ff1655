import { mkdirSync, symlinkSync } from "node:fs";
import path from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { pulumiEnvironment } from "../../sdk/command/pulumi-environment.ts";
import { temporaryFolder } from "../deployment/temporary-folder.ts";

it("has the folders of the PATH that are the user's own, and no PATH where there are none", () => {
  const own = temporaryFolder("path");
  onTestFinished(() => void vi.unstubAllEnvs());
  const bin = path.join(own, "project/node_modules/.bin");
  mkdirSync(bin, { recursive: true });
  const link = path.join(own, "link");
  symlinkSync(bin, link, "junction");
  const cache = path.join(own, "cache");
  mkdirSync(path.join(cache, ".bin"), { recursive: true });
  const modules = path.join(own, "other-project/node_modules");
  mkdirSync(path.dirname(modules));
  symlinkSync(cache, modules, "junction");
  const linked = path.join(modules, ".bin");
  const ofProjects = [
    linked,
    `${linked}${path.sep}`,
    `${linked}/../.bin`,
    bin,
    `${bin}${path.sep}`,
    `${bin}/.`,
    `${bin}//`,
    `${bin}/../.bin`,
    link,
    "node_modules/.bin",
  ];
  for (const other of [...ofProjects, "", ".", "./", path.join(own, "missing")]) {
    vi.stubEnv("PATH", other);
    expect(pulumiEnvironment()["PATH"], other).toBeUndefined();
    vi.stubEnv("PATH", [other, own].join(path.delimiter));
    expect(pulumiEnvironment()["PATH"], other).toBe(own);
  }
});
