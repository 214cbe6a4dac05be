import { tableOf } from "../../../../src/protocol/json/table.ts";
import { UNKNOWN } from "../../../../src/shell/unknown.ts";
import type { Started } from "../analysis.ts";
import type { Call } from "../call.ts";
import { rowFinder } from "../named-rows.ts";
import { knownFile, type ShellState } from "../script/shell-state.ts";
import { runInner } from "../start.ts";
import table from "./windows-commands.json" with { type: "json" };

type Names = Readonly<Record<string, string>>;

/** Programs, methods and options of PowerShell and cmd, and those of a POSIX shell with the same effect. */
const { programs, methods, options, cmdOptions } = tableOf<{
  readonly programs: Names;
  readonly methods: Names;
  readonly options: Names;
  readonly cmdOptions: Names;
}>(table);
const programNamed = rowFinder(programs);
const methodNamed = rowFinder(methods);
const powerShellOption = rowFinder(options);
const cmdOption = rowFinder(cmdOptions);

const COMMAND = /^-(?:c|command)$/i;
const FILE = /^-(?:f|file)$/i;
const WITH_VALUE =
  /^-(?:ex\w*|ep|version|v|w|windowstyle|workingdirectory|wd|inputformat|outputformat|configurationname|psconsolefile)$/i;

/** The shells of Windows in which a command is written, by its first word or its paths; none for a POSIX shell. */
export function windowsStarts(text: string): readonly (readonly string[])[] {
  if (CMDLET.test(text)) return [["pwsh", "-Command", text]];
  return CMD_LINE.test(text) ? [["cmd", "/c", text]] : [];
}

