import { FUNCTIONS } from "../engine/frozen-texts.ts";
import { type AgentLogConfigResult, recordedSettingsOf, SECRET_SETTING } from "../model/agent-log-settings.ts";
import { invalidArgument } from "../model/errors.ts";
import { parseReadArguments } from "../model/read-arguments.ts";
import { readMany } from "../reading/read-many.ts";
import type { Properties } from "../record/resource-properties.ts";
import { printable } from "../text/printable.ts";
import { sealedNames, withoutSeals } from "./engine-messages.ts";

export async function callFunction(
  token: string,
  args: Properties,
  read: Parameters<typeof readMany>[0],
): Promise<Properties> {
  const plainArgs = Object.fromEntries(Object.entries(withoutSeals(args)).filter(([, value]) => value !== null));
  const isSecret = sealedNames(args).length > 0;
  switch (token) {
    case FUNCTIONS.getAgentLogConfig:
      return publicResult(await read(parseReadArguments(plainArgs, { isSecret })));
    case FUNCTIONS.getAgentLogConfigs: {
      const { configs, failures } = await readMany(read, plainArgs, isSecret);
      return { configs: configs.map(publicResult), failures };
    }
    default:
      throw invalidArgument(`There is no function ${printable(token, 80)}; update the plugin agent-log-config.`);
  }
}

/** The setting that is a secret is left out, because the SDKs of several languages lose the seal of a secret inside a result. */
function publicResult({ id, projectId, agent, serviceVersion, ...result }: AgentLogConfigResult): Properties {
  const { [SECRET_SETTING]: _, ...settings } = recordedSettingsOf(result);
  return { id, projectId, agent, ...settings, serviceVersion: serviceVersion ?? null };
}
