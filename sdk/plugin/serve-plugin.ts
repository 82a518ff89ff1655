import { fstatSync } from "node:fs";
import * as grpc from "@grpc/grpc-js";
import service from "@pulumi/pulumi/proto/engine_grpc_pb.js";
import messages from "@pulumi/pulumi/proto/engine_pb.js";
import pluginMessages from "@pulumi/pulumi/proto/plugin_pb.js";
import providerService, { type IResourceProviderServer } from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import providerMessages, { type InvokeRequest } from "@pulumi/pulumi/proto/provider_pb.js";
import emptyMessages from "google-protobuf/google/protobuf/empty_pb.js";
import { EngineLog } from "../engine/engine-log.ts";
import { errorFinding } from "../findings/finding.ts";
import { lookUpConnection } from "../reading/connection-settings.ts";
import { callFunction } from "./call-function.ts";
import { propertiesOf, structOf } from "./engine-messages.ts";
import { PluginRun } from "./plugin-run.ts";
import { checkConfiguration, configuredConnection } from "./provider-configuration.ts";
import { checkRecord, createRecord, diffRecord, readRecord, updateRecord } from "./record-calls.ts";

/** As large as the engine's own limit. */
const MAX_MESSAGE_BYTES = 400 << 20;

/**
 * Serves the plugin on a free port of 127.0.0.1 and prints the port as the first line, which the engine waits for. The
 * process ends with its standard input, so that none is left behind by an engine that was killed.
 */
export function servePlugin(description: PluginDescription): void {
  // protobuf makes members by assignment, so in a map such as `projects`, this name would be lost before the names are checked
  // (../record/resource-arguments.ts).
  Reflect.deleteProperty(Object.prototype, "__proto__");
  // A person who starts the plugin to attach an engine gives no address.
  const [, , engineAddress] = process.argv;
  const server = new grpc.Server({ "grpc.max_receive_message_length": MAX_MESSAGE_BYTES });
  const provider = resourceProvider(description, new EngineLog(() => ({ grpc, service, messages }), engineAddress));
  server.addService(providerService.ResourceProviderService, { ...provider });
  server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, port) => {
    if (error !== null) throw error;
    process.stdout.write(`${port}\n`);
    if (hasPipedInput()) process.stdin.on("end", () => process.exit()).resume();
    // A signal alone would end the process before Node.js writes its compile cache.
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit());
    // The engine is busy with the program now, and the first read needs this module. If the import fails, that read says why.
    setImmediate(() => import("../reading/open-client.ts").catch(() => {}));
  });
}

/** Only a pipe or a socket shows that an engine started this process. */
function hasPipedInput(): boolean {
  const input = fstatSync(0);
  return input.isFIFO() || input.isSocket();
}

interface PluginDescription {
  readonly version: string;
  /** The schema of the package as JSON. */
  readonly schema: string;
}

/**
 * Returns the calls by which the engine asks for resources and functions. A call that is not handled is a feature that the plugin does
 * not have.
 */
function resourceProvider({ version, schema }: PluginDescription, log: EngineLog) {
  let isFromProgram = false;
  let run = new PluginRun(log, lookUpConnection(), isFromProgram);
  const calls = new CancellableCalls(log);
  const call = <Request, Response>(answer: (request: Request, current: PluginRun) => Response | Promise<Response>) =>
    calls.handler((request: Request) => {
      const current = run;
      return current.report.during(() => answer(request, current));
    });
  return {
    getPluginInfo: call(() => new pluginMessages.PluginInfo().setVersion(version)),
    getSchema: call(() => new providerMessages.GetSchemaResponse().setSchema(schema)),
    checkConfig: call((request) => {
      isFromProgram = true;
      return checkConfiguration(request, log);
    }),
    configure: call((request) => {
      run = new PluginRun(log, configuredConnection(request, isFromProgram), isFromProgram);
      isFromProgram = false;
      return new providerMessages.ConfigureResponse().setAcceptsecrets(true).setSupportspreview(true);
    }),
    check: call(checkRecord),
    diff: call(diffRecord),
    create: call(createRecord),
    update: call(updateRecord),
    read: call(readRecord),
    delete: call(() => new emptyMessages.Empty()),
    invoke: call(invoke),
    cancel: (_, respond) => {
      run.report.end();
      // The calls that were held end first, with their own reasons.
      setImmediate(async () => {
        await calls.cancel();
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

/** The calls of the engine that are under way. The engine gets all messages before a response, and each call ends at once on cancel. */
class CancellableCalls {
  readonly #log: EngineLog;
  readonly #calls = new Set<{ readonly cancel: () => void; readonly end: Promise<void> }>();

  constructor(log: EngineLog) {
    this.#log = log;
  }

  handler<Request, Response>(answer: (request: Request) => Promise<Response>): grpc.handleUnaryCall<Request, Response> {
    return async ({ request }, respond) => {
      const { promise: cancellation, reject } = Promise.withResolvers<never>();
      const { promise: end, resolve: finish } = Promise.withResolvers<void>();
      const call = { cancel: () => reject(CANCELLED), end };
      this.#calls.add(call);
      try {
        const response = await Promise.race([answer(request), cancellation]);
        await this.#log.flush();
        respond(null, response);
      } catch (error) {
        await this.#log.flush();
        const code = error === CANCELLED ? grpc.status.CANCELLED : grpc.status.UNKNOWN;
        respond({ code, details: errorFinding(error).message });
      } finally {
        this.#calls.delete(call);
        finish();
      }
    };
  }

  /** Waits for the responses, because the engine closes the connection after the response to the cancellation. */
  async cancel(): Promise<void> {
    const calls = [...this.#calls];
    for (const { cancel } of calls) cancel();
    await Promise.all(calls.map(({ end }) => end));
  }
}

const CANCELLED = new Error("The read was given up, because the run has ended.");
