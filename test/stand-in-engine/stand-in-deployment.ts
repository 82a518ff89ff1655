import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Deployment, Run, RunOptions } from "../deployment/deployment.ts";
import { refuseSecrets } from "../deployment/refuse-secrets.ts";
import { withoutColours } from "../deployment/without-colours.ts";
import { deleteResources } from "./delete-resources.ts";
import { messageOf, type Operation } from "./operation.ts";
import { type PropertyMap, parseProperties, replaceSecrets, secretSignature, signatureKey } from "./property-value.ts";
import { ProviderHosts } from "./provider-hosts.ts";
import { refreshResources } from "./refresh-resources.ts";
import { type Resource, stackType } from "./resource.ts";
import type { RunProcess } from "./run-process.ts";
import { runProgram } from "./run-program.ts";
import { RunText } from "./run-text.ts";

const stack = "dev";

/** Opens a new stack of the program on an engine that needs no Pulumi CLI. What it does not model it refuses by name. */
export async function openStandInDeployment(
  directory: string,
  env: Readonly<Record<string, string>>,
  node: string,
): Promise<Deployment> {
  const folder = resolve(directory);
  const project = /^name:\s*["']?([\w.-]+)/m.exec(readFileSync(join(folder, "Pulumi.yaml"), "utf8"))?.[1];
  if (project === undefined) throw new Error(`Pulumi.yaml in ${folder} names no project`);
  const config = new Map<string, { readonly value: string; readonly secret: boolean }>();
  const closing = new AbortController();
  const running: Promise<Run>[] = [];
  // In the order of creation: a resource comes after all that it depends on.
  let state: ReadonlyMap<string, Resource> = new Map();

  const perform = async (
    title: string,
    planning: boolean,
    options: RunOptions,
    act: (operation: Operation) => Promise<void>,
  ): Promise<Run> => {
    const signal = options.signal ? AbortSignal.any([options.signal, closing.signal]) : closing.signal;
    signal.throwIfAborted();
    const text = new RunText(`${title} (${stack})`, planning);
    const print = (line: string) => text.warn(line);
    const processes: RunProcess = { directory: folder, node, env: { ...env, ...options.env }, signal, print };
    let turn: Promise<unknown> = Promise.resolve();
    const operation: Operation = {
      ...processes,
      project,
      stack,
      planning,
      config,
      text,
      hosts: new ProviderHosts({ ...processes, project }),
      oneAtATime: (take) => {
        const result = turn.then(take);
        turn = result;
        result.catch(() => {});
        return result;
      },
      before: new Map(state),
      replaced: [],
      after: new Map(),
    };
    const failure = await act(operation).then(
      () => undefined,
      (reason: unknown) => ({ reason }),
    );
    await operation.hosts.stop();
    signal.throwIfAborted();
    if (failure) text.error(messageOf(failure.reason));
    refuseSecrets(text.finish());
    if (!planning) state = new Map([...operation.before, ...operation.after]);
    return { ok: !failure, exitCode: failure ? 1 : 0, text: withoutColours(text.finish()), steps: text.steps };
  };
  const track = (run: Promise<Run>): Promise<Run> => {
    running.push(run);
    return run;
  };

  return {
    setConfig: async (name, value, { secret = false } = {}) => {
      config.set(name, { value, secret });
    },
    setConfigs: async (values) => {
      for (const [name, value] of Object.entries(values)) config.set(name, { value, secret: false });
    },
    unsetConfig: async (name) => {
      config.delete(name);
    },
    preview: async ({ expectNoChanges = false, ...options } = {}) => {
      const run = await track(perform("Previewing update", true, options, runProgram));
      // The differences in the outputs of the stack are no changes of resources.
      if (!expectNoChanges || !run.ok || run.steps.length === 0) return run;
      const text = `${run.text}error: no changes were expected for preview but changes were proposed\n`;
      return { ...run, ok: false, exitCode: 7, text };
    },
    up: (options = {}) => track(perform("Updating", false, options, runProgram)),
    refresh: (options = {}) => track(perform("Refreshing", false, options, refreshResources)),
    destroy: (options = {}) => {
      const destroy = (operation: Operation) => deleteResources(operation, [...operation.before.values()]);
      return track(perform("Destroying", false, options, destroy));
    },
    run: async ([operation]) => {
      throw new Error(`stand-in engine: pulumi ${operation} is not modelled`);
    },
    exportState: async () => ({
      version: 3,
      deployment: { resources: [...state.values()].map((resource) => ({ ...resource, ...encrypted(resource) })) },
    }),
    importState: async () => {
      throw new Error("stand-in engine: pulumi stack import is not modelled");
    },
    outputs: async () => {
      const outputs = [...state.values()].find(({ type }) => type === stackType)?.outputs ?? {};
      return parseProperties(replaceSecrets(outputs, () => "[secret]"));
    },
    close: async () => {
      closing.abort(new Error("the deployment was closed"));
      await Promise.allSettled(running);
    },
  };
}

/** What may hold secrets, as the state holds it. */
function encrypted({ inputs, outputs }: Resource) {
  const encrypt = (map: PropertyMap) =>
    replaceSecrets(map, () => ({ [signatureKey]: secretSignature, ciphertext: "v1:" }));
  return { inputs: encrypt(inputs), outputs: encrypt(outputs) };
}
