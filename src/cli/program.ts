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
  about: "display help for command",
} as const satisfies OptionRow;
export const VERSION = {
  name: "--version",
  kind: "switch",
  about: "output the version number",
} as const satisfies OptionRow;

/** An option as help shows it: `-C, --directory <DIR>`. */
const optionText = (row: OptionRow): string =>
  `${row.short === undefined ? "" : `${row.short}, `}${row.name}${"placeholder" in row ? ` <${row.placeholder}>` : ""}`;

/** The parser of these commands. It prints nothing, and collects the options in `given`. */
export function createProgram(commands: Commands, given: GivenOptions): Command {
  const common = Object.values(COMMON_OPTIONS);
  const program = new Command("hookctl")
    .description("Finds and runs executable hooks for AI coding agents.")
    // An option that takes a value may not lose that value to an option of the program: `--events --json`.
    .enablePositionalOptions()
    // Help and version are options like all others, so that they apply wherever they stand.
    .helpOption(false)
    .helpCommand(false)
    .showSuggestionAfterError(false)
    .configureOutput({ writeOut: () => undefined, writeErr: () => undefined })
    .configureHelp({ subcommandTerm, minWidthToWrap: 20 })
    .exitOverride();
  addOptions(program, [VERSION, ...common, HELP], "Options:", given);
  for (const [name, row] of Object.entries(commands)) {
    const command = program.command(`${name} ${row.arguments}`).description(row.about).helpGroup(row.group);
    command.action(() => undefined);
    addOptions(command, [...Object.values(row.options), HELP], "Options:", given);
    addOptions(command, [VERSION, ...common], GLOBAL, given);
  }
  const help = program.command("help [command]").description(HELP.about).helpGroup("Help:").allowExcessArguments();
  help.action(() => undefined);
  addOptions(help, [HELP, VERSION, ...common], GLOBAL, given);
  return program;
}

const GLOBAL = "Global Options:";

function addOptions(command: Command, rows: readonly OptionRow[], group: string, given: GivenOptions): void {
  for (const row of rows) {
    const option = new Option(optionText(row), row.about).helpGroup(group);
    // A switch has no value.
    option.argParser((value: string | undefined) => given.set(row, [...(given.get(row) ?? []), value ?? ""]));
    command.addOption(option);
  }
}

/** A command in the list of all: `--help` and the global options are options of every command, and would only be noise. */
function subcommandTerm(command: Command): string {
  const hasOptions = command.options.some((option) => option.long !== HELP.name && option.helpGroupHeading !== GLOBAL);
  const words = command.usage().split(" ");
  return [command.name(), ...(hasOptions ? words : words.slice(1))].join(" ");
}
