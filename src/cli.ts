import { readFileSync } from "node:fs";
import { Command, CommanderError, Option } from "commander";
import {
  COMMAND_NAMES,
  type CommandLine,
  type CommandName,
  OPTION_TABLE,
  type OptionRow,
  type OptionValue,
  optionsOf,
} from "./cli/option-table.ts";
import { refuse } from "./cli/output.ts";
import { usageProblem } from "./cli/usage-problem.ts";
import { COMMAND_TABLE } from "./commands/command-table.ts";
import type { Host } from "./host.ts";
import { EXIT } from "./protocol/exit-code.ts";
import type { UsageProblem } from "./protocol/problem.ts";
import { fail, ok, type Result } from "./protocol/result.ts";

const EXAMPLES = COMMAND_NAMES.map((verb) => `  ${COMMAND_TABLE[verb].example}`).join("\n");

/** The whole command line, for everything the hot parser leaves alone: help, rare verbs, mistakes. */
export async function cli(host: Host): Promise<number> {
  const parsed = parseLine(host);
  if (!parsed.ok) return refuse(parsed.error, host);
  const line = parsed.value;
  if (line === null) return EXIT.ok;
  return COMMAND_TABLE[line.command].execute(line, host);
}

/** Takes a line apart with commander. Null: it was answered already, as `--help` and `--version` are. */
export function parseLine(host: Host): Result<CommandLine | null, UsageProblem> {
  let line: CommandLine | null = null;
  const program = programFor((found) => {
    line = found;
  }, host);
  try {
    program.parse([...host.argv], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? ok(null) : fail(usageProblem(error, host.argv));
  }
  return ok(line);
}

function programFor(onLine: (line: CommandLine) => void, host: Host): Command {
  const program = new Command("hookctl")
    .description("Finds and runs executable hooks for AI coding agents.")
    .version(version(), "--version")
    .addHelpText("after", `\nThe options of one verb: hookctl VERB --help\n\nExamples:\n${EXAMPLES}`)
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
    .configureOutput({ writeOut: (text) => void host.out(text), writeErr: () => undefined });
  for (const row of OPTION_TABLE.filter((one) => one.commands === undefined)) program.addOption(optionFor(row));
  let verbosity = 0;
  program.on("option:verbose", () => verbosity++);
  for (const verb of COMMAND_NAMES) {
    const command = program.command(COMMAND_TABLE[verb].usage).description(COMMAND_TABLE[verb].about);
    command
      .addHelpText("after", `\nExample:\n  ${COMMAND_TABLE[verb].example}\n${COMMAND_TABLE[verb].more ?? ""}`.trimEnd())
      .copyInheritedSettings(program);
    for (const row of optionsOf(verb).filter((one) => one.commands !== undefined)) command.addOption(optionFor(row));
    command.action(() => onLine({ command: verb, args: command.args, options: rawFlags(verb, command, verbosity) }));
  }
  return program;
}

function optionFor(row: OptionRow): Option {
  const names = row.short === undefined ? row.name : `${row.short}, ${row.name}`;
  const value = row.placeholder === undefined ? "" : ` <${row.placeholder}>`;
  const option = new Option(`${names}${value}`, row.about);
  return row.kind === "list" ? option.argParser((text: string, all: string[] = []) => [...all, text]) : option;
}

/** Only what was given. Commander counts nothing itself, and keeps `--no-hooks` as `hooks: false`. */
function rawFlags(verb: CommandName, command: Command, verbosity: number): Record<string, OptionValue> {
  const values = command.optsWithGlobals<Record<string, OptionValue | false | undefined>>();
  const given: Record<string, OptionValue> = {};
  for (const row of optionsOf(verb)) {
    const option = optionFor(row);
    const value = values[option.attributeName()];
    if (row.kind === "count") {
      if (verbosity > 0) given[row.name] = verbosity;
    } else if (option.negate) {
      if (value === false) given[row.name] = true;
    } else if (value !== undefined && value !== false) given[row.name] = value;
  }
  return given;
}

function version(): string {
  const text = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  return String((JSON.parse(text) as { version: unknown }).version);
}
