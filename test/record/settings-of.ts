import type { AgentLogConfigResult } from "../../sdk/model/agent-log-settings.ts";
import type { ReadArguments } from "../../sdk/model/read-arguments.ts";
import { checkInputs } from "../../sdk/record/check-inputs.ts";
import { NO_RECORD } from "../../sdk/record/recorded-settings.ts";
import { asProperties, type Properties, parseProperties } from "../../sdk/record/resource-properties.ts";

export const ARGS = { projectId: "0123456789abcdef01234567", agent: "monitoring" } as const;
export const OTHER_PROJECT = "89abcdef0123456789abcdef";
export const ID = `${ARGS.projectId}/monitoring`;
export const RECORD = {
  ...ARGS,
  whenUnavailable: "fail",
  logPath: "/l",
  logPathWindows: "",
  logRotate: {},
  username: "",
  configOverrides: {},
};

export const hostOf = (read: () => Promise<AgentLogConfigResult>) => ({ connection: {}, read, readMember: read });

/** What a check of a project and agent has found, and a policy may change afterwards. */
export async function checked(changes: object = {}): Promise<Properties> {
  const read = async () => ({ ...settingsOf(ARGS), logPath: "/l" });
  const args = { ...ARGS, ...changes };
  return asProperties((await checkInputs(hostOf(read), NO_RECORD, parseProperties(args), [])).inputs);
}

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
