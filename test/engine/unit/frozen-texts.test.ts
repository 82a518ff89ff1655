import { createHash } from "node:crypto";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { PROVIDER_TEXT } from "../../../sdk/engine/frozen-texts.ts";

/** Of the text that the states of all stacks hold. */
const FINGERPRINT = "8f83ba4caeb7da50253f8e4a8bf3c9fac1e2a0026b4ce15f2d0005b421fa6f49";

it("never changes", () => {
  const found = createHash("sha256").update(PROVIDER_TEXT).digest("hex");
  expect(found, "Every resource of every stack would show a change: put new behaviour into sdk/provider.").toBe(
    FINGERPRINT,
  );
});

it("passes calls on to the package, with the configuration of its provider", async () => {
  const provider = evaluate((name) => ({ check: (...args: readonly unknown[]) => [name, ...args] }));
  await provider["configure"]?.({ config: "configuration" });
  expect(await provider["check"]?.("olds", "news")).toEqual([
    "pulumi-agent-log-config/dynamic-provider",
    "configuration",
    "olds",
    "news",
  ]);
});

it("deletes without the package", async () => {
  await expect(evaluate(missing)["delete"]?.()).resolves.toBeUndefined();
});

it("says without a stack trace what is needed where the package can't be loaded", async () => {
  const message =
    "pulumi-agent-log-config can't be loaded from the folder of the program (MODULE_NOT_FOUND); run npm install there, with Node.js 22.19 or later.";
  const stack = "can't be loaded from the folder of the program";
  await expect(evaluate(missing)["check"]?.()).rejects.toMatchObject({ message, stack });
  // The host prints an error as `${error}: ${error.stack}`.
  await expect(evaluate(missing)["check"]?.().catch(String)).resolves.toBe("pulumi-agent-log-config");
});

type Methods = Readonly<Record<string, (...args: readonly unknown[]) => Promise<unknown>>>;

/** Runs the text as the engine's provider host does. */
function evaluate(require: (name: string) => unknown): Methods {
  const exports: { handler?: () => Methods } = {};
  runInNewContext(PROVIDER_TEXT, { exports, require });
  return exports.handler?.() ?? {};
}

function missing(name: string): never {
  throw Object.assign(new Error(`Cannot find module '${name}'`), { code: "MODULE_NOT_FOUND" });
}
