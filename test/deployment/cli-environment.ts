import { delimiter, dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { runEnvironment } from "./run-environment.ts";

/**
 * The environment of a Pulumi CLI, apart from any other Pulumi set-up of this machine.
 * @param path the folder of the CLI
 * @param folders where it keeps its own things and the stacks' states; the backend exists
 * @param node the Node.js that runs programs
 */
export function cliEnvironment(
  path: string,
  folders: { readonly home: string; readonly backend: string },
  added: Readonly<Record<string, string>> = {},
  node: string = process.execPath,
): Record<string, string> {
  return runEnvironment({
    PATH: [dirname(node), path].join(delimiter),
    PULUMI_HOME: folders.home,
    PULUMI_BACKEND_URL: pathToFileURL(folders.backend).href,
    PULUMI_CONFIG_PASSPHRASE: "correct horse",
    PULUMI_SKIP_UPDATE_CHECK: "true",
    // It makes the flag --event-log known.
    PULUMI_DEBUG_COMMANDS: "true",
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
    ...added,
  });
}
