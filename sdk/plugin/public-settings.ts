import { type AgentLogSettings, SECRET_SETTING } from "../model/agent-log-settings.ts";
import { type RecordedSettings, recordedSettingsOf } from "../record/recorded-settings.ts";
import type { Properties } from "../record/resource-record.ts";

/**
 * The settings of one agent. The one that is a secret is left out, because the SDKs of several languages lose the mark of a
 * secret inside the result of a function. An id is unknown in a preview as long as that of the project is.
 */
export function publicSettings({
  id,
  projectId,
  agent,
  ...result
}: { readonly id: unknown; readonly projectId: unknown; readonly agent: unknown } & (
  | AgentLogSettings
  | RecordedSettings
)): Properties {
  const { [SECRET_SETTING]: _, ...settings } = recordedSettingsOf(result);
  return { id, projectId, agent, ...settings };
}
