import { namesIn, tableOf } from "../../../src/protocol/json/table.ts";
import { UNKNOWN } from "../../../src/shell/unknown.ts";
import type { Word } from "./call.ts";
import transferTable from "./transfer-options.json" with { type: "json" };

/**
 * The options of a program as they are written, separated by spaces: `-o --output`. Only those that take a value or may be
 * abbreviated have to be listed.
 */
export interface OptionSpec {
  /** Options that take a value. */
  readonly values?: string;
  /** Long options without a value, so that their abbreviations are recognized. */
  readonly flags?: string;
  /** Short options whose value is the optional rest of their word: `-i` of sed. */
  readonly attached?: string;
  /** True if options end at the first operand: sudo, env. */
  readonly endsAtOperand?: boolean;
  /** True if `-name` is one long option: find, terraform. */
  readonly hasSingleDash?: boolean;
  /** True if the name of a signal is one option: `pkill -USR1`. */
  readonly hasSignals?: boolean;
}

export interface ParsedOption {
  /** With its dashes; the full name of an abbreviated long option. */
  readonly name: string;
  readonly value: Word | null;
  readonly word: Word;
}

export interface ParsedOptions {
  readonly options: readonly ParsedOption[];
  readonly operands: readonly Word[];
  /** True if a word that is known only at run time may be an option. */
  readonly hasUnknown: boolean;
}

interface Reading {
  readonly args: readonly Word[];
  readonly spec: OptionSpec;
  readonly options: ParsedOption[];
  /** The index of the next word. */
  next: number;
}

/** Reads the arguments of a program as getopt does: options may follow operands, `--` ends them. */
export function parseOptions(args: readonly Word[], spec: OptionSpec = {}): ParsedOptions {
  const reading: Reading = { args, spec, options: [], next: 0 };
  const operands: Word[] = [];
  let hasUnknown = false;
  while (reading.next < args.length) {
    const word = args[reading.next++] as Word;
    const { text } = word;
    if (text === "--") break;
    if (text.startsWith(UNKNOWN) || (text.startsWith("-") && dashes(text).includes(UNKNOWN))) hasUnknown = true;
    if (!text.startsWith("-") || text === "-") {
      operands.push(word);
      if (spec.endsAtOperand === true) break;
    } else if (text.startsWith("--") || spec.hasSingleDash === true || (spec.hasSignals === true && SIGNAL.test(text)))
      readLong(word, reading);
    else readShort(word, reading);
  }
  return { options: reading.options, operands: [...operands, ...args.slice(reading.next)], hasUnknown };
}

const SIGNAL =
  /^-(?:SIG)?(?:HUP|INT|QUIT|ILL|TRAP|ABRT|BUS|FPE|KILL|USR[12]|SEGV|PIPE|ALRM|TERM|CHLD|CONT|STOP|TSTP|TTIN|TTOU|URG|WINCH|IO|PWR|SYS|RTM(?:IN|AX)(?:[+-]\d+)?)$/;

/** True if one of the options, which are separated by spaces, is there. */
export const hasOption = ({ options }: Pick<ParsedOptions, "options">, names: string): boolean =>
  options.some(({ name }) => namesIn(names).includes(name));

/** The values of these options, in the order of the command. */
export const optionValues = ({ options }: Pick<ParsedOptions, "options">, names: string): readonly Word[] =>
  options.flatMap(({ name, value }) => (value !== null && namesIn(names).includes(name) ? [value] : []));

/** The part of an option's word that names options. */
const dashes = (text: string): string => text.split("=", 1)[0] ?? text;

function readLong(word: Word, reading: Reading): void {
  const written = dashes(word.text);
  const values = namesIn(reading.spec.values ?? "");
  const name = fullName(written, [...values, ...namesIn(reading.spec.flags ?? "")]);
  if (written.length < word.text.length) {
    reading.options.push({ name, value: partOf(word, word.text.slice(written.length + 1)), word });
    return;
  }
  reading.options.push({ name, value: values.includes(name) ? following(reading) : null, word });
}

/** GNU programs accept each unambiguous beginning of a long option. */
function fullName(written: string, known: readonly string[]): string {
  if (known.includes(written) || !written.startsWith("--")) return written;
  const possible = known.filter((name) => name.startsWith(written));
  return possible.length === 1 ? (possible[0] ?? written) : written;
}

function readShort(word: Word, reading: Reading): void {
  const values = namesIn(reading.spec.values ?? "");
  const attached = namesIn(reading.spec.attached ?? "");
  const { text } = word;
  for (let at = 1; at < text.length; at++) {
    const name = `-${text[at]}`;
    const rest = text.slice(at + 1);
    const takesRest = attached.includes(name);
    if (!takesRest && !values.includes(name)) {
      reading.options.push({ name, value: null, word });
      continue;
    }
    const own = rest === "" ? null : partOf(word, rest);
    reading.options.push({ name, value: takesRest ? own : (own ?? following(reading)), word });
    return;
  }
}

const following = (reading: Reading): Word | null => reading.args[reading.next++] ?? null;

const partOf = (word: Word, text: string): Word => ({ ...word, text });

/** The options of curl and wget that take a value, and long ones without. */
export const { curl: CURL, wget: WGET } = tableOf<Readonly<Record<"curl" | "wget", OptionSpec>>>(transferTable);
