import { readMany } from "../connection/read-many.ts";
import { FUNCTIONS } from "../engine/resource-type.ts";
import type { AgentLogConfigResult } from "../model/agent-log-config-result.ts";
import { invalidArgument } from "../model/errors.ts";
import { parseArgument } from "../model/parse-argument.ts";
import { printable } from "../model/printable.ts";
import { readArgumentsSchema } from "../model/read-arguments.ts";
import type { Properties } from "../record/resource-record.ts";
import { markedNames, withoutMarks } from "./property-marks.ts";
import { publicSettings } from "./public-settings.ts";

/**
 * Calls one of the plugin's functions.
 * @param args as the engine has sent them
 * @throws AgentLogConfigError with the sentence to show
 */
export async function callFunction(
  token: string,
  args: Properties,
  read: Parameters<typeof readMany>[0],
): Promise<Properties> {
  const plainArgs = Object.fromEntries(Object.entries(withoutMarks(args)).filter(([, value]) => value !== null));
  const isSecret = markedNames(args).length > 0;
  switch (token) {
    case FUNCTIONS.getAgentLogConfig:
      return publicResult(await read(parseArgument(readArgumentsSchema, plainArgs, "Nothing was read", { isSecret })));
    case FUNCTIONS.getAgentLogConfigs: {
      const { configs, failures } = await readMany(read, plainArgs, isSecret);
      return { configs: configs.map(publicResult), failures };
    }
    default:
      throw invalidArgument(`There is no function ${printable(token, 80)}; update the plugin agent-log-config.`);
  }
}

/** What a function returns. */
function publicResult(result: AgentLogConfigResult): Properties {
  return { ...publicSettings(result), serviceVersion: result.serviceVersion ?? null };
}
