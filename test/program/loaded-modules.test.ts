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
const PROGRAM = `
const pulumi = await import("@pulumi/pulumi");
const { AgentLogConfig, getAgentLogConfigOutput } = await import("./index.ts");
const { runsInline } = await import("./program/private-sdk.ts");
const { startService } = await import("./testing/index.ts");
const what = { projectId: "0123456789abcdef01234567", agent: "monitoring" };
const { baseUrl } = await startService({ settings: { [what.projectId]: { monitoring: { logPath: "/l" } } } });
const connection = { BASE_URL: baseUrl, PUBLIC_KEY: "publickey", PRIVATE_KEY: "private-key-0001", ALLOW_HTTP: "true" };
for (const [name, value] of Object.entries(connection)) process.env["AGENT_LOG_CONFIG_" + name] = value;
await pulumi.runtime.setMocks({ newResource: ({ name, inputs }) => ({ id: name, state: inputs }), call: () => ({}) });
// The package takes it for an engine, so that it reads.
Object.defineProperty(pulumi.runtime.getMonitor(), "constructor", { value: class EngineMonitor {} });
const fail = (...call) => {
  const { promise, resolve } = Promise.withResolvers();
  process.on("unhandledRejection", ({ message }) => resolve(message));
  getAgentLogConfigOutput(...call);
  return promise;
};
`;
const MOVED_PROGRAM = `${PROGRAM}
const pathOf = ({ logPath }) => new Promise((resolve) => logPath.apply(resolve));
class Group extends pulumi.ComponentResource {}
const parent = new Group("test:index:Group", "inner", {}, { parent: new Group("test:index:Group", "outer") });
const settings = new AgentLogConfig("settings", what);
const paths = [await pathOf(settings), await pathOf(new AgentLogConfig("inside", what, { parent }))];
console.log(JSON.stringify([...paths, runsInline(), await fail(what, { dependsOn: settings })]));
process.exit();
`;

it("costs dependsOn alone, where a later SDK has moved its internal modules", () => {
  const [plain, inside, isInline, failure] = JSON.parse(run(MOVED, MOVED_PROGRAM));
  expect([plain, inside, isInline]).toEqual(["/l", "/l", true]);
  expect(failure).toContain("moved: @pulumi/pulumi/runtime/dependsOn.js");
});

it("quotes what is plain, and no secret", () => {
  const fails = `await fail({ ...what, projectId: "orders" }), await fail({ ...what, projectId: pulumi.secret("orders") })`;
  const program = `${PROGRAM} console.log(${fails}); process.exit();`;
  expect(run("", program)).toMatch(/hexadecimal digits, not "orders"\. .* hexadecimal digits\. /);
});
