// The manual page, `man hookctl`, from the table of commands.

/** @import { CommandRow } from "../../src/cli/command-table.ts" */
/** @import { CommandHelp } from "../../packages/scripting/help/command-help.ts" */
/** @import { OptionRow } from "../../src/cli/options.ts" */

/**
 * @typedef {object} Manual
 * @property {string} version
 * @property {string} date YYYY-MM-DD
 * @property {Readonly<Record<string, CommandRow>>} commands
 * @property {readonly (readonly [heading: string, names: readonly string[]])[]} groups
 * @property {(name: string) => CommandHelp | null} helpOf
 * @property {(name: string, commands: Readonly<Record<string, CommandRow>>) => readonly OptionRow[]} listedOptions
 * @property {readonly OptionRow[]} common The options of every command.
 * @property {readonly OptionRow[]} hookOptions Those that act on some commands.
 * @property {readonly (readonly [code: string, about: string])[]} exits
 */

/** @param {Manual} manual */
export function manPage(manual) {
  const { version, date, commands, groups, common, hookOptions, exits } = manual;
  const lines = [
    '.\\" Written by `npm run docs`.',
    `.TH HOOKCTL 1 ${date} "hookctl ${escaped(version)}" "User Commands"`,
    ".nh",
    ".SH NAME",
    `hookctl \\- ${roff("find, approve, run, test and explain hooks for coding agents")}`,
    ".SH SYNOPSIS",
    `${bold("hookctl")} [${italic("options")}] ${italic("command")} [${italic("arguments")}]`,
    ".SH DESCRIPTION",
    roff("A hook is a program that runs before or after a coding agent acts, and may block what the agent does."),
    roff("hookctl finds hooks, runs those that were approved, and gives each agent one answer in its own format."),
    "The answer is on stdout, all other text on stderr.",
    ...groups.flatMap(([heading, names]) => [
      `.SH COMMANDS: ${escaped(heading.toUpperCase())}`,
      ...names.flatMap((name) => commandPart(name, commands[name], manual)),
    ]),
    ".SH OPTIONS",
    "Of every command; they may stand before it, too.",
    ...common.flatMap(optionPart),
    ...item(bold("-V, --version"), "print the version"),
    ...item(bold("-h, --help"), "show the help"),
    ".SS Options for hooks",
    "Every command accepts them; they act on the commands that list them.",
    ...hookOptions.flatMap(optionPart),
    ".SH EXIT STATUS",
    ...exits.flatMap(([code, about]) => item(bold(code), about)),
  ];
  return `${lines.join("\n")}\n`;
}

/** @param {string} name @param {CommandRow | undefined} command @param {Manual} manual */
function commandPart(name, command, { commands, helpOf, listedOptions }) {
  const { arguments: words = "", about = "" } = command ?? {};
  const { examples = [] } = helpOf(name) ?? {};
  const rows = listedOptions(name, commands);
  const usage = [bold(`hookctl ${name}`), rows.length === 0 ? "" : `[${italic("options")}]`, italic(words)];
  return [
    ...[`.SS ${escaped(name)}`, usage.filter((part) => part !== "").join(" "), ".PP", roff(about)],
    ...[...rows.flatMap(optionPart), ".PP", "Examples:", ".PP", ".EX", ...examples.map(roff), ".EE"],
  ];
}

/** @param {OptionRow} row */
function optionPart(row) {
  const names = [row.short, row.name].filter((name) => name !== undefined).join(", ");
  return item(`${bold(names)}${"placeholder" in row ? ` ${italic(row.placeholder)}` : ""}`, row.about);
}

/** @param {string} term @param {string} about */
const item = (term, about) => [".TP", term, roff(about)];

const bold = (/** @type {string} */ text) => (text === "" ? "" : `\\fB${escaped(text)}\\fR`);
const italic = (/** @type {string} */ text) => (text === "" ? "" : `\\fI${escaped(text)}\\fR`);

/** Text as a line of roff: nothing in it is a request, an escape or a macro. @param {string} text */
const roff = (text) => `\\&${escaped(text)}`;

/** @type {Readonly<Record<string, string>>} */
const ESCAPES = { "\\": "\\(rs", "-": "\\-", "'": "\\(aq", '"': "\\(dq", "`": "\\(ga", "^": "\\(ha", "~": "\\(ti" };

/** White space is one blank, a control character its number: the page is plain ASCII without any. */
function escaped(/** @type {string} */ text) {
  return Array.from(text.replaceAll(/\s+/g, " "), (char) => {
    const code = char.codePointAt(0) ?? 0;
    if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return `<${code.toString(16).padStart(4, "0")}>`;
    return ESCAPES[char] ?? (code < 0x7f ? char : `\\[u${code.toString(16).toUpperCase().padStart(4, "0")}]`);
  }).join("");
}
