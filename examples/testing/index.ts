import * as pulumi from "@pulumi/pulumi";
import { DiskAlarm } from "./disk-alarm.ts";

export const { limitMB } = new DiskAlarm("monitoring-log", { projectId: new pulumi.Config().require("projectId") });
