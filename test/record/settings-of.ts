import type { AgentLogConfigResult } from "../../sdk/model/agent-log-settings.ts";
import type { ReadArguments } from "../../sdk/model/read-arguments.ts";

/** The result of a read, with a path alone. */
export function settingsOf({ projectId, agent }: ReadArguments): AgentLogConfigResult {
  const settings = { logPath: `/var/log/${agent}`, logPathWindows: undefined, logRotate: NO_THRESHOLDS };
  const rest = { username: undefined, configOverrides: {}, serviceVersion: undefined };
  return { id: `${projectId}/${agent}`, projectId, agent, ...settings, ...rest };
}

/** No thresholds, with the members that the type of a result has. */
export const NO_THRESHOLDS = {
  sizeThresholdMB: undefined,
  timeThresholdHrs: undefined,
  numUncompressed: undefined,
  percentOfDiskspace: undefined,
  numTotal: undefined,
};
