import { expect, it } from "vitest";
import { readCommandLine } from "../../sdk/check/command-line.ts";

const [A, B] = ["0123456789abcdef01234567", "0123456789abcdef01234568"];

it.each([
  { args: [], says: "The only command is check." },
  { args: ["check", A], says: "The only command is check." },
  { args: ["check"], says: "No project is given: pass --project <24 hexadecimal digits> or --projects-from <file>." },
  { args: ["check", "--project"], says: "--project needs a value." },
  { args: ["check", "--project", "--json"], says: "--project needs a value." },
  { args: ["check", "--project", ""], says: "--project needs a value." },
  { args: ["check", "--project", "123"], says: '--project must be 24 hexadecimal digits, not "123".' },
  { args: ["check", "--project=-1"], says: '--project must be 24 hexadecimal digits, not "-1".' },
  { args: ["check", "--projects-from"], says: "--projects-from needs a value." },
  { args: ["check", "--project", A, "--stack"], says: "--stack needs a value." },
  { args: ["check", "--json=yes"], says: "--json takes no value." },
  { args: ["check", "--privateKey", "x"], says: 'The option "--privateKey" is unknown.' },
])("refuses $args in one sentence", ({ args, says }) => {
  expect(() => readCommandLine(args)).toThrow(new Error(says));
});

it.each([
  { args: ["--project", A], projectIds: [A], listFile: undefined },
  { args: ["--project", A, "--project", B], projectIds: [A, B], listFile: undefined },
  { args: ["--project", "123", "--project", B], projectIds: ["123", B], listFile: undefined },
  { args: ["--projects-from", "-"], projectIds: [], listFile: "-" },
  { args: ["--projects-from=list.txt", "--project", A], projectIds: [A], listFile: "list.txt" },
])("takes the projects of $args", ({ args, projectIds, listFile }) => {
  expect(readCommandLine(["check", ...args])).toMatchObject({ projectIds, listFile });
});
