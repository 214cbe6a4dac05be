/** A regular expression as a tree. */
export type RegexNode =
  | { readonly kind: "char"; readonly test: CharTest }
  | { readonly kind: "edge"; readonly edge: RegexEdge }
  | { readonly kind: "sequence" | "either"; readonly nodes: readonly RegexNode[] }
  | RegexRepeat;

export interface RegexRepeat {
  readonly kind: "repeat";
  readonly node: RegexNode;
  readonly least: number;
  readonly most: number;
}

export type CharTest = (char: string) => boolean;
/** `^`, `$`, `\b` and `\B`. */
export type RegexEdge = "start" | "end" | "boundary" | "inside";

/** Parses JavaScript's syntax. Throws a `PatternFault` for an expression that is invalid or not supported. */
export function parseRegex(source: string, ignoreCase: boolean): RegexNode {
  const parser: Parser = { chars: [...source], at: 0, depth: 0, ignoreCase };
  const node = parseAlternatives(parser);
  if (parser.at < parser.chars.length) throw new PatternFault("unmatched )");
  return node;
}

/** Thrown inside the parser; `compileLinearRegex` turns it into a failed result. */
export class PatternFault extends Error {}

interface Parser {
  readonly chars: readonly string[];
  readonly ignoreCase: boolean;
  at: number;
  depth: number;
}

const MAX_DEPTH = 100;

function parseAlternatives(parser: Parser): RegexNode {
  parser.depth += 1;
  if (parser.depth > MAX_DEPTH) throw new PatternFault("too many nested groups");
  const nodes = [parseSequence(parser)];
  while (takes(parser, "|")) nodes.push(parseSequence(parser));
  parser.depth -= 1;
  return { kind: "either", nodes };
}

function parseSequence(parser: Parser): RegexNode {
  const nodes: RegexNode[] = [];
  for (let next = peek(parser); next !== undefined && next !== "|" && next !== ")"; next = peek(parser))
    nodes.push(parseRepeated(parser));
  return { kind: "sequence", nodes };
}

function parseRepeated(parser: Parser): RegexNode {
  const node = parseAtom(parser);
  const counts = parseCounts(parser);
  if (counts === null) return node;
  if (node.kind === "edge") throw new PatternFault("nothing to repeat");
  // A lazy quantifier matches the same texts.
  takes(parser, "?");
  return { kind: "repeat", node, ...counts };
}

function parseCounts(parser: Parser): { readonly least: number; readonly most: number } | null {
  if (takes(parser, "*")) return { least: 0, most: Number.POSITIVE_INFINITY };
  if (takes(parser, "+")) return { least: 1, most: Number.POSITIVE_INFINITY };
  if (takes(parser, "?")) return { least: 0, most: 1 };
  if (peek(parser) !== "{") return null;
  const [text, least, comma, most] =
    /^\{(\d{1,4})(,)?(\d{1,4})?\}/.exec(parser.chars.slice(parser.at, parser.at + 12).join("")) ?? [];
  if (text === undefined || (comma === undefined && most !== undefined))
    throw new PatternFault("incomplete quantifier");
  parser.at += text.length;
  const range = {
    least: Number(least),
    most: comma === undefined ? Number(least) : Number(most ?? Number.POSITIVE_INFINITY),
  };
  if (range.least > range.most) throw new PatternFault("numbers out of order in {}");
  return range;
}

function parseAtom(parser: Parser): RegexNode {
  const char = take(parser);
  if (char === "(") return parseGroup(parser);
  if (char === "[") return charNode(parseClass(parser), parser);
  if (char === "^") return { kind: "edge", edge: "start" };
  if (char === "$") return { kind: "edge", edge: "end" };
  if (char === ".") return charNode(".", parser);
  if (char === "\\") return parseEscape(parser);
  if ("*+?{}]".includes(char)) throw new PatternFault(`nothing to repeat or close before ${char}`);
  return charNode(codePoint(char), parser);
}

