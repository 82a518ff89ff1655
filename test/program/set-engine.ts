import * as pulumi from "@pulumi/pulumi";
import { onTestFinished, vi } from "vitest";
import type { Service, ServiceOptions } from "../../sdk/testing/index.ts";
import { openService } from "../client/open-client.ts";
import { environmentOf } from "../command/run-main.ts";

type Answers = Pick<pulumi.runtime.Mocks, "newResource"> & Partial<pulumi.runtime.Mocks>;

/** Answers as `pulumi.runtime.setMocks` does, in what the package takes for an engine, so that it reads. */
export function setEngine({ newResource, call = () => ({}) }: Answers, { preview = false } = {}): void {
  pulumi.runtime.setMocks({ newResource, call }, "project", "stack", preview);
  class EngineMonitor {}
  Object.defineProperty(pulumi.runtime.getMonitor(), "constructor", { value: EngineMonitor });
}

/** Starts a service for this test, with which the environment connects. */
export async function connectService(settings: ServiceOptions["settings"]): Promise<Service> {
  const service = await openService({ settings });
  for (const [name, value] of Object.entries(environmentOf(service))) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  return service;
}

/** A failed Output rejects more promises than a program has, and ends it. Returns the reasons in the place of that. */
export function catchRejections(): unknown[] {
  const reasons: unknown[] = [];
  const listeners = process.listeners("unhandledRejection");
  process.removeAllListeners("unhandledRejection").on("unhandledRejection", (reason) => reasons.push(reason));
  onTestFinished(() => {
    process.removeAllListeners("unhandledRejection");
    for (const listener of listeners) process.on("unhandledRejection", listener);
  });
  return reasons;
}
