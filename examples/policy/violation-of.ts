import type { AgentKind, LogRotate } from "pulumi-agent-log-config";

/** What an AgentLogConfig records. A setting that the service does not have is null, undefined or missing. */
export interface RecordedSettings {
  readonly projectId: string;
  readonly agent: AgentKind;
  readonly logPath?: string | null | undefined;
  readonly logPathWindows?: string | null | undefined;
  readonly logRotate?: { readonly [Name in keyof LogRotate]?: number | null | undefined } | null | undefined;
}

/** Returns what is wrong with the size at which an agent rotates its log file; undefined where it is at most `maximumMB`. */
export function violationOf(settings: RecordedSettings, maximumMB: number): string | undefined {
  const { projectId, agent, logPath, logPathWindows, logRotate } = settings;
  if (logPath == null && logPathWindows == null) return undefined;
  const sizeMB = logRotate?.sizeThresholdMB;
  if (sizeMB != null && sizeMB <= maximumMB) return undefined;
  const found = sizeMB == null ? "at no size" : `at ${sizeMB} MB`;
  return `The ${agent} agent of project ${projectId} rotates its log ${found}; set at most ${maximumMB} MB.`;
}
