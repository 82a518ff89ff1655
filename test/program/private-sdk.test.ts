import { createRequire } from "node:module";
import * as pulumi from "@pulumi/pulumi";
import { beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { AgentLogConfig } from "../../sdk/index.ts";
import { isConfigSecret, plainValueOf, runsInline, runsWithMocks } from "../../sdk/program/private-sdk.ts";

// Whatever fails here is used of @pulumi/pulumi beyond its type declarations, in sdk/program/private-sdk.ts alone.

const NARROW = "Until it is replaced, exclude this version in the peer dependency of package.json and in README.";
const DEPENDS_ON = `runtime/dependsOn.js of @pulumi/pulumi is gone or different. See what runtime/invoke.js uses now to wait for \`dependsOn\` and for the children of components, and use the same in dependenciesOf. ${NARROW}`;
const PROMISE = `An Output has no method \`promise\` any more, or it returns something else. Let plainValueOf wait for \`apply\` instead, with a time limit, because an unknown Output never calls back. ${NARROW}`;
const IS_CONFIG_SECRET = `pulumi.runtime.isConfigSecret is gone or different. Ask \`pulumi.Config\` for a way to tell a secret, and otherwise mark every setting of the stack configuration as a secret in sdk/program/provider.ts, and remove the warning about a private key in plain text. ${NARROW}`;
const MOCKS = `The monitor of a unit test has another class name than MockMonitor. See what pulumi.runtime.setMocks gives to setMockOptions, and tell it in runsWithMocks. ${NARROW}`;
const INLINE = `getLocalStore of runtime/state.js of @pulumi/pulumi is gone or different. See where the server of automation/ keeps the state of a program that runs inline, and tell it in runsInline: a failing program that is not told apart never ends. ${NARROW}`;
const STACKS = `The SDK formats other stacks than before for a resource. See in runtime/debuggable.js which function keeps them for reports of leaked promises, and name it in omitPropertyStacks: with source maps they take most of the time of a constructor.`;

beforeEach(() => {
  pulumi.runtime.setMocks({ newResource: ({ name, inputs }) => ({ id: name, state: inputs }), call: () => ({}) });
});

it.each(["gatherExplicitDependencies", "getAllTransitivelyReferencedResources"])("has dependsOn.js with %s", (name) => {
  const found: unknown = createRequire(import.meta.url)("@pulumi/pulumi/runtime/dependsOn.js");
  expect(found, DEPENDS_ON).toMatchObject({ [name]: expect.any(Function) });
});

it("returns the value of an Output once it is known", async () => {
  expect(await plainValueOf(pulumi.output(Promise.resolve("value"))), PROMISE).toBe("value");
});

it("returns undefined for an Output that stays unknown", async () => {
  const { newResource, call } = { newResource: () => ({ id: "", state: {} }), call: () => ({}) };
  pulumi.runtime.setMocks({ newResource, call }, "project", "stack", true);
  const resource = new (class extends pulumi.CustomResource {})("test:index:Other", "new", {});
  expect(await plainValueOf(resource.id), PROMISE).toBeUndefined();
});

it("tells which settings of the stack configuration are secret", () => {
  pulumi.runtime.setAllConfig({ "a:secret": "s", "a:plain": "p" }, ["a:secret"]);
  onTestFinished(() => pulumi.runtime.setAllConfig({}));
  expect(["a:secret", "a:plain", "a:missing"].map(isConfigSecret), IS_CONFIG_SECRET).toEqual([true, false, false]);
});

it("tells a unit test from a deployment", () => {
  expect(runsWithMocks(), MOCKS).toBe(true);
});

it("tells a program that the Automation API runs inline", () => {
  const state = createRequire(import.meta.url)("@pulumi/pulumi/runtime/state.js");
  expect([runsInline(), state.withLocalStorage?.(runsInline)], INLINE).toEqual([false, true]);
});

it("formats one stack for a resource, from which the engine knows where the program makes it", () => {
  const { prepareStackTrace } = Error;
  onTestFinished(() => {
    Error.prepareStackTrace = prepareStackTrace;
  });
  const format = vi.fn((error: Error, frames: NodeJS.CallSite[]) => [error, ...frames].join("\n    at "));
  Error.prepareStackTrace = format;
  new AgentLogConfig("settings", { projectId: "0123456789abcdef01234567", agent: "monitoring" });
  expect(Error.prepareStackTrace).toBe(format);
  const stacks = format.mock.results.map(({ value }) => value);
  expect(stacks, STACKS).toEqual([expect.stringMatching(/private-sdk\.test\.ts:\d+/)]);
});
