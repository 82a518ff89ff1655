import { globSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import path from "node:path";
import ts from "typescript";
import { expect, it, type TestContext } from "vitest";
import { makePlugin } from "../../tools/archive/make-plugin.ts";
import { openService } from "../client/open-client.ts";
import { environmentOf, runMain } from "../command/run-main.ts";
import { configure, makeProgramFolder, openProgram, PRIVATE_KEY, PROJECT_ID } from "../deployment/open-program.ts";
import { openRealDeployment } from "../deployment/real-deployment.ts";
import { fencesIn, PAGES } from "../plugin/examples-in.ts";
import { requireHost } from "../plugin/require-host.ts";
import { listen } from "../servers/listen.ts";

/** What Pulumi says, by the run that shows it. */
const RUNS = [
  {
    run: previewBehindProxies,
    says: [
      "Failed to connect to … through proxy",
      "Failed to connect to proxy",
      "14 UNAVAILABLE: No connection established",
      "no changes were expected",
    ],
  },
  { run: previewWithPlugin, says: ["no resource plugin", "exited prematurely"] },
];

/** What Pulumi, Node.js and Python say in runs that need the network, an older Node.js, Python, a crash or a failed update. */
const NOT_RUN = [
  ...["cmd/dynamic-provider", "could not load provider", "could not find latest version for provider agent-log-config"],
  ...["unable to resolve", "Could not automatically download and install", "ERR_UNKNOWN_FILE_EXTENSION"],
  ...["failed to register", "not specified in --target list", "KeyboardInterrupt", "unknown provider"],
  ...['error serializing property "outputs"', "receiver must be a list or object", "missing required URN"],
  ...["was waiting for the value of its input property", "had not been marked as seen"],
  ...["pending operations from previous deployment"],
  "cannot ignore changes in added or removed elements of the path",
];
const ofOthers = [...NOT_RUN, ...RUNS.flatMap(({ says }) => says)];

/** Messages in blocks, and what the first words of each entry on the page for the one on call quote. */
const messages = quotesIn([...PAGES.values()].join("\n"), /^ {4}((?:AgentLogConfig |[✓✗!] |Settings |\d+ of ).*)$/gm);
const entries = PAGES.get("docs/on-call.md")?.match(/^\*\*(?:`[^`]*`|[^`:])*(?=:| after)/gm) ?? [];
const quotes = quotesIn(entries.join("\n"), /`([^`]*)`/g);

/** The texts of this package, with … for what differs from message to message, and what stands between these. */
const root = path.join(import.meta.dirname, "../..");
const texts = globSync("sdk/**/*.ts", { cwd: root }).flatMap((file) => {
  return textsIn(ts.createSourceFile(file, readFileSync(path.join(root, file), "utf8"), ts.ScriptTarget.Latest));
});
// A message quotes a sentence of the service without its full stop. The pages call a stack dev.
const parts = new Set(["dev", ...texts.flatMap((text) => [...text.split("…"), ...text.replace(/\.$/, "").split("…")])]);

it.for(quotes)("quotes what is said: %s", (quote) => {
  const isAnchor = PAGES.get("README.md")?.includes(`<a id="${quote.replace("#", "")}">`);
  // A number differs from message to message, and so does the first word of some quotes.
  const forms = [quote, quote.replaceAll(/\d+/g, "…"), quote.replace(/^\w+(?= )/, "…")];
  const isText = texts.some((text) => forms.some((form) => text.includes(form)));
  expect(quote.startsWith("#") ? isAnchor : isText).toBe(!ofOthers.includes(quote));
});

it.for(messages)("quotes a message of this package: %s", (message) => {
  expect(beforeUnknown(message)).toBe(message);
});

it("quotes what others say", () => {
  expect(messages.length).toBeGreaterThan(4);
  expect(quotes).toEqual(expect.arrayContaining(ofOthers));
});

it.for(RUNS)("shows what others say: $says", { timeout: 300_000 }, async ({ run, says }, context) => {
  const text = await run(context);
  for (const quote of says) expect(text).toMatch(new RegExp(quote.replaceAll("…", ".+")));
});

