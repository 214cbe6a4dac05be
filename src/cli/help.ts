import { readFileSync } from "node:fs";
import { adoptableAgents } from "../agents/agents.ts";
import { AGENT_NAMES } from "../protocol/agent-names.ts";
import { EVENT_NAMES } from "../protocol/event.ts";
import { sentenceLines } from "../report/text-style.ts";
import { COMMON_OPTIONS } from "./agent-commands.ts";
import { COMMAND_NAMES, COMMANDS, type CommandName } from "./command-table.ts";
import type { OptionRow } from "./options.ts";
import { optionText } from "./parse.ts";

type Item = readonly [term: string, about: string];

/** A longer term has its text in the lines below it. */
const WIDEST_TERM = 29;
const HELP: Item = ["-h, --help", "display help for command"];
const VERSION: Item = ["--version", "output the version number"];
const AGENTS = `Agents: ${AGENT_NAMES.join(", ")}`;

/** Text below the example of a command. */
const NOTES: Partial<Readonly<Record<CommandName, string>>> = {
  payload: `Events (names of other dialects work too):\n  ${EVENT_NAMES.join("\n  ")}`,
  bridge: AGENTS,
  install: AGENTS,
  uninstall: AGENTS,
  doctor: AGENTS,
  adopt: `Agents: ${adoptableAgents().join(", ")}`,
  completion: [
    "bash, in ~/.bashrc:                   source <(hookctl completion bash)",
    "zsh, in ~/.zshrc, after compinit:     source <(hookctl completion zsh)",
    "fish, once:                           hookctl completion fish > ~/.config/fish/completions/hookctl.fish",
  ].join("\n"),
  state: sentenceLines(
    "Actions: get [KEY], set KEY VALUE, incr KEY [BY], unset KEY. A value that is valid JSON is stored as JSON, any other as text.",
    0,
  ),
};

/** The help of one command; null: of the whole program. */
export const helpText = (topic: CommandName | null): string =>
  `${(topic === null ? programHelp() : commandHelp(topic)).join("\n\n")}\n`;

function programHelp(): readonly string[] {
  const commands = COMMAND_NAMES.map((name): Item => [usageOf(name), COMMANDS[name].about]);
  const groups = {
    Options: [VERSION, ...itemsOf(Object.values(COMMON_OPTIONS)), HELP],
    Commands: [...commands, ["help [command]", HELP[1]] as const],
  };
  return [
    "Usage: hookctl [options] [command]",
    "Finds and runs executable hooks for AI coding agents.",
    ...groupTexts(groups),
    "The options of one command: hookctl COMMAND --help",
    ["Examples:", ...COMMAND_NAMES.map((name) => `  ${COMMANDS[name].example}`)].join("\n"),
  ];
}

function commandHelp(name: CommandName): readonly string[] {
  const { about, example, options } = COMMANDS[name];
  const note = NOTES[name];
  return [
    `Usage: hookctl ${usageOf(name, true)}`,
    sentenceLines(about, 0),
    ...groupTexts({
      Options: [...itemsOf(Object.values(options)), HELP],
      "Global Options": [VERSION, ...itemsOf(Object.values(COMMON_OPTIONS))],
    }),
    `Example:\n  ${example}`,
    ...(note === undefined ? [] : [note]),
  ];
}

/** `--help` is an option of every command, too; in the list of commands it would only be noise. */
function usageOf(name: CommandName, hasHelp = false): string {
  const { options, arguments: args } = COMMANDS[name];
  const hasOptions = hasHelp || Object.keys(options).length > 0;
  return [name, hasOptions ? "[options]" : "", args].filter((part) => part !== "").join(" ");
}

const itemsOf = (rows: readonly OptionRow[]): readonly Item[] => rows.map((row): Item => [optionText(row), row.about]);

function groupTexts(groups: Readonly<Record<string, readonly Item[]>>): readonly string[] {
  const widths = Object.values(groups).flatMap((items) => items.map(([term]) => term.length));
  const column = Math.max(...widths.filter((width) => width <= WIDEST_TERM));
  return Object.entries(groups).map(([title, items]) =>
    [`${title}:`, ...items.map((item) => itemText(item, column))].join("\n"),
  );
}

function itemText([term, about]: Item, column: number): string {
  const start = column + 4;
  const between = term.length <= column ? " ".repeat(column - term.length + 2) : `\n${" ".repeat(start)}`;
  return `  ${term}${between}${sentenceLines(about, start)}`;
}

export function versionText(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return `${String((JSON.parse(text) as { version: unknown }).version)}\n`;
}
