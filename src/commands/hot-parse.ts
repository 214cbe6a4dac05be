import type { HotLine } from "./dispatch.ts";
import { FLAG_TABLE, type FlagRow, flagsOf, type RawFlag, type Verb } from "./flag-table.ts";

const HOT_VERBS = ["run", "list", "bridge"] as const;
const WORDS = { run: 1, list: 0, bridge: 1 } as const;
const GLOBAL = FLAG_TABLE.filter((row) => row.verbs === undefined);

/**
 * Takes apart the command lines that agents use, without commander (5 ms). Null: anything unusual, and commander
 * decides. What it accepts, commander would accept with the same meaning.
 */
export function hotParse(argv: readonly string[]): HotLine | null {
  const flags: Record<string, RawFlag> = {};
  const words: string[] = [];
  let verb: HotLine["verb"] | null = null;
  for (let index = 0; index < argv.length; index++) {
    const word = argv[index] ?? "";
    if (!word.startsWith("-")) {
      if (verb !== null) words.push(word);
      else {
        verb = HOT_VERBS.find((known) => known === word) ?? null;
        if (verb === null) return null;
      }
      continue;
    }
    const row = rowFor(word, verb);
    if (row === null) return null;
    const value = row.kind === "value" || row.kind === "list" ? valueFor(word, argv[index + 1]) : null;
    if (value?.text === null) return null;
    if (value?.isNextWord) index++;
    setFlag(flags, row, value?.text ?? "");
    if (isTwice(row, word)) setFlag(flags, row, "");
  }
  return verb === null || words.length !== WORDS[verb] ? null : { verb, words, flags };
}

/** `-vv` is `-v -v`; other bundles of short flags are left to commander. */
function rowFor(word: string, verb: Verb | null): FlagRow | null {
  const name = word.split("=", 1)[0] ?? "";
  const rows = verb === null ? GLOBAL : flagsOf(verb);
  const row = rows.find((one) => one.name === name || one.short === word || isTwice(one, word)) ?? null;
  const takesValue = row?.kind === "value" || row?.kind === "list";
  return row !== null && name !== word && !takesValue ? null : row;
}

const isTwice = ({ kind, short }: FlagRow, word: string): boolean =>
  kind === "count" && short !== undefined && word === `${short}${short.slice(1)}`;

function valueFor(word: string, next: string | undefined): { text: string | null; isNextWord: boolean } {
  const equals = word.indexOf("=");
  if (equals >= 0) return { text: equals === word.length - 1 ? null : word.slice(equals + 1), isNextWord: false };
  const isUsable = next !== undefined && next !== "" && !next.startsWith("-");
  return { text: isUsable ? next : null, isNextWord: true };
}

function setFlag(flags: Record<string, RawFlag>, row: FlagRow, value: string): void {
  const before = flags[row.name];
  if (row.kind === "switch") flags[row.name] = true;
  else if (row.kind === "count") flags[row.name] = typeof before === "number" ? before + 1 : 1;
  else if (row.kind === "value") flags[row.name] = value;
  else flags[row.name] = [...(Array.isArray(before) ? before : []), value];
}
