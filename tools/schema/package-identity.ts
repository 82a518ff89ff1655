import { type SdkNames, sdkNames } from "./sdk-names.ts";

/** What the schema and the pages take from package.json. */
export interface Manifest {
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly homepage: string;
  readonly repository?: { readonly url: string } | undefined;
}

/** What the package is called and where it is, as the schema and the pages say it. */
export interface PackageIdentity {
  /** A whole sentence. */
  readonly description: string;
  readonly homepage: string;
  /** Where the npm package is. */
  readonly npmPage: string;
  readonly names: SdkNames;
  /** These are undefined before there is a public repository. */
  readonly repository: string | undefined;
  readonly pluginDownloadURL: string | undefined;
  readonly logoUrl: string | undefined;
}

export function packageIdentity({ description, homepage, repository }: Manifest): PackageIdentity {
  const address = repository?.url.replace(/^git\+/, "").replace(/\.git$/, "");
  const onHost = (host: string) => address?.replace("https://github.com/", host);
  const files = onHost("https://raw.githubusercontent.com/");
  return {
    description: `${description}.`,
    homepage,
    npmPage: "https://www.npmjs.com/package/pulumi-agent-log-config",
    names: sdkNames(address),
    repository: address,
    pluginDownloadURL: onHost("github://api.github.com/"),
    logoUrl: files && `${files}/main/docs/logo.png`,
  };
}
