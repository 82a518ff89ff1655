export { check, create, diff, read, update } from "./dynamic-provider.ts";
