import { readFileSync } from "node:fs";
import { Command, CommanderError, Option } from "commander";
import {
  FLAG_TABLE,
  type FlagRow,
  flagsOf,
  type RawFlag,
  type RawLine,
  VERBS,
  type Verb,
} from "./commands/flag-table.ts";
import { refuse } from "./commands/start.ts";
import { usageProblem } from "./commands/usage-problem.ts";
import { VERB_ROWS } from "./commands/verbs.ts";
import { EXIT } from "./protocol/exit-code.ts";
import type { UsageProblem } from "./protocol/problem.ts";
import { fail, ok, type Result } from "./protocol/result.ts";
import type { World } from "./world.ts";

const EXAMPLES = VERBS.map((verb) => `  ${VERB_ROWS[verb].example}`).join("\n");

/** The whole command line, for everything the hot parser leaves alone: help, rare verbs, mistakes. */
export async function cli(world: World): Promise<number> {
  const parsed = parseLine(world);
  if (!parsed.ok) return refuse(parsed.error, world);
  const line = parsed.value;
  if (line === null) return EXIT.goOn;
  return VERB_ROWS[line.verb].carryOut(line, world);
}

/** Takes a line apart with commander. Null: it was answered already, as `--help` and `--version` are. */
export function parseLine(world: World): Result<RawLine | null, UsageProblem> {
  let line: RawLine | null = null;
  const program = programFor((found) => {
    line = found;
  }, world);
  try {
    program.parse([...world.argv], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? ok(null) : fail(usageProblem(error, world.argv));
  }
  return ok(line);
}

function programFor(onLine: (line: RawLine) => void, world: World): Command {
  const program = new Command("hookctl")
    .description("Finds and runs executable hooks for AI coding agents.")
    .version(version(), "--version")
    .addHelpText("after", `\nThe flags of one verb: hookctl VERB --help\n\nExamples:\n${EXAMPLES}`)
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
    .configureOutput({ writeOut: (text) => void world.out(text), writeErr: () => undefined });
  for (const row of FLAG_TABLE.filter((one) => one.verbs === undefined)) program.addOption(optionFor(row));
  let verbosity = 0;
  program.on("option:verbose", () => verbosity++);
  for (const verb of VERBS) {
    const command = program.command(VERB_ROWS[verb].words).description(VERB_ROWS[verb].about);
    command
      .addHelpText("after", `\nExample:\n  ${VERB_ROWS[verb].example}\n${VERB_ROWS[verb].more ?? ""}`.trimEnd())
      .copyInheritedSettings(program);
    for (const row of flagsOf(verb).filter((one) => one.verbs !== undefined)) command.addOption(optionFor(row));
    command.action(() => onLine({ verb, words: command.args, flags: rawFlags(verb, command, verbosity) }));
  }
  return program;
}

function optionFor(row: FlagRow): Option {
  const names = row.short === undefined ? row.name : `${row.short}, ${row.name}`;
  const value = row.placeholder === undefined ? "" : ` <${row.placeholder}>`;
  const option = new Option(`${names}${value}`, row.about);
  return row.kind === "list" ? option.argParser((text: string, all: string[] = []) => [...all, text]) : option;
}

/** Only what was given. Commander counts nothing itself, and keeps `--no-hooks` as `hooks: false`. */
function rawFlags(verb: Verb, command: Command, verbosity: number): Record<string, RawFlag> {
  const values = command.optsWithGlobals<Record<string, RawFlag | false | undefined>>();
  const given: Record<string, RawFlag> = {};
  for (const row of flagsOf(verb)) {
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
