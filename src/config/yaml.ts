import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type ParsedNode,
  parseDocument,
  type YAMLMap,
  type YAMLParseError,
  type YAMLWarning,
} from "yaml";
import { fail, ok, type Result } from "../protocol/result.ts";

/** A key or an index in a path. */
export type PathKey = string | number;

/** A YAML document as JSON text. Its numbers have all their digits. */
export interface YamlText {
  /** Null if the document is empty. */
  readonly json: string | null;
  /** The line of the value at a path, from 1; of the nearest enclosing value if there is none. */
  readonly lineOf: (path: readonly PathKey[]) => number;
}

export interface YamlFault {
  /** Null if the fault is not at one position. */
  readonly at: { readonly line: number; readonly column: number } | null;
  readonly cause: string;
}

/** A fault that is found while the document is converted. */
class ConversionError extends Error {
  readonly node: Node | null;
  constructor(cause: string, node: Node | null) {
    super(cause);
    this.node = node;
  }
}

/** A number as JSON writes it: JavaScript would round its digits. */
class YamlNumber {
  readonly digits: string;
  constructor(digits: string) {
    this.digits = digits;
  }
}

const INTEGER = /^[-+]?(?:0b[01_]+|0x[0-9a-fA-F_]+|0o[0-7_]+|[0-9][0-9_]*)(?<!_)$/;
const FLOAT = /^[-+]?(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9_]+)(?:[eE][-+]?[0-9]+)?(?<!_)$/;
const JSON_NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$/;

function jsonNumber(text: string): YamlNumber {
  const sign = text.startsWith("-") ? "-" : "";
  const body = text.replace(/^[-+]/, "").replaceAll("_", "");
  if (/^0[box]/.test(body)) return new YamlNumber(`${sign}${BigInt(body)}`);
  const digits = body
    .replace(/^0+(?=[0-9])/, "")
    .replace(/^\./, "0.")
    .replace(/\.(?![0-9])/, "");
  return new YamlNumber(JSON_NUMBER.test(sign + digits) ? sign + digits : String(Number(sign + digits)));
}

/** Characters that YAML forbids, which the parser accepts: a file in UTF-16 is full of them. */
const NOT_PRINTABLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it finds
  /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/** YAML 1.2 without dates, infinity and NaN, which JSON does not have: they are texts. */
const TAGS = [
  { tag: "tag:yaml.org,2002:null", default: true, test: /^(?:~|[Nn]ull|NULL)?$/, resolve: () => null },
  {
    tag: "tag:yaml.org,2002:bool",
    default: true,
    test: /^(?:[Tt]rue|TRUE|[Ff]alse|FALSE)$/,
    resolve: (text: string) => text.toLowerCase() === "true",
  },
  { tag: "tag:yaml.org,2002:int", default: true, test: INTEGER, resolve: jsonNumber },
  { tag: "tag:yaml.org,2002:float", default: true, test: FLOAT, resolve: jsonNumber },
];

/** The parser's message without the text of the file that it may quote after a colon, which may be a secret. */
function causeOf({ code, message }: YAMLParseError | YAMLWarning): string {
  if (code === "MULTIPLE_DOCS") return "expected a single document in the stream, but found more";
  return message.replace(/^Unresolved tag:/, "unknown tag").replace(/: .*/s, "");
}

/**
 * Reads one YAML document. `longestAliases`: how many characters all aliases together may expand to, because a few lines
 * of aliases of aliases can expand to gigabytes.
 */
export function readYaml(text: string, longestAliases: number): Result<YamlText, YamlFault> {
  const lines = new LineCounter();
  const faultAt = (offset: number | undefined, cause: string) => {
    const { line, col } = lines.linePos(offset ?? 0);
    return fail({ at: offset === undefined ? null : { line, column: col }, cause });
  };
  const forbidden = NOT_PRINTABLE.exec(text);
  if (forbidden !== null) {
    const before = text.slice(0, forbidden.index).split("\n");
    const at = { line: before.length, column: (before.at(-1) ?? "").length + 1 };
    return fail({ at, cause: "the stream contains non-printable characters" });
  }
  try {
    // Its own check for duplicate keys compares each key with all others.
    const options = {
      schema: "failsafe",
      customTags: TAGS,
      uniqueKeys: false,
      resolveKnownTags: false,
      prettyErrors: false,
    } as const;
    const document = parseDocument(text.replace(/^\ufeff/, ""), { ...options, lineCounter: lines });
    const [fault] = [...document.errors, ...document.warnings];
    if (fault !== undefined) return faultAt(fault.pos[0], causeOf(fault));
    const root = document.contents;
    const json = root === null ? null : new Converter(longestAliases).valueOf(root).json;
    return ok({ json, lineOf: (path) => lineOf(root, path, lines) });
  } catch (error) {
    if (error instanceof ConversionError) return faultAt(error.node?.range?.[0], error.message);
    // The parser recurses: brackets that are nested very deeply exhaust the stack.
    return fail({ at: null, cause: "not YAML" });
  }
}

