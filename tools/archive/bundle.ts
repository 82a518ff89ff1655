import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { build, type Plugin } from "esbuild";
import manifest from "../../package.json" with { type: "json" };
import { OLDEST_NODE } from "../oldest-node.ts";
import { generateSchema } from "../schema/generate-schema.ts";

const root = path.resolve(import.meta.dirname, "../..");

/**
 * Bundles the plugin with everything that it needs into one file. It is a CommonJS file, because a single executable takes
 * no other form.
 * @param file where to write it
 * @returns the licenses of the packages in it
 */
export async function bundlePlugin(file: string): Promise<string> {
  const description = { version: manifest.version, schema: JSON.stringify(generateSchema(manifest)) };
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
    plugins: [withoutUnusedParts],
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

/** The parts of undici that sdk/ uses. Its index would load fetch, WebSocket, mocks and caches, 20 ms of each start. */
const UNDICI = `
Object.assign(require("./lib/dispatcher/dispatcher").prototype, require("./lib/api"));
module.exports = {
  Agent: require("./lib/dispatcher/agent"),
  Client: require("./lib/dispatcher/client"),
  EnvHttpProxyAgent: require("./lib/dispatcher/env-http-proxy-agent"),
  Pool: require("./lib/dispatcher/pool"),
  buildConnector: require("./lib/core/connect"),
  errors: require("./lib/core/errors"),
  parseCookie: require("./lib/web/cookies/parse").parseSetCookie,
  get FormData() {
    return require("./lib/web/fetch/formdata").FormData;
  },
};
`;

const withoutUnusedParts: Plugin = {
  name: "without-unused-parts",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]undici[\\/]index\.js$/ }, (file) => ({
      contents: UNDICI,
      resolveDir: path.dirname(file.path),
    }));
    // Messages are in English.
    onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({ contents: "export {};" }));
  },
};
