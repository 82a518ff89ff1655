import * as pulumi from "@pulumi/pulumi";
import { isObject } from "../text/json.ts";

/** Tells whether the value of an input comes later. */
export function isEventual(input: unknown): input is pulumi.Output<unknown> | Promise<unknown> {
  return pulumi.Output.isInstance(input) || input instanceof Promise;
}

/** Tells whether a value comes later, or has something inside that does. */
export function hasEventual(value: unknown): boolean {
  return isEventual(value) || (isObject(value) && Object.values(value).some(hasEventual));
}
