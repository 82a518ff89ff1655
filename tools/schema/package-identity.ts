/** What the schema and the pages take from package.json. */
export interface Manifest {
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly homepage: string;
  readonly repository?: { readonly url: string } | undefined;
}

/** The names of the generated packages that only the owner of the repository can have. */
export interface OwnedNames {
  readonly csharp: string;
  readonly go: string;
  readonly java: string;
}

/** Where the package is, as the schema says it. All but the names is undefined before there is a public repository. */
export interface PackageIdentity {
  readonly names: OwnedNames;
  readonly repository: string | undefined;
  readonly pluginDownloadURL: string | undefined;
  readonly logoUrl: string | undefined;
}

export function packageIdentity(manifest?: Manifest): PackageIdentity {
  const repository = manifest?.repository?.url.replace(/^git\+/, "").replace(/\.git$/, "");
  const onHost = (host: string) => repository?.replace("https://github.com/", host);
  const files = onHost("https://raw.githubusercontent.com/");
  return {
    names: namesOf(repository),
    repository,
    pluginDownloadURL: onHost("github://api.github.com/"),
    logoUrl: files && `${files}/main/docs/logo.png`,
  };
}

/** Replaces the names that the packages have before by those that they have now. */
export function rename(text: string, before: OwnedNames, now: OwnedNames): string {
  return text.replaceAll(before.go, now.go).replaceAll(before.java, now.java).replaceAll(before.csharp, now.csharp);
}

/**
 * Prefixes such as `com.pulumi` and `Pulumi.` belong to Pulumi itself. Without a repository the names begin with a domain that
 * is reserved for examples.
 */
function namesOf(repository: string | undefined): OwnedNames {
  const owner = /^https:\/\/github\.com\/([^/]+)/.exec(repository ?? "")?.[1];
  const place = repository?.replace(/^https:\/\//, "") ?? "example.com/pulumi-agent-log-config";
  return {
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
