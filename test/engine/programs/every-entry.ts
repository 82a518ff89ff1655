import * as program from "pulumi-agent-log-config";
import * as client from "pulumi-agent-log-config/client";
import * as testing from "pulumi-agent-log-config/testing";

export const names = [program, client, testing].map((entry) => Object.keys(entry));
