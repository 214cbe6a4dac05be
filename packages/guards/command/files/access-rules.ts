import { namesIn, tableOf } from "../../../../src/protocol/json/table.ts";
import { kindOf } from "../../../../src/shell/programs.ts";
import type { Call } from "../call.ts";
import { rowFinder } from "../named-rows.ts";
import { hasOption, type OptionSpec, optionValues, type ParsedOptions, parseOptions } from "../options.ts";
import { wrapperOf } from "../started/wrappers.ts";
import table from "./access-rules.json" with { type: "json" };
import { type AccessKind, type AccessRule, files, type NamedFile, type Transfer, transferred } from "./named-file.ts";
import { SPECIAL_RULES, type SpecialRule, script } from "./special-rules.ts";

/** The files among the arguments of a program. A row without any field: it uses no files. */
interface AccessRow extends OptionSpec {
  readonly operands?: AccessKind;
  /** All operands but the first, if the program uses them in another way. */
  readonly others?: AccessKind;
  /** The number of operands before the files. */
  readonly skipped?: number;
  /** Options that give a pattern or a script; without any of them it is the first operand. */
  readonly script?: string;
  /** Options whose value is a file. */
  readonly reads?: string;
  readonly writes?: string;
  /** Options with which the operands are written, and those with which they are only read. `-i=x`: with this value. */
  readonly inPlace?: string;
  readonly keeps?: string;
  readonly transfer?: Transfer;
  /** A rule in code (`special-rules.ts`). */
  readonly rule?: SpecialRule;
}

const rowOf = rowFinder<AccessRow>(tableOf(table));

/** The files that a program has as its arguments. */
export function accessRules(call: Call): readonly NamedFile[] {
  const row = rowOf(call.program);
  if (row !== undefined) return filesOfRow(row, call);
  if (wrapperOf(call) !== null) return [];
  const kind = kindOf(call.program);
  return kind === "shell" || kind === "interpreter" ? script(call) : unknownProgram(call);
}

function filesOfRow(row: AccessRow, call: Call): readonly NamedFile[] {
  const { rule, transfer, reads = "", writes = "" } = row;
  if (rule !== undefined) return SPECIAL_RULES[rule](call);
  const values = [row.values ?? "", reads, writes].filter((names) => names !== "").join(" ");
  const parsed = parseOptions(call.args, { ...row, values });
  if (transfer !== undefined) return transferred(parsed, transfer);
  return [
    ...files("read", optionValues(parsed, reads)),
    ...filesOfOperands(row, parsed),
    ...files("write", optionValues(parsed, writes)),
  ];
}

function filesOfOperands(row: AccessRow, parsed: ParsedOptions): readonly NamedFile[] {
  const { operands, others, inPlace = "", keeps = "", script } = row;
  if (operands === undefined) return [];
  const isGiven = script === undefined || hasOption(parsed, script);
  const [first, ...rest] = parsed.operands.slice((row.skipped ?? 0) + (isGiven ? 0 : 1));
  if (first === undefined) return [];
  const kind = hasValue(parsed, inPlace) ? "write" : hasOption(parsed, keeps) ? "read" : operands;
  return [...files(kind, [first]), ...files(others ?? kind, rest)];
}

/** True if one of the options is there, with its value if one is written after `=`. */
const hasValue = ({ options }: ParsedOptions, names: string): boolean =>
  namesIn(names).some((one) => {
    const [name, value] = one.split("=");
    return options.some((option) => option.name === name && (value === undefined || option.value?.text === value));
  });

/** Treats each argument of an unknown program as a file. */
const unknownProgram: AccessRule = ({ args }) =>
  args.flatMap((word): readonly NamedFile[] => {
    const { text } = word;
    if (!text.startsWith("-")) return files("use", [text.startsWith("@") ? { ...word, text: text.slice(1) } : word]);
    const value = /^--?[\w-]+=(.+)$/s.exec(text)?.[1];
    return files("use", value === undefined ? [] : [{ ...word, text: value }]);
  });
