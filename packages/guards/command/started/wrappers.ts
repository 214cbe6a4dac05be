import { namesIn, tableOf } from "../../../../src/protocol/json/table.ts";
import { ownValue } from "../../../../src/protocol/own-value.ts";
import type { Call, Word } from "../call.ts";
import { rowFinder } from "../named-rows.ts";
import { type OptionSpec, parseOptions } from "../options.ts";
import launcherTable from "./launchers.json" with { type: "json" };
import wrapperTable from "./wrappers.json" with { type: "json" };

/** A program that starts the program among its arguments. Options are separated by spaces. */
export interface Wrapper extends OptionSpec {
  /** Operands before the program. */
  readonly skipped?: number;
  /** True if `NAME=value` is allowed before the program. */
  readonly hasAssignments?: true;
  /** Options whose value is shell text. */
  readonly texts?: string;
  /** Options whose value is the working directory. */
  readonly folders?: string;
  /** The operands are shell text, together or each of them. */
  readonly text?: "joined" | "each";
  /** True if the program runs on another machine or in a container. */
  readonly isRemote?: true;
  /** Options with which it starts a shell, if no program is named; `always`: without any option. */
  readonly shells?: string;
  /** True if the arguments of the program are not complete: the wrapper adds some. */
  readonly addsArguments?: true;
}

/** Programs that start the program among their arguments. */
const wrapperNamed = rowFinder<Wrapper>(tableOf(wrapperTable));

interface LauncherTable {
  /** Options with a value before the subcommand. */
  readonly globalValues: Readonly<Record<string, string>>;
  readonly launchers: readonly (Wrapper & { readonly commands: readonly string[] })[];
}

/** Commands of programs that start the program among their arguments: `docker exec`, `git bisect run`. */
const { globalValues, launchers } = tableOf<LauncherTable>(launcherTable);

let byCommand: ReadonlyMap<string, Wrapper> | null = null;
let launching: ReadonlySet<string> | null = null;

const launchersByCommand = (): ReadonlyMap<string, Wrapper> => {
  byCommand ??= new Map(launchers.flatMap(({ commands, ...row }) => commands.map((name) => [name, row] as const)));
  return byCommand;
};

const isLauncher = (program: string): boolean => {
  launching ??= new Set([...launchersByCommand().keys()].map((command) => namesIn(command)[0] ?? ""));
  return launching.has(program);
};

/** How a call starts another program, with its arguments; null if it starts none. */
export function wrapperOf({
  program,
  args,
}: Call): { readonly wrapper: Wrapper; readonly args: readonly Word[] } | null {
  const own = wrapperNamed(program);
  if (own !== undefined) return { wrapper: asWrapper(own), args };
  if (!isLauncher(program)) return null;
  let command = program;
  let rest = args;
  for (let level = 0; level < 3; level++) {
    const spec = { values: ownValue(globalValues, program) ?? "", endsAtOperand: true };
    const [next, ...others] = parseOptions(rest, spec).operands;
    if (next === undefined) return null;
    command += ` ${next.text}`;
    rest = others;
    const row = launchersByCommand().get(command);
    if (row !== undefined) return { wrapper: asWrapper(row), args: rest };
  }
  return null;
}

const asWrapper = (row: Wrapper): Wrapper => ({ ...row, endsAtOperand: true });
