import { existsSync, globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";

const root = path.join(import.meta.dirname, "../..");
const page = readFileSync(path.join(root, "docs/architecture.md"), "utf8");
const rows = page.split("\n").filter((line) => line.startsWith("|"));

it("names only files and folders that there are", () => {
  const named = [...page.matchAll(/`((?:sdk|test|examples|bench)\/[\w./-]*)`/g)].map(([, name = ""]) => name);
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((name) => !existsSync(path.join(root, name)))).toEqual([]);
});

it.for(globSync("sdk/*/", { cwd: root }))("says what %s is for", (folder) => {
  expect(rows.filter((row) => row.startsWith(`| \`${folder}/\` |`))).toHaveLength(1);
});

const NODES = String.raw`\w+(?: & \w+)*`;

it("draws all imports between folders, but for what is known to all", () => {
  const arrows = [...page.matchAll(new RegExp(`^ +(${NODES}) --> (${NODES})$`, "gm"))].flatMap(([, from, to]) =>
    (from ?? "").split(" & ").flatMap((one) => (to ?? "").split(" & ").map((other) => `${one} --> ${other}`)),
  );
  const imports = globSync("sdk/*/*.ts", { cwd: root }).flatMap((file) => {
    const folder = path.basename(path.dirname(file));
    const imported = readFileSync(path.join(root, file), "utf8").matchAll(/(?:from|import\() ?"\.\.\/(\w+)\//g);
    return Array.from(imported, ([, other]) => `${folder} --> ${other}`);
  });
  const isDrawn = (arrow: string) => arrow === "model --> text" || !/--> (?:model|text)$/.test(arrow);
  expect(arrows.sort()).toEqual([...new Set(imports)].filter(isDrawn).sort());
});

it.for([
  ["Pulumi provider", ["program", "provider", "plugin", "record", "findings", "reading", "engine"]],
  ["HTTP Digest client", ["client", "transport", "digest"]],
  ["Tools", ["command", "testing"]],
  ["Known to all", ["model", "text"]],
] as const)("says about how large the part %s is", ([part, folders]) => {
  const files = globSync(`sdk/{${folders.join()}}/*.ts`, { cwd: root });
  const lines = files.map((file) => readFileSync(path.join(root, file), "utf8").split("\n").length - 1);
  const [, size = ""] = new RegExp(`"${part}: ([\\d,]+) lines"`).exec(page) ?? [];
  const sum = lines.reduce((total, each) => total + each, 0);
  expect(Math.abs(Number(size.replace(",", "")) - sum), `The part has ${sum} lines.`).toBeLessThan(200);
});
