// The manual page, `man hookctl`, from the table of commands.

/** @import { CommandRow } from "../../src/cli/command-table.ts" */
/** @import { OptionRow } from "../../src/cli/options.ts" */

/**
 * @typedef {object} Manual
 * @property {string} version
 * @property {string} date YYYY-MM-DD
 * @property {Readonly<Record<string, CommandRow>>} commands
 * @property {readonly OptionRow[]} common The options of every command.
 * @property {readonly (readonly [code: string, about: string])[]} exits
 */

/** @param {Manual} manual */
export function manPage({ version, date, commands, common, exits }) {
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
    ".SH COMMANDS",
    ...Object.entries(commands).flatMap(([name, row]) => commandPart(name, row)),
    ".SH OPTIONS",
    "Of every command; they may stand before it, too.",
    ...common.flatMap(optionPart),
    ...item(bold("--version"), "output the version number"),
    ...item(bold("-h, --help"), "display help for command"),
    ".SH EXIT STATUS",
    ...exits.flatMap(([code, about]) => item(bold(code), about)),
  ];
  return `${lines.join("\n")}\n`;
}

/** @param {string} name @param {CommandRow} row */
function commandPart(name, { arguments: words, about, example, options }) {
  const rows = Object.values(options);
  const usage = [bold(`hookctl ${name}`), rows.length === 0 ? "" : `[${italic("options")}]`, italic(words)];
  return [
    ...[`.SS ${escaped(name)}`, usage.filter((part) => part !== "").join(" "), ".PP", roff(about)],
    ...[...rows.flatMap(optionPart), ".PP", "Example:", ".PP", ".EX", roff(example), ".EE"],
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
