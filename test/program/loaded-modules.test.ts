import { execFileSync } from "node:child_process";
import path from "node:path";
import { expect, it } from "vitest";

const sdk = path.resolve(import.meta.dirname, "../../sdk");

/** Runs a program in a process of its own, with a hook for each module that it asks for. */
function run(hook: string, program: string): string {
  const register = `import { registerHooks } from "node:module"; const asked = []; registerHooks({ resolve(specifier, context, next) { ${hook} return next(specifier, context); } }); globalThis.asked = asked;`;
  const args = [
    "--import",
    `data:text/javascript,${encodeURIComponent(register)}`,
    "--input-type=module",
    "--eval",
    program,
  ];
  return execFileSync(process.execPath, args, { cwd: sdk, encoding: "utf8", stdio: "pipe" }).trim();
}

const COUNT = "asked.push(specifier);";
const PRINT = `console.log(["undici", "zod", "@pulumi/pulumi"].filter((name) => asked.includes(name)).join(" "));`;

it.each([
  ["the package", "./index.ts", "zod @pulumi/pulumi"],
  ["the dynamic provider", "./provider/dynamic-provider.ts", "zod"],
  ["the client", "./client/index.ts", "undici zod"],
])("loading %s loads only what it needs at once", (_, entry, expected) => {
  expect(run(COUNT, `await import("${entry}"); ${PRINT}`)).toBe(expected);
});

const MOVED = `if (/runtime\\/(dependsOn|state)\\.js$/.test(specifier) && /private-sdk/.test(context.parentURL)) throw new Error("moved: " + specifier);`;

it("costs dependsOn alone, where a later SDK has moved its internal modules", () => {
  const program = `
    const { runsInline } = await import("./program/private-sdk.ts");
    const { waitForDependencies } = await import("./program/wait-for-resources.ts");
    console.log(runsInline(), waitForDependencies(undefined, { agent: "backup" }));`;
  expect(run(MOVED, program)).toBe("true false");
});
