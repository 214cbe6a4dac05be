import { namesIn, tableOf } from "../../../../src/protocol/json/table.ts";
import type { Call } from "../../command/call.ts";
import { rowFinder } from "../../command/named-rows.ts";
import { hasOption, type OptionSpec, optionValues, parseOptions } from "../../command/options.ts";
import table from "./filters.json" with { type: "json" };

/** How a program is called to print only the names of lines `NAME=value`. */
interface Filter extends OptionSpec {
  /** Options that it needs, with patterns for their values. */
  readonly needs?: Readonly<Record<string, string>>;
  /** A pattern for its scripts: the values of the options `scripts`, or else the first operand. */
  readonly script?: string;
  readonly scripts?: string;
  /** Options of which it needs one, and those that change nothing. Any other may show values. */
  readonly only?: string;
  readonly others?: string;
}

const filterNamed = rowFinder<Filter>(tableOf(table));

/** True if a program prints only the names of lines `NAME=value`, as `cut -d= -f1` and `awk -F= '{print $1}'` do. */
export function showsNamesOnly({ program, args }: Pick<Call, "program" | "args">): boolean {
  const row = filterNamed(program);
  if (row === undefined) return false;
  const { needs = {}, script, scripts = "", only = "", others = "" } = row;
  const parsed = parseOptions(args, row);
  const given = optionValues(parsed, scripts);
  const texts = [
    ...Object.entries(needs).map(([names, pattern]) => ({ words: optionValues(parsed, names), pattern })),
    ...(script === undefined
      ? []
      : [{ words: given.length > 0 ? given : parsed.operands.slice(0, 1), pattern: script }]),
  ];
  const known = [...Object.keys(needs), scripts, only, others].flatMap(namesIn);
  return (
    !parsed.hasUnknown &&
    (only === "" || hasOption(parsed, only)) &&
    parsed.options.every(({ name }) => known.includes(name)) &&
    texts.every(({ words, pattern }) => words.length > 0 && words.every(({ text }) => new RegExp(pattern).test(text)))
  );
}
