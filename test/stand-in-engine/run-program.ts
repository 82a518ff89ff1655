import { readFileSync } from "node:fs";
import { join } from "node:path";
import grpc from "@grpc/grpc-js";
import engineService from "@pulumi/pulumi/proto/engine_grpc_pb.js";
import engineMessages, { type LogRequest } from "@pulumi/pulumi/proto/engine_pb.js";
import resourceService from "@pulumi/pulumi/proto/resource_grpc_pb.js";
import resourceMessages, {
  type RegisterResourceOutputsRequest,
  type RegisterResourceRequest,
} from "@pulumi/pulumi/proto/resource_pb.js";
import emptyMessages from "google-protobuf/google/protobuf/empty_pb.js";
import { bindServer } from "./bind-server.ts";
import { deleteResource, deleteResources } from "./delete-resources.ts";
import { messageOf, type Operation } from "./operation.ts";
import { mapValues, parseProperties } from "./property-value.ts";
import { MESSAGE_LIMIT, structOf } from "./provider-client.ts";
import { registerResource } from "./register-resource.ts";
import { stackType } from "./resource.ts";
import { startScript } from "./run-process.ts";

type ServiceHandlers = grpc.UntypedServiceImplementation;

// What a current CLI advertises, so that the SDK takes the same paths.
const features = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] as const;
const organization = "organization";

/** Runs the program under the SDK's own runner and does what it asks for, as the engine would. */
export async function runProgram(operation: Operation): Promise<void> {
  const failing = new AbortController();
  const fail = (error: unknown) => failing.abort(error);
  const server = new grpc.Server(MESSAGE_LIMIT);
  server.addService(resourceService.ResourceMonitorService, monitor(operation, failing.signal, fail));
  server.addService(engineService.EngineService, engine(operation));
  const address = await bindServer(server);
  try {
    const code = await runnerExit(operation, address, failing.signal);
    if (failing.signal.aborted) throw failing.signal.reason;
    // 32 says that the program has reported what went wrong.
    if (code === 32) throw new Error("");
    if (code !== 0) throw new Error(`an unhandled error occurred: Program exited with non-zero exit code: ${code}`);
  } finally {
    server.forceShutdown();
  }
}

function runnerExit(operation: Operation, address: string, failing: AbortSignal): Promise<number | null> {
  const { project, stack, planning, config, directory } = operation;
  const secretKeys = [...config].filter(([, { secret }]) => secret).map(([key]) => key);
  const args = ["--monitor", address, "--engine", address, "--organization", organization, "--project", project];
  args.push("--root-directory", directory, "--stack", stack, "--pwd", directory, "--parallel", "8");
  args.push(...(planning ? ["--dry-run"] : []), programOf(directory));
  const signal = AbortSignal.any([operation.signal, failing]);
  const child = startScript({ ...operation, signal }, "run", args, {
    PULUMI_NODEJS_TYPESCRIPT: "true",
    PULUMI_CONFIG: JSON.stringify(Object.fromEntries([...config].map(([key, { value }]) => [key, value]))),
    PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(secretKeys),
  });
  return new Promise((resolve, reject) => child.once("error", reject).once("close", resolve));
}

function monitor(operation: Operation, failing: AbortSignal, fail: (error: unknown) => void): ServiceHandlers {
  let keepStackOutputs = () => {};
  /** A failed request ends the run: the program is stopped, as the engine cancels a deployment. */
  const act = <Request, Answer>(handle: (request: Request) => Promise<Answer>) =>
    unary(async (request: Request) => {
      try {
        failing.throwIfAborted();
        return await handle(request);
      } catch (error) {
        fail(error);
        throw error;
      }
    });
  return {
    ...refusals(Object.keys(resourceService.ResourceMonitorService), fail),
    getDeploymentInfo: unary(async () => {
      const { project, stack, planning, config } = operation;
      const info = new resourceMessages.DeploymentInfo().setProject(project).setStack(stack).setDryrun(planning);
      info
        .setOrganization(organization)
        .setParallel(8)
        .setSupportedfeaturesList([...features]);
      info.setConfigsecretkeysList([...config].filter(([, { secret }]) => secret).map(([key]) => key));
      for (const [key, { value }] of config) info.getConfigMap().set(key, value);
      return info;
    }),
    // Older versions of the SDK ask for each feature by name.
    supportsFeature: unary(async () => new resourceMessages.SupportsFeatureResponse().setHassupport(true)),
    registerResource: act(async (request: RegisterResourceRequest) => {
      const { urn, id, outputs } = await registerResource(operation, request);
      return new resourceMessages.RegisterResourceResponse().setUrn(urn).setId(id).setObject(structOf(outputs));
    }),
    registerResourceOutputs: act(async (request: RegisterResourceOutputsRequest) => {
      const registered = operation.after.get(request.getUrn());
      if (registered === undefined) throw new Error(`stand-in engine: there is no resource ${request.getUrn()}`);
      const old = operation.before.get(registered.urn);
      const resource = { ...registered, outputs: parseProperties(request.getOutputs()?.toJavaScript()) };
      const keep = () => {
        operation.after.set(resource.urn, resource);
        if (resource.type === stackType) operation.text.outputs(old?.outputs ?? {}, resource.outputs);
      };
      // The outputs of the stack count once everything else has succeeded.
      if (resource.type === stackType) keepStackOutputs = keep;
      else keep();
      return new emptyMessages.Empty();
    }),
    signalAndWaitForShutdown: act(async (_request: unknown) => {
      for (const old of operation.replaced) await deleteResource(operation, old);
      await deleteResources(
        operation,
        [...operation.before.values()].filter(({ urn }) => !operation.after.has(urn)),
      );
      keepStackOutputs();
      return new emptyMessages.Empty();
    }),
  };
}

function engine({ text }: Operation): ServiceHandlers {
  return {
    ...refusals(Object.keys(engineService.EngineService), () => {}),
    log: unary(async (request: LogRequest) => {
      const severity = ["debug", "info", "warning", "error"][request.getSeverity()];
      const message = request.getMessage();
      if (severity === "info") text.warn(message);
      else if (severity !== "debug") text.warn(`${severity}: ${message}`);
      return new emptyMessages.Empty();
    }),
    setRootResource: unary(async () => new engineMessages.SetRootResourceResponse()),
  };
}

function refusals(methods: readonly string[], fail: (error: unknown) => void): ServiceHandlers {
  return mapValues(Object.fromEntries(methods.map((method) => [method, method])), (method: string) =>
    unary(async () => {
      const refusal = new Error(`stand-in engine: ${method} is not modelled`);
      fail(refusal);
      throw refusal;
    }),
  );
}

function unary<Request, Answer>(handle: (request: Request) => Promise<Answer>): grpc.handleUnaryCall<Request, Answer> {
  return ({ request }, done) => {
    handle(request).then(
      (answer) => done(null, answer),
      (error) => done({ code: grpc.status.UNKNOWN, details: messageOf(error) }),
    );
  };
}

/** The program that Pulumi.yaml names, else what the folder's package.json does. */
function programOf(directory: string): string {
  return /^main:\s*["']?([^\s"']+)/m.exec(readFileSync(join(directory, "Pulumi.yaml"), "utf8"))?.[1] ?? ".";
}
