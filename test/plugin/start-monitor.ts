import { Server } from "@grpc/grpc-js";
import resourceService from "@pulumi/pulumi/proto/resource_grpc_pb.js";
import messages, {
  type RegisterResourceOutputsRequest,
  type RegisterResourceRequest,
} from "@pulumi/pulumi/proto/resource_pb.js";
import emptyMessages from "google-protobuf/google/protobuf/empty_pb.js";
import structMessages from "google-protobuf/google/protobuf/struct_pb.js";
import { type PropertyMap, parseProperties } from "../stand-in-engine/property-value.ts";
import { listen } from "./listen.ts";

/** What the engine does with a child of a component: it returns the outputs; undefined for what is no target of an update. */
type RegisterChild = (urn: string, inputs: PropertyMap) => Promise<PropertyMap | undefined>;

/**
 * Starts what a plugin needs of an engine to construct a component in the stack `dev`. It ends with the test.
 * @param options.goesOn it answers after a child has failed, as with `--continue-on-error`
 * @returns what was registered and, when a child has failed, why
 */
export async function startMonitor(registerChild: RegisterChild, { goesOn = false } = {}) {
  const registered: RegisterResourceRequest[] = [];
  const outputs: PropertyMap[] = [];
  const ended = Promise.withResolvers<string>();
  const server = new Server();
  type Respond = (error: Error | null, response?: object) => void;
  server.addService(resourceService.ResourceMonitorService, {
    registerResource: async ({ request }: { request: RegisterResourceRequest }, respond: Respond) => {
      registered.push(request);
      const parent = request.getParent().split("::")[2];
      const types = [...(parent === undefined ? [] : [parent]), request.getType()].join("$");
      const urn = `urn:pulumi:dev::p::${types}::${request.getName()}`;
      const inputs = parseProperties(request.getObject()?.toJavaScript());
      try {
        const found = request.getCustom() ? await registerChild(urn, inputs) : {};
        const object = structMessages.Struct.fromJavaScript(found ?? {});
        const response = new messages.RegisterResourceResponse().setUrn(urn).setObject(object);
        respond(null, response.setUnknown(found === undefined));
      } catch (error) {
        if (goesOn) respond(null, new messages.RegisterResourceResponse().setResult(messages.Result.FAIL));
        // Otherwise the engine ends its work, and answers nothing any more.
        ended.resolve(error instanceof Error ? error.message : String(error));
      }
    },
    registerResourceOutputs: ({ request }: { request: RegisterResourceOutputsRequest }, respond: Respond) => {
      outputs.push(parseProperties(request.getOutputs()?.toJavaScript()));
      respond(null, new emptyMessages.Empty());
    },
  });
  return { address: await listen(server), registered, outputs, ended: ended.promise };
}
