import type { SyntaxNode, Word, WordPart } from "unbash";
import { nameSet } from "../protocol/json/table.ts";
import { shellParser } from "./load-parser.ts";

const WRITING = nameSet("> >> >| &> &>>");
const MOVING = nameSet("cd pushd popd");

/**
 * The files that a command writes by a redirection (`>> sessions.log`), as it names them; only names without a variable
 * or pattern. Relative names are left out where the command changes its directory.
 */
export function writtenFiles(command: string): readonly string[] {
  const script = shellParser().parse(command);
  if ((script.errors?.length ?? 0) > 0) return [];
  const found = { targets: new Set<string>(), isMoving: false };
  const visit = (node: SyntaxNode): void => {
    if (node.type === "Command") found.isMoving ||= MOVING.has(node.name?.value ?? "");
    if (node.type === "Redirect" && WRITING.has(node.operator) && node.target !== undefined && isLiteral(node.target))
      found.targets.add(node.target.value);
    shellParser().forEachChild(node, visit);
  };
  visit(script);
  return [...found.targets].filter((name) => name !== "" && (name.startsWith("/") || !found.isMoving));
}

const isLiteral = ({ value, text, parts = [] }: Word): boolean =>
  !(value.startsWith("~") && text.startsWith("~")) && parts.every(isLiteralPart);

function isLiteralPart(part: WordPart): boolean {
  if (part.type === "DoubleQuoted") return part.parts.every(isLiteralPart);
  return part.type === "Literal" || part.type === "SingleQuoted";
}
