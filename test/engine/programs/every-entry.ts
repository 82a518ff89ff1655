import * as program from "pulumi-agent-log-config";
import * as client from "pulumi-agent-log-config/client";
import * as digest from "pulumi-agent-log-config/digest";
import * as testing from "pulumi-agent-log-config/testing";

export const names = [program, client, digest, testing].map((entry) => Object.keys(entry));
