/** The environment of a run: this process's own without what a developer has set for Pulumi or for the package. */
export function runEnvironment(added: Readonly<Record<string, string>>): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined && !/^(PULUMI_|AGENT_LOG_CONFIG_)/.test(name)) env[name] = value;
  }
  return { ...env, ...added };
}
