export { printable } from "../digest/printable.ts";
