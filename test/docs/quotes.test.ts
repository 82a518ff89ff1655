import { mkdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import path from "node:path";
import { expect, it, type TestContext } from "vitest";
import { makePlugin } from "../../tools/archive/make-plugin.ts";
import { issueCertificate } from "../client/issue-certificate.ts";
import { openService } from "../client/open-client.ts";
import { CA_FILE, TLS } from "../client/test-certificate.ts";
import { environmentOf, MAIN, runMain } from "../command/run-main.ts";
import { cliEnvironment } from "../deployment/cli-environment.ts";
import { configure, makeProgramFolder, openProgram, PRIVATE_KEY, PROJECT_ID } from "../deployment/open-program.ts";
import { openRealDeployment } from "../deployment/real-deployment.ts";
import { runCommand } from "../deployment/run-command.ts";
import { temporaryFolder } from "../deployment/temporary-folder.ts";
import { fencesIn, PAGES } from "../plugin/examples-in.ts";
import { requireHost } from "../plugin/require-host.ts";
import { runTool } from "../plugin/run-tool.ts";
import { listen } from "../servers/listen.ts";

const ARGS = { projectId: PROJECT_ID, agent: "monitoring" };

/**
 * What needs the network, an older Node.js, FIPS mode, Python, 32 failures, another server, a gateway or a failed update, and what
 * other tests compare with a run.
 */
const NOT_RUN = [
  "cannot ignore changes in added or removed elements of the path",
  ...["could not find latest version for provider agent-log-config", "unable to resolve"],
  ...["Could not automatically download and install", "ERR_UNKNOWN_FILE_EXTENSION", "#err_runtime"],
  ...["cmd/dynamic-provider", "could not load provider", "failed to register", "not specified in --target list"],
  ...["KeyboardInterrupt", 'error serializing property "outputs"', "receiver must be a list or object"],
  ...["missing required URN", "pending operations from previous deployment", "an unexpected error", "#err_unknown"],
  ...[
    "has a query",
    "is the address of a page",
    "has a path after /api/public/v1.0",
    "Default provider for '…' disabled",
  ],
  "its settings were not read for this project and agent",
  "can't be used in a Pulumi program",
  ...["it does not respond", "its host name is unknown", "there is no route to it"],
  ...[
    "the connection was cut before any response",
    "has not asked for HTTP Digest",
    "unknown provider",
    "No more reads are sent",
  ],
  ...["use the recorded settings", "are gone", "is not managed by automation", "#err_not_automated"],
  ...["excludes this read", "agents of an Atlas project", "#err_unsupported"],
  ...["payment is required", "is suspended", "#err_account_suspended"],
  ...["is for another host name", "requires a certificate from its clients", "is not HTTP"],
  ...["redirects to", "is a web page instead of JSON", "has none of the fields of log settings"],
  ...["its response is longer than 1 MiB", "#err_invalid_response", "does not understand the request"],
  ...["check that baseUrl is the service", "does not ask for HTTP Digest", "#err_authentication"],
];

/** Messages and steps in blocks, and the first words of each entry on the page for the one on call. */
const inBlocks = Array.from(
  [...PAGES.values()].join("\n").matchAll(/^ {4}((?:AgentLogConfig |[✓✗!] |Settings |\d+ of ).*)$/gm),
);
const entries = PAGES.get("docs/on-call.md")?.match(/^\*\*(?:`[^`]*`|[^`:])*(?=:| after)/gm) ?? [];
const inEntries = entries.flatMap((entry) => Array.from(entry.matchAll(/`([^`]*)`/g)));
const shown = [...new Set([...inBlocks, ...inEntries].map(([, quote = ""]) => quote))];

/** What differs from run to run. */
const VARIABLE: readonly (readonly [RegExp, string])[] = [
  [/[\w\\.]*example\\\.com(:8443)?/g, "[\\w.]+(:\\d+)?"],
  [/…|5 h(?= \\\(since)/g, ".+"],
  [/\d{4}-\d\d-\d\dT[\d:]+\\\.\d+Z/g, "[\\dT:.Z-]+"],
  [/(?<=and )\d+/g, "\\d+"],
];

function patternOf(text: string): RegExp {
  const escaped = text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  return new RegExp(VARIABLE.reduce((pattern, [variable, any]) => pattern.replaceAll(variable, any), escaped));
}

const RUNS = [runService, runPlugin, runGo, runCheck, runCheckWithoutStack];
const missing = new Set(RUNS);
let said = "";

it.for(RUNS.map((run) => [run.name, run] as const))(
  "runs what the pages quote: %s",
  { timeout: 300_000 },
  async ([, run], context) => {
    said += await run(context);
    missing.delete(run);
  },
);

it.for(shown)("quotes what a run says: %s", (text, context) => {
  const isSaid = patternOf(text).test(said);
  context.skip(!isSaid && missing.size > 0, "quotes of runs that were skipped");
  expect(isSaid).toBe(!NOT_RUN.includes(text));
});

it("quotes what no run says", () => {
  expect(shown).toEqual(expect.arrayContaining(NOT_RUN));
});

it("shows the JSON that the command prints", async () => {
  const [json = ""] = fencesIn(PAGES.get("docs/command.md") ?? "", "json");
  const quoted: { configs: { projectId: string }[]; failures: { projectId: string; message: string }[] } =
    JSON.parse(json);
  const settings = { monitoring: { logPath: "/var/log/a.log" }, backup: {} };
  const service = await openService({ privateKey: PRIVATE_KEY, settings: { [PROJECT_ID]: settings } });
  const projects = [...quoted.configs, ...quoted.failures].flatMap(({ projectId }) => ["--project", projectId]);
  const { stdout } = await runMain(environmentOf(service), ["check", ...projects, "--json"]);
  // The page shows one of the two failures of a project.
  const failures = quoted.failures.map(({ message, ...read }) => {
    return expect.objectContaining({ ...read, message: expect.stringMatching(patternOf(message)) });
  });
  const { origin } = new URL(service.baseUrl);
  expect(JSON.parse(stdout)).toMatchObject({ ...quoted, service: origin, failures: expect.arrayContaining(failures) });
});

/** Each failure of a service or a proxy, a package without its files, and what a resource says of a record and of expectations. */
async function runService(context: TestContext): Promise<string> {
  const { deployment, service, directory } = await openProgram(context, "real", "failures");
  const texts: string[] = [];
  const proxy = createServer().on("connect", (_, socket) => socket.end("HTTP/1.1 403 Forbidden\r\n\r\n"));
  for (const port of [await listen(proxy), 9]) {
    texts.push((await deployment.preview({ env: { https_proxy: `http://127.0.0.1:${port}`, no_proxy: "" } })).text);
  }
  const set = (key: string, value: object) => deployment.setConfig(`failures:${key}`, JSON.stringify(value));
  const expected = { logRotate: { sizeThresholdMB: { atMost: 1000 } } };
  await set("resources", {
    expecting: { args: { ...ARGS, whenUnexpected: "warn", expect: expected } },
    backup: { args: { ...ARGS, agent: "backup", whenUnavailable: "useRecorded" } },
  });
  await deployment.setConfig("agent-log-config:maxRetries", "0");
  service.set(PROJECT_ID, "monitoring", { logRotate: { sizeThresholdMB: 1500 } });
  texts.push((await deployment.up()).text);
  const broken = path.join(directory, "node_modules/pulumi-agent-log-config");
  await mkdir(broken, { recursive: true });
  await writeFile(path.join(broken, "package.json"), '{ "exports": { "./dynamic-provider": "./missing.js" } }');
  texts.push((await deployment.refresh()).text);
  await rm(broken, { recursive: true });
  service.set(PROJECT_ID, "monitoring", { logRotate: { sizeThresholdMB: 500 } });
  texts.push((await deployment.preview({ expectNoChanges: true })).text);
  service.respondWith({ status: 503 });
  texts.push((await deployment.preview()).text);
  service.respondWith(undefined);
  for (const agent of ["monitoring", "backup"] as const) service.set(PROJECT_ID, agent, undefined);
  texts.push((await deployment.refresh()).text);

  const open = async (options: object) => {
    const opened = await openService({ privateKey: PRIVATE_KEY, ...options });
    return { baseUrl: opened.baseUrl };
  };
  const faults = (status: number, errorCode = "") => ({
    faults: Array.from({ length: 9 }, () => ({ status, body: JSON.stringify({ error: status, errorCode }) })),
  });
  const empty = (status: number, headers = {}) => ({ faults: Array.from({ length: 9 }, () => ({ status, headers })) });
  const services = {
    closed: { baseUrl: "http://127.0.0.1:9" },
    silent: { ...(await open({ faults: [{ delaySeconds: 60 }] })), timeoutSeconds: 1 },
    limited: await open(faults(429)),
    rotated: await open({ privateKey: "another-private-key" }),
    uninvited: await open(faults(401, "NOT_IN_GROUP")),
    unprivileged: await open(faults(401, "USER_UNAUTHORIZED")),
    unnamed: await open(faults(400, "VALIDATION_ERROR")),
    ...{ gateway: await open(empty(403)), elsewhere: await open(empty(404)), network: await open(empty(511)) },
    compressing: await open(empty(403, { "Content-Encoding": "gzip" })),
    console: { baseUrl: `https://om.example.com/v2/${PROJECT_ID}` },
    refusing: await open(faults(403, "IP_ADDRESS_NOT_ON_ACCESS_LIST")),
    expired: await open({ tls: issueCertificate({ until: "20200102000000Z" }) }),
    untrusted: await open({ tls: TLS }),
    selfSigned: await open({ tls: issueCertificate() }),
  };
  await set("services", services);
  const failing: [string, object][] = Object.keys(services).map((name) => [name, { args: ARGS, service: name }]);
  failing.push(["unsent", { args: { ...ARGS, agent: "backup" }, service: "rotated" }]);
  const guarded = { ...ARGS, agent: "backup", expect: { logPath: "/l", notSet: ["logRotate.numTotal"] } };
  const [strict, malformed] = [
    { ...ARGS, expect: expected },
    { ...ARGS, projectId: "malformed" },
  ];
  const judged = { guarded: { args: guarded }, strict: { args: strict }, malformed: { args: malformed } };
  await set("resources", { ...Object.fromEntries(failing), ...judged });
  service.set(PROJECT_ID, "monitoring", { logRotate: { sizeThresholdMB: 1500 } });
  service.set(PROJECT_ID, "backup", { logPath: "/other", logRotate: { numTotal: 9 } });
  const ids = Array.from({ length: 62 }, (_, index) => String(index).padStart(24, "0"));
  const projects = Object.fromEntries(ids.map((id) => [id, id]));
  await set("fleets", { fleet: { args: { projects, agents: ["monitoring"] } } });
  return [...texts, (await deployment.preview()).text].join("\n");
}

