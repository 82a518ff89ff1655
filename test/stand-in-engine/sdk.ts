import { createRequire } from "node:module";
import type { CheckRequest } from "@pulumi/pulumi/proto/provider_pb.js";
import type { PropertyMap } from "./property-value.ts";

type ProviderService = typeof import("@pulumi/pulumi/proto/provider_grpc_pb.js");
type StructMessage = NonNullable<ReturnType<CheckRequest["getOlds"]>>;

interface Grpc {
  readonly Server: new (
    options: object,
  ) => {
    addService(service: object, handlers: object): void;
    bindAsync(address: string, credentials: object, done: (error: Error | null, port: number) => void): void;
    forceShutdown(): void;
  };
  readonly ServerCredentials: { createInsecure(): object };
  readonly credentials: { createInsecure(): ConstructorParameters<ProviderService["ResourceProviderClient"]>[1] };
  readonly status: { readonly UNKNOWN: number };
}

// The SDK's messages work only with the copies of gRPC and protobuf that the SDK itself loads.
const requireFromSdk = createRequire(createRequire(import.meta.url).resolve("@pulumi/pulumi"));

export const grpc: Grpc = requireFromSdk("@grpc/grpc-js");
export const { Struct }: { readonly Struct: { fromJavaScript(map: PropertyMap): StructMessage } } = requireFromSdk(
  "google-protobuf/google/protobuf/struct_pb.js",
);
export const { Empty }: { readonly Empty: new () => object } = requireFromSdk(
  "google-protobuf/google/protobuf/empty_pb.js",
);
export const engineMessages: typeof import("@pulumi/pulumi/proto/engine_pb.js") =
  requireFromSdk("./proto/engine_pb.js");
export const resourceMessages: typeof import("@pulumi/pulumi/proto/resource_pb.js") =
  requireFromSdk("./proto/resource_pb.js");
export const providerMessages: typeof import("@pulumi/pulumi/proto/provider_pb.js") =
  requireFromSdk("./proto/provider_pb.js");
export const { EngineService }: typeof import("@pulumi/pulumi/proto/engine_grpc_pb.js") =
  requireFromSdk("./proto/engine_grpc_pb.js");
export const { ResourceMonitorService }: typeof import("@pulumi/pulumi/proto/resource_grpc_pb.js") =
  requireFromSdk("./proto/resource_grpc_pb.js");
export const { ResourceProviderClient }: ProviderService = requireFromSdk("./proto/provider_grpc_pb.js");

export const maxMessageBytes = { "grpc.max_receive_message_length": 400 << 20 };
