import type { CommandRows } from "../../../src/cli/command-table.ts";
import { HOOK_OPTIONS } from "../../../src/cli/common-options.ts";
import type { OptionRow } from "../../../src/cli/options.ts";
import { ownValue } from "../../../src/protocol/own-value.ts";
import table from "./commands.json" with { type: "json" };

/** What the help of a command has beside its row. */
export interface CommandHelp {
  /** Its page in `docs/`. */
  readonly docs: string;
  /** From two to four; the first is the most common call. */
  readonly examples: readonly string[];
  /** The options of `HOOK_OPTIONS` that act on it. */
  readonly hooks?: readonly string[];
  /** Options that it shares with another command, and refuses. */
  readonly refuses?: readonly string[];
}

/** Null for a former name of another command, which is not shown. */
export const helpOf = (name: string): CommandHelp | null =>
  ownValue<CommandHelp>(table.commands as Readonly<Record<string, CommandHelp>>, name) ?? null;

/** The commands that are shown, by heading, in the order of the help. */
export function commandGroups(
  commands: CommandRows,
  isAll: boolean,
): readonly (readonly [string, readonly string[]])[] {
  const groups = Object.entries(table.groups).map(
    ([heading, names]) => [heading, names.filter((name) => Object.hasOwn(commands, name))] as const,
  );
  const shown = new Set(groups.flatMap(([, names]) => names));
  const others = Object.keys(commands).filter((name) => !shown.has(name) && helpOf(name) !== null);
  return isAll ? [...groups, ["For programs and agents", others]] : groups;
}

/** The options that are listed for a command: its own, and those for hooks that act on it. */
export function listedOptions(name: string, commands: CommandRows): readonly OptionRow[] {
  const { hooks = [], refuses = [] } = helpOf(commands[name]?.newForm?.split(" ")[0] ?? name) ?? {};
  return [
    ...Object.values(commands[name]?.options ?? {}).filter((row) => !refuses.includes(row.name)),
    ...Object.values<OptionRow>(HOOK_OPTIONS).filter((row) => hooks.includes(row.name)),
  ];
}
