import type { Commands } from "../../../src/cli/command-table.ts";
import { GLOBAL_OPTIONS, HOOK_OPTIONS } from "../../../src/cli/common-options.ts";
import type { OptionRow } from "../../../src/cli/options.ts";
import { ALL_TOPICS } from "../../../src/cli/parse.ts";
import { HELP, optionText, VERSION } from "../../../src/cli/program.ts";
import { commandGroups, helpOf, listedOptions } from "./command-help.ts";
import { type Part, partsText, type Row } from "./layout.ts";

const SITE = "https://github.com/hookctl/hookctl";
const EXAMPLES = ["hookctl init", "hookctl explain 'git reset --hard'", "hookctl why"];

/** The help of one command, of the whole program (null), or of the program with all commands and options (`all`). */
export async function helpText(topic: string | null, commands: Commands): Promise<string> {
  const isProgram = topic === null || topic === ALL_TOPICS;
  const parts = isProgram ? programHelp(topic !== null, commands) : await commandHelp(topic, commands);
  return partsText(parts);
}

function programHelp(isAll: boolean, commands: Commands): readonly Part[] {
  const groups = commandGroups(commands, isAll).map(([heading, names]) => ({
    heading,
    rows: names.map((name): Row => [name, commands[name]?.about]),
  }));
  const options = [...Object.values<OptionRow>(GLOBAL_OPTIONS), HELP, ...(isAll ? [VERSION] : [])];
  const more: readonly Row[] = [
    ["One command:", "hookctl COMMAND --help"],
    ...(isAll ? [] : [["Everything:", "hookctl help all"] as const]),
    ["Docs:", `${SITE}/blob/main/docs/README.md`],
    ["Bugs:", `${SITE}/issues`],
  ];
  return [
    { text: "Usage: hookctl [options] COMMAND [arguments]" },
    { text: "Guards and hooks for AI coding agents: approved, tested, explained." },
    { heading: "Examples", rows: EXAMPLES.map((example): Row => [example]) },
    ...groups,
    { heading: "Options", rows: options.map(optionRow) },
    ...(isAll ? [{ heading: "Options for hooks (of commands that list them)", rows: hookRows() }] : []),
    { heading: "More", rows: more },
  ];
}

const optionRow = (row: OptionRow): Row => [optionText(row), row.about];
const hookRows = (): readonly Row[] => Object.values<OptionRow>(HOOK_OPTIONS).map(optionRow);

async function commandHelp(name: string, commands: Commands): Promise<readonly Part[]> {
  const row = commands[name];
  if (row === undefined) return [];
  const { about, newForm, arguments: names } = row;
  const { docs = "README.md", examples = [] } = helpOf(newForm?.split(" ")[0] ?? name) ?? {};
  const note = typeof row.note === "function" ? await row.note() : row.note;
  const options = listedOptions(name, commands);
  const usage = ["Usage: hookctl", name, ...(options.length === 0 ? [] : ["[options]"]), names];
  const globals = [...Object.values<OptionRow>(GLOBAL_OPTIONS), HELP].map(({ name: long, short }) => short ?? long);
  return [
    { text: usage.join(" ").trimEnd() },
    { text: `${about.slice(0, 1).toUpperCase()}${about.slice(1)}.` },
    ...(newForm === undefined ? [] : [{ text: `${name} is the former name of: hookctl ${newForm}` }]),
    { heading: "Examples", rows: examples.map((example): Row => [example]) },
    ...(options.length === 0 ? [] : [{ heading: "Options", rows: options.map(optionRow) }]),
    ...(note === undefined ? [] : [{ text: note }]),
    {
      heading: "More",
      rows: [
        ["Global options:", globals.join(", ")],
        ["Docs:", `${SITE}/blob/main/docs/${docs}`],
      ],
    },
  ];
}
