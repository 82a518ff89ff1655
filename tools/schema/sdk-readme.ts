import { readFileSync } from "node:fs";
import path from "node:path";
import {
  CONFIGURATION_NAMESPACE,
  CONNECTION_SETTING_NAMES,
  configurationKey,
  environmentVariable,
} from "../../sdk/shared/connection-settings.ts";
import { OLDEST_NODE } from "../oldest-node.ts";
import { docComments } from "./doc-comments.ts";
import type { PackageIdentity } from "./package-identity.ts";
import { firstExample, readExamples } from "./read-examples.ts";
import type { SdkNames } from "./sdk-names.ts";

/** Returns the page of the generated SDK in a language. */
export function sdkReadme(language: keyof SdkNames, identity: PackageIdentity): string {
  return `# Agent Log Config

${overview()}

${firstExample(readExamples("agent-log-config.md", identity.names), language)}

The [README of the package for TypeScript](${identity.npmPage}) explains expectations, outages, several connections and every error.

## Installation

${installation(identity)}

## Configuration

${configuration()}
`;
}

/** Returns the paragraph with which the README begins. */
export function overview(): string {
  const [, paragraph = ""] = readFileSync(path.join(import.meta.dirname, "../../README.md"), "utf8").split("\n\n");
  return paragraph;
}

/** Says how the plugin and the SDKs are installed. */
export function installation({ pluginDownloadURL }: PackageIdentity): string {
  const archive = `pulumi-resource-${CONFIGURATION_NAMESPACE}-v<version>-<os>-<arch>.tar.gz`;
  const source = pluginDownloadURL === undefined ? `--file ${archive}` : `--server ${pluginDownloadURL}`;
  return `The plugin \`${CONFIGURATION_NAMESPACE}\` reads the settings for programs in all languages. It is in an npm package:

    npx pulumi-agent-log-config install-plugin

It needs Node.js ${OLDEST_NODE} or later. The archives of a release contain Node.js:

    pulumi plugin install resource ${CONFIGURATION_NAMESPACE} <version> ${source}

Then let Pulumi generate the SDK of your language in the folder of your program. YAML does not need one.

    pulumi package add ${CONFIGURATION_NAMESPACE}`;
}

/** Says where the connection comes from, with every key and variable. */
export function configuration(): string {
  const { members } = docComments("sdk/client/connection-options.ts", "ConnectionOptions");
  const rows = CONNECTION_SETTING_NAMES.map(
    (name) => `| \`${configurationKey(name)}\` | \`${environmentVariable(name)}\` | ${members[name]?.description} |`,
  );
  return `Each setting comes from an explicit \`Provider\`, else from the stack configuration, else from the environment:

    pulumi config set ${configurationKey("baseUrl")} https://service.example.com:8443
    pulumi config set ${configurationKey("publicKey")} <public API key>
    pulumi config set --secret ${configurationKey("privateKey")}      # asks for the private API key

| Key | Environment variable | |
|---|---|---|
${rows.join("\n")}`;
}
