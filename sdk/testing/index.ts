export type { NoncePolicy } from "./digest-protection.ts";
export {
  type CannedAnswer,
  type Service,
  type ServiceOptions,
  type ServiceRequest,
  type ServiceSettings,
  startService,
} from "./start-service.ts";