it("shows the JSON that the command prints", async () => {
  const [json = ""] = fencesIn(PAGES.get("docs/command.md") ?? "", "json");
  const quoted: { configs: { projectId: string }[]; failures: { projectId: string; message: string }[] } =
    JSON.parse(json);
  const settings = { monitoring: { logPath: "/var/log/a.log" }, backup: {} };
  const service = await openService({ privateKey: PRIVATE_KEY, settings: { [PROJECT_ID]: settings } });
  const projects = [...quoted.configs, ...quoted.failures].flatMap(({ projectId }) => ["--project", projectId]);
  const { stdout } = await runMain(environmentOf(service), ["check", ...projects, "--json"]);
  // The page shows one of the two failures of a project, and the first word of its message.
  const failures = quoted.failures.map(({ message, ...read }) => {
    return expect.objectContaining({ ...read, message: expect.stringContaining(message.replace("…", "")) });
  });
  const { origin } = new URL(service.baseUrl);
  expect(JSON.parse(stdout)).toMatchObject({ ...quoted, service: origin, failures: expect.arrayContaining(failures) });
});

function quotesIn(text: string, pattern: RegExp): string[] {
  return [...new Set(Array.from(text.matchAll(pattern), ([, quote = ""]) => quote))];
}

/** Returns the literals in a source, with … for the holes of a template and for a name in braces, such as {setting}. */
function textsIn(node: ts.Node): string[] {
  const own: string[] = [];
  if (ts.isStringLiteralLike(node)) own.push(node.text);
  if (ts.isTemplateExpression(node)) {
    own.push([node.head, ...node.templateSpans.map(({ literal }) => literal)].map(({ text }) => text).join("…"));
  }
  ts.forEachChild(node, (child) => void own.push(...textsIn(child)));
  return own.map((text) => text.replaceAll(/\{\w+\}/g, "…"));
}

/** Returns a message up to the first word that is neither in a text of this package nor a value, such as an id or an address. */
function beforeUnknown(message: string): string {
  // Where a part or a value of the message ends; the loop also visits the ends that it adds.
  const ends = new Set([0]);
  for (const end of ends) {
    const rest = message.slice(end);
    const [value = ""] = /^(?:[\w/:#-]*(?:[\d_/]|\.\w)[\w./:#-]*\b|\W)/.exec(rest) ?? [];
    for (const part of [value, ...parts]) {
      const isWord = part !== "" && rest.startsWith(part) && !/^\w\w/.test(rest.slice(part.length - 1));
      if (isWord) ends.add(end + part.length);
    }
  }
  return message.slice(0, Math.max(...ends));
}

/** A proxy that refuses the calls of Pulumi, and one that is not there. */
async function previewBehindProxies(context: TestContext): Promise<string> {
  const { deployment } = await openProgram(context, "real", "failures");
  const proxy = createServer().on("connect", (_, socket) => socket.end("HTTP/1.1 403 Forbidden\r\n\r\n"));
  const texts: string[] = [];
  for (const port of [await listen(proxy), 9]) {
    texts.push((await deployment.preview({ env: { https_proxy: `http://127.0.0.1:${port}`, no_proxy: "" } })).text);
  }
  return [...texts, (await deployment.preview({ expectNoChanges: true })).text].join("\n");
}

/** A plugin that is not installed, and one that finds no Node.js. */
async function previewWithPlugin(context: TestContext): Promise<string> {
  const { path: folders } = requireHost(context, "yaml");
  const { directory, service } = await makeProgramFolder(context, "failures");
  const resources = { monitoring: { type: "agent-log-config:AgentLogConfig", properties: { projectId: PROJECT_ID } } };
  const program = { name: "failures", runtime: "yaml", resources };
  await writeFile(path.join(directory, "Pulumi.yaml"), JSON.stringify(program));
  await makePlugin(path.join(directory, "plugin"));
  const deployment = await openRealDeployment(directory, {}, process.execPath);
  context.onTestFinished(() => deployment.close());
  await configure(deployment, service, "failures", {});
  const found = [path.join(directory, "plugin"), folders].join(path.delimiter);
  return (await deployment.preview()).text + (await deployment.preview({ env: { PATH: found } })).text;
}
