import type { Host } from "../engine/host.ts";
import type { CommandResult } from "./command-result.ts";
import { COMMON_OPTIONS } from "./common-options.ts";
import type { OptionRow, OptionRows, ValueSource, ValuesOf } from "./options.ts";

/** One command: its arguments as help shows them, its options, and one line for the list of commands. */
export interface CommandRow {
  /** `<name>` is required, `[name]` is optional, and `[names...]` takes any number. */
  readonly arguments: string;
  /** The completions of each argument; the last list serves all further ones. */
  readonly values?: readonly (readonly ValueSource[])[];
  readonly about: string;
  /** The form of the command line that replaced this command, which still works and is not shown. */
  readonly newForm?: string;
  /** Text below the options in the help. */
  readonly note?: string | (() => Promise<string>);
  readonly options: OptionRows;
  /** True if stdout belongs to a protocol, in which an object of hookctl's own would be a wrong answer. */
  readonly hasProtocol?: true;
  /** True if stdout is a value or a script. */
  readonly isData?: true;
  /** True if its answer is a text to read, which is shown in a pager where it is longer than the terminal. */
  readonly isPaged?: true;
  /** True if its arguments are a shell command, which needs quotes if it contains options. */
  readonly takesShellCommand?: true;
}

export type CommandRows = Readonly<Record<string, CommandRow>>;

/** The rows of all commands by name. The file of each group of commands adds its rows to this type. */
// biome-ignore lint/suspicious/noEmptyInterface: only an interface can be extended in other files.
export interface CommandTable {}

export type CommandName = keyof CommandTable;

export type CommonOptions = ValuesOf<typeof COMMON_OPTIONS>;
/** The options of one command, the common ones included. */
export type OptionsOf<Name extends CommandName> = CommonOptions & ValuesOf<CommandTable[Name]["options"]>;

interface Line<Name, Options> {
  readonly command: Name;
  readonly args: readonly string[];
  readonly options: Options;
}

/** A parsed command line; a command that takes several kinds names them all. */
export type CommandLine<Name extends CommandName = CommandName> = Line<Name, OptionsOf<Name>>;
/** A parsed command line of any command. */
export type AnyCommandLine = Line<string, CommonOptions>;

/** Executes a command; it also gets all commands, for those that complete or document them. */
type Handler<OneLine> = (line: OneLine, host: Host, commands: Commands) => Promise<CommandResult>;

type Handlers<Rows extends CommandRows> = {
  readonly [Name in keyof Rows]: () => Promise<Handler<Line<Name, CommonOptions & ValuesOf<Rows[Name]["options"]>>>>;
};

export interface Command extends CommandRow {
  /** Imports the code of the command, which no other command loads. */
  readonly load: () => Promise<Handler<AnyCommandLine>>;
}

/** Commands by name. */
export type Commands = Readonly<Record<string, Command>>;

/** Commands, each with the import of its code. */
export function defineCommands<Rows extends CommandRows>(rows: Rows, handlers: Handlers<Rows>): Commands {
  const commands = Object.entries(rows).map(([name, row]) => [name, { ...row, load: handlers[name] }]);
  // The type is right because the parser reads the options of a command by its row.
  return Object.fromEntries(commands) as Commands;
}

/** Every option once, with the commands that know it; null for all commands. */
export function allOptions(
  commands: Commands,
): readonly { readonly row: OptionRow; readonly commands: readonly string[] | null }[] {
  const named = new Map<OptionRow, string[]>();
  for (const [name, { options }] of Object.entries(commands))
    for (const row of Object.values(options)) named.set(row, [...(named.get(row) ?? []), name]);
  const common = Object.values(COMMON_OPTIONS).map((row) => ({ row, commands: null }));
  return [...common, ...[...named].map(([row, commands]) => ({ row, commands }))];
}
