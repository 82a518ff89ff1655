import { readFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";

/** A member of an interface or a class, as its source says. */
export interface Documented {
  readonly description: string;
  readonly optional: boolean;
}

const root = path.resolve(import.meta.dirname, "../..");

/**
 * Reads the doc comment of a declaration and those of its members.
 * @param file its path from the root of the repository
 * @param name of the exported interface, class, function or type
 * @throws Error for a declaration that is not there or has no doc comment
 */
export function docComments(
  file: string,
  name: string,
): { readonly description: string; readonly members: Readonly<Record<string, Documented>> } {
  const text = readFileSync(path.join(root, file), "utf8");
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const declarations = source.statements.filter((statement) => isNamed(statement, name));
  const [declaration] = declarations.filter((candidate) => commentOf(candidate) !== "");
  if (declaration === undefined) throw new Error(`${file} has no documented declaration of ${name}`);
  return { description: commentOf(declaration), members: membersOf(declaration) };
}

function membersOf(declaration: ts.Node): Record<string, Documented> {
  const members: Record<string, Documented> = {};
  ts.forEachChild(declaration, (member) => {
    if (!ts.isPropertySignature(member) && !ts.isPropertyDeclaration(member)) return;
    const optional = member.questionToken !== undefined;
    members[member.name.getText()] = { description: commentOf(member), optional };
  });
  return members;
}

function isNamed(statement: ts.Statement, name: string): boolean {
  const isDeclaration =
    ts.isInterfaceDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isFunctionDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement);
  return isDeclaration && statement.name?.text === name;
}

/** The comment as one text, without tags. Other languages call an undefined value absent. */
function commentOf(node: ts.Node): string {
  const [comment] = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc);
  const text = ts.getTextOfJSDocComment(comment?.comment) ?? "";
  return text
    .replaceAll(/\{@link ([\w.]+)\}/g, "`$1`")
    .replaceAll(/(?<!\n)\n(?!\n)/g, " ")
    .replaceAll(/\bundefined\b/g, "absent");
}
