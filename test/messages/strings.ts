import { readdirSync, readFileSync } from "node:fs";

export const sourceFiles = (): readonly string[] =>
  readdirSync("src", { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => `src/${path}`);

export interface SourceString {
  readonly line: number;
  /** Without its quotes; of a template, each part between two expressions. */
  readonly text: string;
}

/** A comment, a string, a regular expression after a character that cannot end an operand, or a template's start or end. */
const TOKEN =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:\\.|[^"\\\n])*"|(?<=[(,=:[!&|?{};>]\s*)\/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/|[`{}]/g;

/** The string literals of a TypeScript file that have a space, so that people may read them. */
export function stringsIn(file: string): readonly SourceString[] {
  const source = readFileSync(file, "utf8");
  const found: SourceString[] = [];
  const lineAt = (index: number): number => source.slice(0, index).split("\n").length;
  const keep = (index: number, text: string): void => {
    if (/\S \S/.test(text)) found.push({ line: lineAt(index), text });
  };
  // Each open brace: true if it began in a template, which continues after it.
  const braces: boolean[] = [];
  const token = new RegExp(TOKEN);
  let match = token.exec(source);
  while (match !== null) {
    const [text] = match;
    if (text.startsWith('"')) keep(match.index, text.slice(1, -1));
    if (text === "{") braces.push(false);
    if (text === "`" || (text === "}" && braces.pop() === true)) {
      const end = endOfTemplatePart(source, token.lastIndex);
      keep(match.index, source.slice(token.lastIndex, end.index));
      if (end.isExpression) braces.push(true);
      token.lastIndex = end.index + (end.isExpression ? 2 : 1);
    }
    match = token.exec(source);
  }
  return found;
}

function endOfTemplatePart(source: string, from: number): { readonly index: number; readonly isExpression: boolean } {
  const end = /\\.|`|\$\{/gs;
  end.lastIndex = from;
  let match = end.exec(source);
  while (match?.[0].startsWith("\\")) match = end.exec(source);
  return { index: match?.index ?? source.length, isExpression: match?.[0] === "${" };
}