const CMDLET =
  /^\s*(?:&\s*)?(?:\(\s*)*(?:[A-Za-z]+-[A-Z]\w+\b|(?:iex|iwr|irm|gci|gc|ri|saps|sc|clc|gps|spps)\s|foreach\s*\(|\$env:|\$\w+\s*=|\[\w+(?:\.\w+)*\]::|(?:ls|dir|cat|echo|curl|wget)\s[^|]*\|\s*(?:iex\b|%\s*\{|ForEach-Object|Remove-Item|Out-File))|\|\s*(?:iex|Invoke-Expression)\b/;
const CMD_LINE =
  /^\s*(?:(?:rd|rmdir|del|erase|format|copy|attrib|robocopy|icacls|takeown|mountvol|setx)\s[^\n]*(?:\s\/\w|%\w+%|\b[A-Za-z]:)|type\s+[^-]|dir\s+env:|for\s+(?:\/\w\s+)?%)/i;

/** `powershell -Command text`. Windows PowerShell takes text without an option, too; pwsh takes a file. */
export function followPowerShell(call: Call, started: Started): readonly ShellState[] | null {
  const { state } = started;
  const words = call.args.map(({ text }) => text);
  let at = 0;
  while (at < words.length && /^-./.test(words[at] ?? "") && !COMMAND.test(words[at] ?? "")) {
    if (FILE.test(words[at] ?? "")) return followText(call, knownFile(state, words[at + 1] ?? "") ?? "", started);
    at += WITH_VALUE.test(words[at] ?? "") ? 2 : 1;
  }
  const rest = words.slice(at);
  const [first] = rest;
  if (first === undefined || first === "-") return followText(call, state.stdin.text ?? "", started);
  const isText = COMMAND.test(first);
  const text = isText ? rest.slice(1).join(" ") : rest.join(" ");
  if (text === "-") return followText(call, state.stdin.text ?? "", started);
  return isText || call.program === "powershell"
    ? followText(call, text, started)
    : followText(call, knownFile(state, first) ?? "", started);
}

/** A command of PowerShell where a POSIX shell is expected: the agent's shell may be PowerShell. */
export const followCmdlet = (call: Call, started: Started): readonly ShellState[] | null =>
  followText(call, call.source, started);

export const isCmdlet = (program: string): boolean =>
  /^[a-z]+-[a-z]+$/i.test(program) && programNamed(program.toLowerCase()) !== undefined;

/** `cmd /c text`. */
export function followCmd(call: Call, started: Started): readonly ShellState[] | null {
  const words = call.args.map(({ text }) => text);
  const at = words.findIndex((word) => /^\/{1,2}[ckr]/i.test(word));
  const text = [words[at]?.replace(/^\/+./, "") ?? "", ...words.slice(at + 1)].join(" ");
  return at === -1 ? null : runInner(call, fromCmd(text), started);
}

const followText = (call: Call, text: string, started: Started): readonly ShellState[] | null =>
  text.trim() === "" || text === UNKNOWN ? null : runInner(call, fromPowerShell(text), started);

const GROUP = /(?<![\w.$)\]])@?\(/g;
/** A string, with the word before it if that runs the string, or the beginning of a group. */
const STRING_OR_GROUP =
  /(?:(?<![\w-])(?:iex|invoke-expression|-c|-command)\s+)?(?:'[^']*'|"(?:\\.|[^"\\])*")|(?<![\w.$)\]])@?\(/gi;

/** In a string only `$(…)` is code, unless the string is run. */
const isCode = (found: string): boolean => !/^['"]/.test(found) || (found.startsWith('"') && found.includes("$("));

/** The text as a POSIX shell has it, as far as that is possible: enough to see what it starts, and with which files. */
function fromPowerShell(text: string): string {
  const plain = withSlashes(text)
    .replace(/`([\s\S])/g, (_, char: string) => (/["$`]/.test(char) ? `\\${char}` : /[\nnrt]/.test(char) ? " " : char))
    .replace(TRIAL, "$1:")
    .replace(/\s-value\s+(?:'[^']*'|"[^"]*"|\S+)/gi, "")
    .replace(/(^|[;|({\n])[ \t]*&[ \t]+/g, "$1 ")
    .replace(/\$env:(\w+)/gi, "$$$1")
    .replace(/(\$\w+)(?:\.\w+)*?\.Delete\(\s*\)/gi, "rm -rf $1")
    .replace(/(^|[;\n])[ \t]*(\$\{?[A-Z][A-Z\d_]+\}?)[ \t]*(?=$|[;\n])/g, "$1 echo $2")
    .replace(/\[(?:System\.)?Environment\]::GetEnvironmentVariables\(\s*\)/gi, "printenv")
    .replace(/\$PROFILE\b(?:\.\w+)?/gi, "$HOME/.config/powershell/profile.ps1")
    .replace(/\$_(?:\.\w+)*/g, UNKNOWN)
    .replace(/\[[\w.]+\]::(\w+)\(([^()]*)\)/g, (all, name: string, args: string) => {
      const program = methodNamed(name.toLowerCase());
      return program === undefined ? all : `\n${program} ${args.replace(/,/g, " ")}\n`;
    })
    .replace(STRING_OR_GROUP, (found) => (isCode(found) ? found.replace(GROUP, "$(") : found))
    .replace(
      /(?<=^|[\s};])(?:if|elseif|else|foreach|for|while|do|try|catch|finally|switch|param|process|begin|end)(?=\s*[({$\n]|$)/gi,
      "\n",
    )
    .replace(/[{}]/g, "\n")
    .replace(/(^|[\n;])[ \t]*\$(\w+)\s*=\s*(?=(["'$\d])?)/g, (_, start: string, name: string, value?: string) =>
      value === undefined ? start : `${start}${name}=`,
    );
  return piped(renamed(plain, powerShellOption));
}

/** A command with `-WhatIf`, which only prints what it would do. */
const TRIAL = /(^|[;|{}\n])[^;|{}\n]*\s-whatif(?::\$true)?(?=\s|[;|{}]|$)[^;|{}\n]*/gi;

function fromCmd(text: string): string {
  const plain = withSlashes(text.replace(/\^(.)/gs, "$1").replace(/%(\w+)%/g, "$$$1"))
    .replace(/\bif\s+(?:\/i\s+)?(?:not\s+)?(?:(?:exist|errorlevel|defined)\s+\S+|\S+\s*==\s*\S+)\s+/gi, "\n")
    .replace(/\bfor\s+(?:\/\w\s+)?%{1,2}\w\s+in\s*\([^()]*\)\s*do\b/gi, "\n")
    .replace(/%{1,2}~?[a-z]\b/gi, UNKNOWN)
    .replace(/[()]/g, "\n");
  return piped(renamed(plain, cmdOption));
}

/** Paths of Windows as those of this machine; the home folder is the same. */
const withSlashes = (text: string): string =>
  text
    .replace(/(?<![\w/])[a-z]:(?=[\\/])[\\/]+/gi, "/")
    .replaceAll("\\", "/")
    .replace(/\$env:(?:userprofile|homepath|home)\b|\$(?:userprofile|homepath)\b/gi, "$$HOME");

/** Replaces the programs at the beginning of commands, and the options. */
const renamed = (text: string, optionNamed: (name: string) => string | undefined): string =>
  text
    .replace(
      /(^|[;|&(\n])([ \t]*)([a-z][\w.-]*)/gi,
      (all, start: string, space: string, name: string) =>
        `${start}${space}${programNamed(name.toLowerCase()) ?? all.slice(start.length + space.length)}`,
    )
    .replace(/(?<=\s)[-/][\w:$/]+(?=\s|$)/g, (option) => optionNamed(option.toLowerCase()) ?? option);

/** What a pipe hands to `rm` is deleted, and what it hands to `eval` is run. */
const piped = (text: string): string =>
  text
    .split("\n")
    .map((line) =>
      line
        // The names in a folder that is written out.
        .replace(
          /\bls\s+((?!-)[\w~$./-]+)((?:\s+-\w+)*)\s*\|\s*rm\b/g,
          (_, folder: string, options: string) => `rm${options} ${folder}/*`,
        )
        .replace(/\|\s*rm\b/g, / -r\b/.test(line) ? "| xargs rm -r" : "| xargs rm"),
    )
    .join("\n")
    .replace(/\|\s*eval\s*(?=$|[;|)\n])/g, "| sh")
    .replace(/\bls\s+env:\*?/gi, "printenv");
