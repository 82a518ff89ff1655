import type { AgentLogConfigResult } from "../model/agent-log-config-result.ts";
import { SECRET_SETTING } from "../model/agent-log-settings.ts";
import type { Properties } from "../record/complete-inputs.ts";
import { recordedSettingsOf } from "../record/settings-origin.ts";

/**
 * The settings of one agent. The one that is a secret is left out, because the SDKs of several languages lose the mark of a
 * secret inside the result of a function.
 */
export function publicSettings(result: Readonly<Partial<Record<keyof AgentLogConfigResult, unknown>>>): Properties {
  const { id, projectId, agent } = result;
  const { [SECRET_SETTING]: _, ...settings } = recordedSettingsOf(result);
  return { id, projectId, agent, ...settings };
}
