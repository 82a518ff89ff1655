import type { PackageIdentity } from "./package-identity.ts";
import { firstExample, readExamples } from "./read-examples.ts";
import { configuration, installation, overview } from "./sdk-readme.ts";

/** Returns the pages that the Pulumi Registry shows beside the reference, by their places in the repository. */
export function registryPages(identity: PackageIdentity): Readonly<Record<string, string>> {
  return {
    "docs/_index.md": `---
title: Agent Log Config
meta_desc: ${identity.description}
layout: package
---

${overview()}

## Example

${chooser(readExamples("agent-log-config.md", identity.names))}

TypeScript programs can also use the npm package [\`pulumi-agent-log-config\`](${identity.npmPage}), which needs no plugin.
`,
    "docs/installation-configuration.md": `---
title: Agent Log Config Installation & Configuration
meta_desc: How to install and configure the Agent Log Config provider for Pulumi.
layout: package
---

## Installation

${installation(identity)}

The generated packages are:

* TypeScript and JavaScript: \`${identity.names.typescript}\`
* Python: \`${identity.names.python}\`
* Go: \`${identity.names.go}\`
* .NET: \`${identity.names.csharp}\`
* Java: \`${identity.names.java}\`

## Configuration

${configuration()}
`,
  };
}

/** Shows the example in one language at a time. */
function chooser(examples: string): string {
  const languages = ["typescript", "python", "go", "csharp", "java", "yaml"];
  const choices = languages.map(
    (language) => `{{% choosable language ${language} %}}
${firstExample(examples, language)}
{{% /choosable %}}`,
  );
  return `{{< chooser language "${languages}" >}}\n\n${choices.join("\n\n")}\n\n{{< /chooser >}}`;
}
