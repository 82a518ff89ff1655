import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import manifest from "../../package.json" with { type: "json" };
import schema from "../schema/schema.json" with { type: "json" };

const root = path.resolve(import.meta.dirname, "../..");

/** The oldest version of Node.js that runs the plugin. */
export const OLDEST_NODE = manifest.engines.node.replace(">=", "");

/**
 * Bundles the plugin with everything that it needs into one file. It is a CommonJS file, because a single executable takes
 * no other form.
 * @param file where to write it
 * @returns the licenses of the packages in it
 */
export async function bundlePlugin(file: string): Promise<string> {
  const { version } = manifest;
  const description = { version, schema: JSON.stringify({ ...schema, version }) };
  const { metafile } = await build({
    stdin: {
      contents: `import { servePlugin } from "./sdk/plugin/serve-plugin.ts"; servePlugin(${JSON.stringify(description)});`,
      resolveDir: root,
    },
    outfile: file,
    bundle: true,
    minify: true,
    // Node.js prints the line of an error that nobody catches.
    lineLimit: 200,
    legalComments: "none",
    metafile: true,
    platform: "node",
    format: "cjs",
    target: `node${OLDEST_NODE}`,
    logLevel: "warning",
    absWorkingDir: root,
  });
  const folders = Object.keys(metafile.inputs).flatMap((input) => PACKAGE_FOLDER.exec(input)?.[0] ?? []);
  return Array.from(new Set(folders)).sort().map(licenseOf).join("\n");
}

const PACKAGE_FOLDER = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/;

function licenseOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(path.join(root, folder, "package.json"), "utf8"));
  const [file] = readdirSync(path.join(root, folder)).filter((entry) => /^licen[cs]e/i.test(entry));
  const text = file === undefined ? "" : `\n${readFileSync(path.join(root, folder, file), "utf8")}`;
  return `${name} ${version} (${license})\n${text}`;
}
