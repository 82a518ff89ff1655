import pluginMessages from "@pulumi/pulumi/proto/plugin_pb.js";
import type { IResourceProviderServer } from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import providerMessages, { type ConstructRequest, type InvokeRequest } from "@pulumi/pulumi/proto/provider_pb.js";
import emptyMessages from "google-protobuf/google/protobuf/empty_pb.js";
import type { EngineLog } from "../engine/engine-log.ts";
import { UNKNOWN_OUTPUT } from "../engine/engine-marks.ts";
import { callFunction } from "./call-function.ts";
import { cancellableCalls } from "./cancellable-calls.ts";
import { constructFleet } from "./construct-fleet.ts";
import { PluginRun } from "./plugin-run.ts";
import { checkConfiguration, configurationOf } from "./provider-configuration.ts";
import { checkRecord, createRecord, diffRecord, readRecord, updateRecord } from "./record-calls.ts";
import { ResourceMonitor } from "./resource-monitor.ts";
import { propertiesOf, structOf } from "./structs.ts";

/** What the plugin says of itself. */
export interface PluginDescription {
  readonly version: string;
  /** The schema of the package as JSON. */
  readonly schema: string;
}

/**
 * Returns the calls by which the engine asks for resources, components and functions. `../record/resource-lifecycle.ts` decides what a
 * resource does, and `record-calls.ts` takes its properties out of the engine's messages and puts them back. A call that is not handled
 * is a feature that the plugin does not have.
 */
export function resourceProvider({ version, schema }: PluginDescription, log: EngineLog) {
  let isConfigurationChecked = false;
  let run = new PluginRun(log, [], isConfigurationChecked);
  const { cancellable, cancelCalls } = cancellableCalls(log);
  const call = <Request, Response>(answer: (request: Request, current: PluginRun) => Response | Promise<Response>) =>
    cancellable((request: Request) => {
      const current = run;
      return current.calls.during(() => answer(request, current));
    });
  return {
    getPluginInfo: call(() => new pluginMessages.PluginInfo().setVersion(version)),
    getSchema: call(() => new providerMessages.GetSchemaResponse().setSchema(schema)),
    checkConfig: call((request, current) => {
      isConfigurationChecked = true;
      return checkConfiguration(request, current);
    }),
    configure: call((request) => {
      run = new PluginRun(log, configurationOf(request), isConfigurationChecked);
      isConfigurationChecked = false;
      return new providerMessages.ConfigureResponse().setAcceptsecrets(true).setSupportspreview(true);
    }),
    check: call(checkRecord),
    diff: call(diffRecord),
    create: call(createRecord),
    update: call(updateRecord),
    read: call(readRecord),
    delete: call(() => new emptyMessages.Empty()),
    // A component can't fail without a message, and a component whose children fail has no message of its own.
    construct: cancellable((request) => construct(request, run), constructResponse({ configs: UNKNOWN_OUTPUT })),
    invoke: call(invoke),
    cancel: (_, respond) => {
      run.end();
      // The calls that were held end first, with their own reasons.
      setImmediate(async () => {
        await cancelCalls();
        await log.flush();
        respond(null, new emptyMessages.Empty());
      });
    },
    attach: call((request) => {
      log.attach(request.getAddress());
      return new emptyMessages.Empty();
    }),
  } satisfies Partial<IResourceProviderServer>;
}

async function invoke(request: InvokeRequest, run: PluginRun) {
  const result = await callFunction(request.getTok(), propertiesOf(request.getArgs()), (args) => run.read(args));
  return new providerMessages.InvokeResponse().setReturn(structOf(result));
}

async function construct(request: ConstructRequest, run: PluginRun) {
  const monitor = new ResourceMonitor(request);
  try {
    const { urn, configs } = await constructFleet(request, monitor, run);
    return constructResponse({ configs }).setUrn(urn);
  } finally {
    monitor.close();
  }
}

function constructResponse(state: object) {
  return new providerMessages.ConstructResponse().setState(structOf({ ...state }));
}
