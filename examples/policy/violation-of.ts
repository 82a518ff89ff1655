import type { AgentKind, LogRotate } from "pulumi-agent-log-config";

/** What is recorded of an agent. A setting that the service does not have is empty. */
export interface RecordedSettings {
  readonly projectId: string;
  readonly agent: AgentKind;
  readonly logPath: string;
  readonly logPathWindows: string;
  readonly logRotate: Partial<LogRotate>;
}

/** Returns what is wrong with the size at which an agent rotates its log file; undefined where it is at most `maximumMB`. */
export function violationOf(settings: RecordedSettings, maximumMB: number): string | undefined {
  const { projectId, agent, logPath, logPathWindows, logRotate } = settings;
  if (logPath === "" && logPathWindows === "") return undefined;
  const { sizeThresholdMB: sizeMB } = logRotate;
  if (sizeMB !== undefined && sizeMB <= maximumMB) return undefined;
  const found = sizeMB === undefined ? "at no size" : `at ${sizeMB} MB`;
  return `The ${agent} agent of project ${projectId} rotates its log ${found}; set at most ${maximumMB} MB.`;
}