function parseGroup(parser: Parser): RegexNode {
  if (takes(parser, "?")) {
    const isNamed = takes(parser, "<") && /[A-Za-z_]/.test(peek(parser) ?? "");
    if (isNamed) while (take(parser) !== ">");
    else if (!takes(parser, ":"))
      throw new PatternFault("groups that begin with (? are not supported, except (?: and (?<name>");
  }
  const node = parseAlternatives(parser);
  if (!takes(parser, ")")) throw new PatternFault("a group is not closed");
  return node;
}

function parseEscape(parser: Parser): RegexNode {
  const next = peek(parser);
  if (next === "b" || next === "B") {
    parser.at += 1;
    return { kind: "edge", edge: next === "b" ? "boundary" : "inside" };
  }
  return charNode(parseCharEscape(parser), parser);
}

const CLASSES = "dDwWsS";
const CONTROLS: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", f: "\f", v: "\v", "0": "\0" };

/** An escape for characters outside of a class, as JavaScript writes it. */
function parseCharEscape(parser: Parser): string {
  const char = take(parser);
  return CLASSES.includes(char) ? `\\${char}` : codePoint(escapedChar(char, parser));
}

function escapedChar(char: string, parser: Parser): string {
  const control = Object.hasOwn(CONTROLS, char) ? CONTROLS[char] : undefined;
  if (control !== undefined) return control;
  if (char === "x" || char === "u") {
    const rest = parser.chars.slice(parser.at, parser.at + 10).join("");
    const [text, braced, plain] =
      (char === "x" ? /^()([\da-f]{2})/i : /^(?:\{([\da-f]{1,6})\}|([\da-f]{4}))/i).exec(rest) ?? [];
    const code = Number.parseInt(braced || plain || "", 16);
    if (text === undefined || code > 0x10ffff) throw new PatternFault(`invalid escape \\${char}`);
    parser.at += text.length;
    return String.fromCodePoint(code);
  }
  if (/[A-Za-z0-9]/.test(char)) throw new PatternFault(`\\${char} is not supported`);
  return char;
}

function parseClass(parser: Parser): string {
  const isNegated = takes(parser, "^");
  let items = "";
  while (!takes(parser, "]")) items += parseClassItem(parser);
  return `[${isNegated ? "^" : ""}${items}]`;
}

function parseClassItem(parser: Parser): string {
  const first = parseClassChar(parser);
  const isRange = peek(parser) === "-" && ![undefined, "]"].includes(parser.chars[parser.at + 1]);
  if (first.class !== undefined) return first.class;
  if (!isRange) return codePoint(first.char);
  parser.at += 1;
  const last = parseClassChar(parser);
  if (last.class !== undefined || codeOf(first.char) > codeOf(last.char))
    throw new PatternFault("a range in [] is out of order");
  return `${codePoint(first.char)}-${codePoint(last.char)}`;
}

/** One character, or the characters of an escape such as `\d`. */
function parseClassChar(
  parser: Parser,
): { readonly class?: never; readonly char: string } | { readonly class: string } {
  const char = take(parser);
  if (char !== "\\") return { char };
  const next = take(parser);
  if (CLASSES.includes(next)) return { class: `\\${next}` };
  return { char: next === "b" ? "\b" : escapedChar(next, parser) };
}

const codeOf = (char: string): number => char.codePointAt(0) ?? -1;
const peek = ({ chars, at }: Parser): string | undefined => chars[at];

function take(parser: Parser): string {
  const char = peek(parser);
  if (char === undefined) throw new PatternFault("it ends too early");
  parser.at += 1;
  return char;
}

function takes(parser: Parser, char: string): boolean {
  if (peek(parser) !== char) return false;
  parser.at += 1;
  return true;
}

/** A character that stands for itself wherever JavaScript reads it. */
const codePoint = (char: string): string => `\\u{${codeOf(char).toString(16)}}`;

/** JavaScript's own engine says which characters match, so case, negation and classes are as it has them. */
function charNode(source: string, { ignoreCase }: Parser): RegexNode {
  const one = new RegExp(`^${source}$`, ignoreCase ? "ui" : "u");
  return { kind: "char", test: (char) => one.test(char) };
}
