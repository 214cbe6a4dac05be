import { CORE_SCHEMA, load, type State, Type, YAMLException } from "js-yaml";
import { faultText, type JsonSpan, readJson } from "../protocol/json/read.ts";
import { arrayEnd, objectEnd, type Scan, skipSpace } from "../protocol/json/scan.ts";
import { fail, ok, type Result } from "../protocol/result.ts";

/** The value of a JSON or YAML text. Its numbers keep their digits. */
export interface LocatedText {
  readonly value: JsonSpan;
  /** The line of the value at a path, from 1; of the nearest enclosing value if there is none. */
  readonly lineOf: (path: readonly PathKey[]) => number;
}

interface TextFault {
  readonly line: number | null;
  readonly cause: string;
}

const DEPTH = 64;

/** Parses a text by the ending of its file's name: strict JSON, else YAML. */
export function readLocated(text: string, file: string): Result<LocatedText, TextFault> {
  const plain = text.replace(/^\ufeff/, "");
  if (!file.endsWith(".json")) return readYaml(plain);
  const read = readJson(plain, DEPTH);
  if (!read.ok) return fail({ line: read.error.line, cause: faultText(read.error) });
  return ok({ value: read.value, lineOf: (path) => lineAt(plain, jsonOffset(plain, path)) });
}

function readYaml(text: string): Result<LocatedText, TextFault> {
  let found: ReturnType<typeof readLocatedYaml>;
  try {
    found = readLocatedYaml(text);
  } catch (error) {
    // The parser's whole message quotes the file, which may hold a secret.
    return fail(
      error instanceof YAMLException
        ? { line: error.mark === undefined ? null : error.mark.line + 1, cause: error.reason }
        : { line: null, cause: "not YAML" },
    );
  }
  if (found === null) return fail({ line: null, cause: "its aliases expand to more than 16 MiB" });
  const read = readJson(found.json, DEPTH);
  if (!read.ok) return fail({ line: null, cause: faultText(read.error) });
  return ok({ value: read.value, lineOf: found.lineOf });
}

/** The offset of the value at a path, or of the last value on the path. */
function jsonOffset(text: string, path: readonly PathKey[]): number {
  const scan: Scan = { text, maxDepth: Number.POSITIVE_INFINITY, openObject: null, fault: null };
  let at = skipSpace(text, 0);
  for (const key of path) {
    const starts = new Map<PathKey, number>();
    if (text[at] === "{") objectEnd(scan, at, 0, (start, _end, name) => starts.set(name, start));
    if (text[at] === "[") arrayEnd(scan, at, 0, (start) => starts.set(starts.size, start));
    const next = starts.get(key);
    if (next === undefined) break;
    at = next;
  }
  return at;
}

const lineAt = (text: string, offset: number): number => text.slice(0, offset).split("\n").length;

/** A key or an index in a path. */
export type PathKey = string | number;

interface LocatedYaml {
  readonly json: string;
  readonly lineOf: (path: readonly PathKey[]) => number;
}

const BIGGEST = 16 * 1024 * 1024;

/** Reads one YAML document as JSON text with the line of each value. Throws what the parser throws; null: too large. */
function readLocatedYaml(text: string): LocatedYaml | null {
  const open: YamlNode[] = [{ line: 1, result: null, parts: [] }];
  const listener = (event: "open" | "close", state: State): void => {
    if (event === "open") open.push({ line: lineAfterSpace(state), result: null, parts: [] });
    else closeNode(open, state.result);
  };
  const found = load(text, { schema: SCHEMA, listener: (event, state) => listener(event, state) }) ?? null;
  const json = jsonOf(found);
  const [root] = open[0]?.parts ?? [];
  return json === null ? null : { json, lineOf: (path) => lineOf(root, path) };
}

/** A node as the parser reports it: the parts of a mapping are its keys and values, alternating. */
interface YamlNode {
  readonly line: number;
  readonly result: unknown;
  readonly parts: YamlNode[];
}

function closeNode(open: YamlNode[], result: unknown): void {
  const node = open.pop();
  if (node === undefined) return;
  // While it looks for a mapping, the parser reports a value once more inside itself.
  const last = node.parts.at(-1);
  const isSame = last !== undefined && typeof result === "object" && last.result === result;
  open.at(-1)?.parts.push({ ...node, result, parts: isSame ? last.parts : node.parts });
}

