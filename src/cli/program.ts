import { Command, Option } from "commander";
import type { Commands } from "./command-table.ts";
import { COMMON_OPTIONS } from "./common-options.ts";
import type { OptionRow } from "./options.ts";

/** Each option that was given, with its values; a switch has an empty one each time. */
export type GivenOptions = Map<OptionRow, string[]>;

export const HELP = {
  name: "--help",
  short: "-h",
  kind: "switch",
  about: "show this help",
} as const satisfies OptionRow;
export const VERSION = {
  name: "--version",
  short: "-V",
  kind: "switch",
  about: "print the version",
} as const satisfies OptionRow;

/** An option as help shows it: `-C, --directory <DIR>`. */
export const optionText = (row: OptionRow): string =>
  `${row.short === undefined ? "" : `${row.short}, `}${row.name}${"placeholder" in row ? ` <${row.placeholder}>` : ""}`;

/** The parser of these commands. It prints nothing, and collects the options in `given`. */
export function createProgram(commands: Commands, given: GivenOptions): Command {
  const common = [VERSION, ...Object.values(COMMON_OPTIONS), HELP];
  const program = new Command("hookctl")
    // An option that takes a value may not lose that value to an option of the program: `--events --json`.
    .enablePositionalOptions()
    // Help and version are options like all others, so that they apply wherever they stand.
    .helpOption(false)
    .helpCommand(false)
    .showSuggestionAfterError(false)
    .configureOutput({ writeOut: () => undefined, writeErr: () => undefined })
    .exitOverride();
  addOptions(program, common, given);
  for (const [name, row] of Object.entries(commands)) {
    const command = program.command(`${name} ${row.arguments}`).action(() => undefined);
    addOptions(command, [...Object.values(row.options), ...common], given);
  }
  const help = program.command("help [command]").allowExcessArguments();
  help.action(() => undefined);
  addOptions(help, common, given);
  return program;
}

function addOptions(command: Command, rows: readonly OptionRow[], given: GivenOptions): void {
  for (const row of rows) {
    const option = new Option(optionText(row));
    // A switch has no value.
    option.argParser((value: string | undefined) => given.set(row, [...(given.get(row) ?? []), value ?? ""]));
    command.addOption(option);
  }
}
