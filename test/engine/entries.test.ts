import { execFileSync } from "node:child_process";
import { expect, inject, it } from "vitest";

it.each([
  ["pulumi-agent-log-config", "../../sdk/index.ts"],
  ["pulumi-agent-log-config/client", "../../sdk/client/index.ts"],
  ["pulumi-agent-log-config/testing", "../../sdk/testing/index.ts"],
])("an ES module imports every name of %s, and shares it with what is required", async (entry, source) => {
  const names = Object.keys(await import(source)).sort();
  expect(names).not.toEqual([]);
  const program = `
    import { createRequire } from "node:module";
    import { ${names.join(", ")} } from "${entry}";
    const required = createRequire(process.cwd() + "/index.js")("${entry}");
    const imported = { ${names.join(", ")} };
    console.log(Object.keys(imported).filter((name) => imported[name] === required[name]).join());`;
  const args = ["--input-type=module", "--eval", program];
  const stdout = execFileSync(process.execPath, args, { cwd: inject("installedPackage"), encoding: "utf8" });
  expect(stdout.trim()).toBe(names.join());
});
