import { readFileSync } from "node:fs";
import type { AgentKind, ExpectedSettings } from "pulumi-agent-log-config";
import { parse } from "yaml";

/** The part of the chart's values that concerns the agents. */
interface Values {
  readonly agents: Readonly<Record<AgentKind, { readonly logPath: string; readonly maxLogSizeMB: number }>>;
}

/** Reads what the chart declares as what the service should have. */
export function readValues(file = "values.yaml"): Record<AgentKind, ExpectedSettings> {
  const { agents }: Values = parse(readFileSync(file, "utf8"));
  return { monitoring: expectationOf(agents.monitoring), backup: expectationOf(agents.backup) };
}

/** The path is mounted as it is, and the volume holds files up to the size. */
function expectationOf({ logPath, maxLogSizeMB }: Values["agents"][AgentKind]): ExpectedSettings {
  return { logPath, logRotate: { sizeThresholdMB: { atMost: maxLogSizeMB } } };
}
