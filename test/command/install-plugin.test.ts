import { execFileSync, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, inject, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { findPulumi } from "../deployment/find-pulumi.ts";
import { temporaryFolder } from "../deployment/temporary-folder.ts";

const INSTALLED = path.join(inject("installedPackage"), "node_modules/pulumi-agent-log-config");
const ARCHIVE = path.join(INSTALLED, "dist/plugin/pulumi-resource-agent-log-config.tar.gz");
const COMMAND = `plugin install resource agent-log-config ${manifest.version} --file ${ARCHIVE}`;

/** Runs the command of the installed package with nothing but these variables. */
function installPlugin(env: Readonly<Record<string, string>>, args: readonly string[] = []) {
  const main = path.join(INSTALLED, "dist/command/main.js");
  const options = { env, encoding: "utf8" } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, "install-plugin", ...args], options);
  return { status, stdout, stderr };
}

it("runs the Pulumi CLI, and passes on its output and its exit code", () => {
  const folder = temporaryFolder("install-plugin");
  writeFileSync(path.join(folder, "pulumi"), '#!/bin/sh\necho "$@"\necho failed >&2\nexit 7\n', { mode: 0o755 });
  expect(installPlugin({ PATH: folder })).toEqual({ status: 7, stdout: `${COMMAND}\n`, stderr: "failed\n" });
});

it("says in one sentence that there is no Pulumi CLI", () => {
  const { status, stderr } = installPlugin({ PATH: temporaryFolder("install-plugin") });
  expect(status).toBe(1);
  expect(stderr).toMatch(/^[^\n]* no pulumi command on the PATH[^\n]*\.\n$/);
});

it.each([["--prnt"], ["0.1.0"]])("refuses the argument %s", (argument) => {
  expect(installPlugin({ PATH: temporaryFolder("install-plugin") }, [argument])).toMatchObject({
    status: 2,
    stdout: "",
  });
});

it("installs a plugin that the engine starts", (context) => {
  const found = findPulumi();
  if ("reason" in found) return context.skip(`no Pulumi CLI: ${found.reason}`);
  const home = temporaryFolder("install-plugin");
  const env = {
    PATH: [path.dirname(process.execPath), found.path].join(path.delimiter),
    HOME: home,
    PULUMI_HOME: home,
    PULUMI_SKIP_UPDATE_CHECK: "true",
  };
  const said = `The plugin agent-log-config ${manifest.version} is installed.\n`;
  expect(installPlugin(env)).toMatchObject({ status: 0, stdout: expect.stringContaining(said) });
  const args = ["package", "get-schema", `agent-log-config@${manifest.version}`];
  const schema = JSON.parse(execFileSync(found.command, args, { env, encoding: "utf8" }));
  expect(schema).toMatchObject({ name: "agent-log-config", version: manifest.version });
});