/** The JSON text of a node, and of each member of a mapping. */
interface Converted {
  readonly json: string;
  readonly members: ReadonlyMap<string, string> | null;
}

/** A value with an anchor. */
interface Anchored extends Converted {
  /** How many characters it has in the file, with all that its aliases stand for. */
  readonly length: number;
}

class Converter {
  private readonly longestAliases: number;
  private expandedLength = 0;
  /** The values with an anchor so far; null while a value is still being converted, so that it cannot contain itself. */
  private readonly anchors = new Map<string, Anchored | null>();

  constructor(longestAliases: number) {
    this.longestAliases = longestAliases;
  }

  valueOf(node: Node | null): Converted {
    if (node === null) return { json: "null", members: null };
    if (isAlias(node)) return this.expanded(node.source, node);
    const anchor = isScalar(node) || isMap(node) || isSeq(node) ? node.anchor : undefined;
    if (anchor === undefined) return this.converted(node);
    this.anchors.set(anchor, null);
    const before = this.expandedLength;
    const converted = this.converted(node);
    const [start, end] = node.range ?? [0, 0];
    this.anchors.set(anchor, { ...converted, length: end - start + this.expandedLength - before });
    return converted;
  }

  private expanded(name: string, node: Node): Converted {
    const value = this.anchors.get(name);
    if (value === undefined) throw new ConversionError(`unidentified alias "${name}"`, node);
    if (value === null) throw new ConversionError("a value contains itself", node);
    this.expandedLength += value.length;
    if (this.expandedLength > this.longestAliases)
      throw new ConversionError(`its aliases expand to more than ${this.longestAliases / MIB} MiB`, null);
    return value;
  }

  private converted(node: Node): Converted {
    if (isMap<Node, Node | null>(node)) return this.mapping(node);
    if (isSeq<Node>(node))
      return { json: `[${node.items.map((item) => this.valueOf(item).json).join(",")}]`, members: null };
    const value = isScalar(node) ? node.value : null;
    return { json: value instanceof YamlNumber ? value.digits : JSON.stringify(value), members: null };
  }

  private mapping(node: YAMLMap<Node, Node | null>): Converted {
    const members = new Map<string, string>();
    const written = new Set<string>();
    for (const { key, value } of node.items) {
      if (isMergeKey(key)) {
        this.merge(value, members);
        continue;
      }
      const name = this.keyText(key);
      if (written.has(name)) throw new ConversionError("duplicated mapping key", key);
      written.add(name);
      members.set(name, this.valueOf(value).json);
    }
    const texts = [...members].map(([name, json]) => `${JSON.stringify(name)}:${json}`);
    return { json: `{${texts.join(",")}}`, members };
  }

  /** `<<: *a` adds the members of one or several mappings. The mapping's members take precedence. */
  private merge(source: Node | null, members: Map<string, string>): void {
    for (const item of isSeq<Node>(source) ? source.items : [source]) {
      const { members: merged } = this.valueOf(item);
      if (merged === null)
        throw new ConversionError("cannot merge mappings; the provided source object is unacceptable", item);
      for (const [name, json] of merged) if (!members.has(name)) members.set(name, json);
    }
  }

  private keyText(key: Node): string {
    return isScalar(key) ? scalarKey(key.value) : this.valueOf(key).json;
  }
}

const MIB = 1024 * 1024;

const scalarKey = (value: unknown): string => (value instanceof YamlNumber ? value.digits : String(value));

const isMergeKey = (key: Node): boolean => isScalar(key) && key.value === "<<" && key.type === "PLAIN";

/** The line of a member is that of its key. The members of an alias have the line of the alias. */
function lineOf(root: ParsedNode | null, path: readonly PathKey[], lines: LineCounter): number {
  let node: Node | null = root;
  let place: Node | null = root;
  for (const name of path) {
    if (isSeq<Node>(node)) {
      const item: Node | undefined = typeof name === "number" ? node.items[name] : undefined;
      if (item === undefined) break;
      [node, place] = [item, item];
    } else {
      const pair = isMap<Node, Node | null>(node)
        ? node.items.find(({ key }) => isScalar(key) && scalarKey(key.value) === name)
        : undefined;
      if (pair === undefined) break;
      [node, place] = [pair.value, pair.key];
    }
  }
  return lines.linePos(place?.range?.[0] ?? 0).line;
}
