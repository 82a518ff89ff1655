import { credentials } from "@grpc/grpc-js";

/** How the plugin connects to its engine, on the same machine: past the proxies of the environment, which grpc-js would use. */
export const ENGINE_CHANNEL = [credentials.createInsecure(), { "grpc.enable_http_proxy": 0 }] as const;
