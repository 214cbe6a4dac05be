import { posix } from "node:path";
import { nameSet, namesIn, tableOf } from "../../../src/protocol/json/table.ts";
import { UNKNOWN } from "../../../src/shell/unknown.ts";
import type { Call, Word } from "../command/call.ts";
import type { ParsedOption } from "../command/options.ts";
import { isSocketPath } from "../command/paths.ts";
import table from "./intents.json" with { type: "json" };

/** The tables by which differently written commands get the same name. */
interface IntentTable {
  /** The rules with the same effect, by the name that stands for all of them. */
  readonly sameEffect: Readonly<Record<string, string>>;
  /** Commands of programs with the same meaning. */
  readonly synonyms: Readonly<Record<string, string>>;
  /** Options that only change what is printed, or how long a program waits. */
  readonly ignored: string;
  /** Options that name the folder in which a program works. */
  readonly folders: string;
}

export const INTENTS = tableOf<IntentTable>(table);

const SYNONYMS = new Map(
  Object.entries(INTENTS.synonyms).flatMap(([name, words]) => namesIn(words).map((word) => [word, name] as const)),
);
const IGNORED = nameSet(INTENTS.ignored);
const FOLDERS = nameSet(INTENTS.folders);

/** A text without the characters that only quote. */
export const plainText = (text: string): string =>
  text
    .replace(/["'\\{}]/g, "")
    .replace(/\s+/g, " ")
    .trim();

/** A path as the target of a finding: everything in a folder is the folder, an unknown path is what was written. */
export function pathTarget(path: string, source: string): string {
  if (path.includes(UNKNOWN)) return `? ${plainText(source)}`;
  return path.replace(/(?:\/(?:\.?\*+|\.\[!\.\]\*|\.\?\?\*))+$/, "") || "/";
}

/** The arguments of a program, as `readCommandLine` returns them. */
interface Arguments {
  readonly operands: readonly { readonly word: Word }[];
  readonly options: readonly ParsedOption[];
}

/**
 * The target of a command line without a rule of its own: the program and all values in it, in any order. The folder is a
 * part of it only if the command line names nothing else: `terraform destroy`.
 */
export function commandTarget(program: string, { operands, options }: Arguments, call: Call): string {
  const named = options.flatMap(({ name, value }) => (value === null ? [] : [{ name, value }]));
  const folders = named.filter(({ name }) => FOLDERS.has(name));
  const values = named.filter(({ name }) => !FOLDERS.has(name) && !IGNORED.has(name));
  const words = [...operands.map(({ word }) => word), ...values.map(({ value }) => value)].map(wordName);
  const folder = posix.resolve(call.folder ?? "/", ...folders.map(({ value }) => value.text));
  const place = words.length > MOST_VERBS ? [] : [`in ${call.folder === null ? "?" : folder}`];
  return [program, ...[...new Set([...words, ...socketsOf(call)])].sort(), ...place].join(" ");
}

/** The machines to which the call, or a wrapper such as sudo around it, is connected. */
const socketsOf = ({ redirections, parent }: Call): readonly string[] => [
  ...redirections.flatMap(({ target: { text } }) => (isSocketPath(text) ? [text] : [])),
  ...(parent?.relation === "wrapper" ? socketsOf(parent.call) : []),
];

/** Words of which a command line consists that names no target: `migrate reset`. */
const MOST_VERBS = 2;

const wordName = ({ text, source }: Word): string =>
  text.includes(UNKNOWN) ? `? ${plainText(source)}` : (SYNONYMS.get(text) ?? text);