const SPACE = /(?:\s|#[^\n]*)*/y;

/** The parser opens a node before the space and the comments in front of it. */
function lineAfterSpace({ input, position, line }: State): number {
  SPACE.lastIndex = position;
  const space = SPACE.exec(input)?.[0] ?? "";
  return line + space.split("\n").length;
}

function lineOf(root: YamlNode | undefined, path: readonly PathKey[]): number {
  let node = root;
  let line = node?.line ?? 1;
  for (const key of path) {
    const at: Located | undefined = node === undefined ? undefined : partAt(node, key);
    if (at === undefined) break;
    node = at.node;
    line = at.line;
  }
  return line;
}

interface Located {
  readonly line: number;
  readonly node: YamlNode | undefined;
}

function partAt({ parts, result }: YamlNode, key: PathKey): Located | undefined {
  if (Array.isArray(result)) {
    const node = typeof key === "number" ? parts[key] : undefined;
    return node === undefined ? undefined : { line: node.line, node };
  }
  const value: unknown = isRecord(result) ? result[key] : undefined;
  const at = parts.findIndex((part, index) => keyText(part.result) === key && isPairOf(parts[index + 1], value));
  const found = parts[at];
  return found === undefined ? undefined : { line: found.line, node: parts[at + 1] };
}

/** A mapping of the file could have a member `toString`. */
const keyText = (key: unknown): string | null =>
  typeof key === "object" && key !== null && !(key instanceof YamlNumber) ? null : String(key);

/** A key of a flow mapping may have no value. */
const isPairOf = (next: YamlNode | undefined, value: unknown): boolean => value === null || next?.result === value;

const isRecord = (value: unknown): value is Readonly<Record<PathKey, unknown>> =>
  typeof value === "object" && value !== null;

/** A number as its digits: JavaScript would round them. */
class YamlNumber {
  readonly digits: string;
  constructor(digits: string) {
    this.digits = digits;
  }
  /** The parser takes the text of a key only from a class with a tag. */
  get [Symbol.toStringTag](): string {
    return "YamlNumber";
  }
  toString(): string {
    return this.digits;
  }
}

const INTEGER = /^[-+]?(?:0b[01]+|0x[0-9a-fA-F]+|0o[0-7]+|[0-9]+)$/;
const FLOAT = /^[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?$/;
const JSON_NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$/;

function jsonNumber(text: string): string {
  const sign = text.startsWith("-") ? "-" : "";
  const body = text.replace(/^[-+]/, "");
  if (/^0[box]/.test(body)) return `${sign}${BigInt(body)}`;
  const plain =
    sign +
    body
      .replace(/^0+(?=[0-9])/, "")
      .replace(/^\./, "0.")
      .replace(/\.(?![0-9])/, "");
  return JSON_NUMBER.test(plain) ? plain : String(Number(plain));
}

const numbers = (name: string, form: RegExp): Type =>
  new Type(`tag:yaml.org,2002:${name}`, {
    kind: "scalar",
    resolve: (text) => typeof text === "string" && form.test(text),
    construct: (text) => new YamlNumber(jsonNumber(String(text))),
  });

/** YAML 1.2 without dates, which JSON does not have, and with `<<`. Infinity and NaN are texts. */
const SCHEMA = CORE_SCHEMA.extend({
  implicit: [
    numbers("int", INTEGER),
    numbers("float", FLOAT),
    new Type("tag:yaml.org,2002:merge", { kind: "scalar", resolve: (text) => text === "<<" }),
  ],
});

/** Null: aliases of aliases would make the text too large. */
function jsonOf(value: unknown): string | null {
  let left = BIGGEST;
  const text = (part: unknown): string => {
    left -= typeof part === "string" ? part.length + 2 : 2;
    if (left < 0) return "";
    if (part instanceof YamlNumber) return part.digits;
    if (Array.isArray(part)) return `[${part.map(text).join(",")}]`;
    if (!isRecord(part)) return JSON.stringify(part ?? null);
    return `{${Object.entries(part)
      .map(([key, member]) => `${JSON.stringify(key)}:${text(member)}`)
      .join(",")}}`;
  };
  const whole = text(value);
  return left < 0 ? null : whole;
}
