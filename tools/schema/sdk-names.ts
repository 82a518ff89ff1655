/** The names of the generated packages, by the language of a code fence. */
export interface SdkNames {
  readonly typescript: string;
  readonly python: string;
  readonly csharp: string;
  readonly go: string;
  readonly java: string;
}

/**
 * Returns names that only the owner of the repository can have, where a language has a rule for that. Prefixes such as
 * `@pulumi/`, `com.pulumi` and `Pulumi.` belong to Pulumi itself.
 * @param repository its address; without one the names begin with a domain that is reserved for examples
 */
export function sdkNames(repository: string | undefined): SdkNames {
  const owner = /^https:\/\/github\.com\/([^/]+)/.exec(repository ?? "")?.[1];
  const place = repository?.replace(/^https:\/\//, "") ?? "example.com/pulumi-agent-log-config";
  return {
    typescript: "pulumi-agent-log-config-sdk",
    python: "pulumi_agent_log_config",
    csharp: `${owner === undefined ? "Example" : identifier(pascalCase(owner))}.AgentLogConfig`,
    go: `${place}/sdk/go/agentlogconfig`,
    java: `${owner === undefined ? "com.example" : `io.github.${identifier(owner.toLowerCase())}`}.agentlogconfig`,
  };
}

function pascalCase(text: string): string {
  return text.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function identifier(text: string): string {
  return text.replaceAll("-", "_").replace(/^\d/, "_$&");
}