/** A plugin that is not installed, and one that finds no Node.js. */
async function runPlugin(context: TestContext): Promise<string> {
  const { path: folders } = requireHost(context, "yaml");
  const { directory, service } = await makeProgramFolder(context, "failures");
  const resources = { monitoring: { type: "agent-log-config:AgentLogConfig", properties: ARGS } };
  const program = { name: "failures", runtime: "yaml", resources };
  await writeFile(path.join(directory, "Pulumi.yaml"), JSON.stringify(program));
  await makePlugin(path.join(directory, "plugin"));
  const deployment = await openRealDeployment(directory, {}, process.execPath);
  context.onTestFinished(() => deployment.close());
  await configure(deployment, service, "failures", {});
  const found = [path.join(directory, "plugin"), folders].join(path.delimiter);
  return (await deployment.preview()).text + (await deployment.preview({ env: { PATH: found } })).text;
}

/** A program whose go.mod lacks the generated SDK, and one to which `pulumi package add` has given it. */
async function runGo(context: TestContext): Promise<string> {
  const directory = temporaryFolder("go");
  await mkdir(path.join(directory, "sdk"));
  const write = (file: string, text: string) => writeFile(path.join(directory, file), text);
  await write("main.go", 'package main\n\nimport _ "example.com/sdk"\n\nfunc main() {}\n');
  await write("go.mod", "module program\n\ngo 1.24\n");
  await write("sdk/go.mod", "module example.com/sdk\n\ngo 1.24\n");
  await write("sdk/sdk.go", "package sdk\n");
  const go = (...args: string[]) => runTool(context, directory, "go", args, { GOPROXY: "off" });
  const { exitCode, stderr } = await go("version");
  if (exitCode !== 0) context.skip(`no Go: ${stderr}`);
  const lacking = await go("vet", ".");
  await go("mod", "edit", "-replace=example.com/sdk=./sdk");
  return lacking.stderr + (await go("vet", ".")).stderr;
}

