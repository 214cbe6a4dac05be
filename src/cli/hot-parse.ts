import {
  type CommandLine,
  type CommandName,
  OPTION_TABLE,
  type OptionRow,
  type OptionValue,
  optionsOf,
} from "./option-table.ts";

/** The verbs on the hot path. */
export type HotLine = CommandLine & { readonly command: "run" | "list" | "bridge" };

const HOT_VERBS = ["run", "list", "bridge"] as const;
const WORDS = { run: 1, list: 0, bridge: 1 } as const;
const GLOBAL = OPTION_TABLE.filter((row) => row.commands === undefined);

/**
 * Takes apart the command lines that agents use, without commander (5 ms). Null: anything unusual, and commander
 * decides. What it accepts, commander would accept with the same meaning.
 */
export function hotParse(argv: readonly string[]): HotLine | null {
  const options: Record<string, OptionValue> = {};
  const words: string[] = [];
  let verb: HotLine["command"] | null = null;
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
    setFlag(options, row, value?.text ?? "");
    if (isTwice(row, word)) setFlag(options, row, "");
  }
  return verb === null || words.length !== WORDS[verb] ? null : { command: verb, args: words, options };
}

/** `-vv` is `-v -v`; other bundles of short options are left to commander. */
function rowFor(word: string, verb: CommandName | null): OptionRow | null {
  const name = word.split("=", 1)[0] ?? "";
  const rows = verb === null ? GLOBAL : optionsOf(verb);
  const row = rows.find((one) => one.name === name || one.short === word || isTwice(one, word)) ?? null;
  const takesValue = row?.kind === "value" || row?.kind === "list";
  return row !== null && name !== word && !takesValue ? null : row;
}

const isTwice = ({ kind, short }: OptionRow, word: string): boolean =>
  kind === "count" && short !== undefined && word === `${short}${short.slice(1)}`;

function valueFor(word: string, next: string | undefined): { text: string | null; isNextWord: boolean } {
  const equals = word.indexOf("=");
  if (equals >= 0) return { text: equals === word.length - 1 ? null : word.slice(equals + 1), isNextWord: false };
  const isUsable = next !== undefined && next !== "" && !next.startsWith("-");
  return { text: isUsable ? next : null, isNextWord: true };
}

function setFlag(options: Record<string, OptionValue>, row: OptionRow, value: string): void {
  const before = options[row.name];
  if (row.kind === "switch") options[row.name] = true;
  else if (row.kind === "count") options[row.name] = typeof before === "number" ? before + 1 : 1;
  else if (row.kind === "value") options[row.name] = value;
  else options[row.name] = [...(Array.isArray(before) ? before : []), value];
}