/** The check of a project that the service has, and of one that it does not have. */
async function runCheck(context: TestContext): Promise<string> {
  const { command, path: folders } = requireHost(context, "nodejs");
  const cwd = temporaryFolder("check");
  const settings = { [PROJECT_ID]: { monitoring: { logPath: "/var/log/a.log" } } };
  const service = await openService({ tls: TLS, privateKey: PRIVATE_KEY, settings });
  const baseUrl = service.baseUrl.replace("127.0.0.1", "localhost");
  const connection = Object.entries({ baseUrl, publicKey: "publickey", privateKey: PRIVATE_KEY });
  const config = Object.fromEntries(connection.map(([name, value]) => [`agent-log-config:${name}`, { value }]));
  await writeFile(path.join(cwd, "Pulumi.yaml"), JSON.stringify({ name: "check", runtime: "yaml", config }));
  const added = { NODE_EXTRA_CA_CERTS: CA_FILE, NO_COLOR: "1" };
  const env = cliEnvironment(folders, { home: path.join(cwd, "home"), backend: cwd }, added);
  const options = { cwd, env, signal: context.signal };
  await runCommand(command, ["stack", "init", "dev", "--non-interactive"], options);
  const projects = ["--project", PROJECT_ID, "--project", "89abcdef0123456789abcdef"];
  const { stdout, stderr } = await runCommand(process.execPath, [MAIN, "check", ...projects], options);
  return stderr + stdout;
}

/** What the environment may have wrong: the path, the port, the arguments, the key and the proxies. */
async function runCheckWithoutStack(): Promise<string> {
  const service = await openService({ privateKey: PRIVATE_KEY, settings: {} });
  const proxy = createServer().on("connect", (_, socket) => {
    socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
  });
  const forwarding = createServer((_, response) => void response.writeHead(403).end());
  const environment = environmentOf(service);
  const { origin } = new URL(service.baseUrl);
  const wrong = [
    { AGENT_LOG_CONFIG_BASE_URL: `${origin}/other` },
    { AGENT_LOG_CONFIG_BASE_URL: origin.replace("http:", "https:") },
    { AGENT_LOG_CONFIG_PRIVATE_KEY: "" },
    { HTTP_PROXY: `http://127.0.0.1:${await listen(forwarding)}` },
    { AGENT_LOG_CONFIG_BASE_URL: "https://192.0.2.10", HTTPS_PROXY: `http://127.0.0.1:${await listen(proxy)}` },
  ];
  const args = ["check", "--project", PROJECT_ID];
  const found = [environment, ...wrong.map((changed) => ({ ...environment, ...changed }))];
  return (await Promise.all(found.map(async (each) => (await runMain(each, args)).stdout))).join("");
}
