import { nameSet, tableOf } from "../../../../src/protocol/json/table.ts";
import { UNKNOWN } from "../../../../src/shell/unknown.ts";
import type { Started } from "../analysis.ts";
import { type Call, plainWord } from "../call.ts";
import { followCode } from "../inline-code/follow-code.ts";
import { rowFinder } from "../named-rows.ts";
import { type OptionSpec, optionValues, type ParsedOptions, parseOptions } from "../options.ts";
import { knownFile, type ShellState } from "../script/shell-state.ts";
import { quoted, runAtPrompt, runInner, startInner } from "../start.ts";
import table from "./command-options.json" with { type: "json" };
import { followFd, followFind } from "./finders.ts";
import { followShell, SHELLS } from "./follow-shell.ts";
import { followCmd, followCmdlet, followPowerShell, isCmdlet } from "./follow-windows.ts";
import { followParallel, followXargs } from "./follow-xargs.ts";
import { followWrapper } from "./wrappers.ts";

type Follower = (call: Call, started: Started) => readonly ShellState[] | null;

const followerNamed = rowFinder<Follower>({
  "xargs gxargs": followXargs,
  "find gfind bfs": followFind,
  "fd fdfind": followFd,
  parallel: followParallel,
  "pwsh powershell pwsh-preview": followPowerShell,
  cmd: followCmd,
  "at batch": followQueue,
});

/** Follows the program that a call starts; null if none is known. */
export function followCall(call: Call, started: Started): readonly ShellState[] | null {
  const { program, args } = call;
  followVariables(call, started);
  if (program === UNKNOWN) {
    const known = args.findIndex(({ text }) => text !== UNKNOWN);
    if (known !== -1) startInner(call, args.slice(known), started);
    return null;
  }
  if (program === "git") followGitSettings(call, started);
  followCommandOptions(call, started);
  if (SHELLS.has(program)) return followShell(call, started);
  if (call.name.text.includes("/")) startScript(call, started);
  const follower = followerNamed(program) ?? (isCmdlet(program) ? followCmdlet : undefined);
  return follower === undefined ? (followWrapper(call, started) ?? followCode(call, started)) : follower(call, started);
}

/** Starts a script that the agent wrote itself with the program of its first line. */
function startScript(call: Call, started: Started): void {
  const content = knownFile(started.state, call.name.text);
  if (content === undefined) return;
  const [, line = ""] = /^#!\s*(?:\/\S*\/env\s+(?:-S\s+)?)?(.*)/.exec(content) ?? [];
  const program = line.trim().split(/\s+/).filter(Boolean);
  const words = (program.length === 0 ? ["sh"] : program).map((text) => plainWord(text));
  startInner(call, [...words, call.name, ...call.args], started);
}

/** Variables whose value other programs run as a command. */
const COMMAND_VARIABLES = nameSet(
  "GIT_SSH_COMMAND GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_PAGER GIT_EXTERNAL_DIFF GIT_ASKPASS PAGER MANPAGER EDITOR VISUAL SSH_ASKPASS BROWSER",
);
function followVariables(call: Call, started: Started): void {
  for (const [name, value] of started.own) {
    runAtPrompt(name, value, started);
    if (COMMAND_VARIABLES.has(name) && value !== UNKNOWN) runInner(call, value, started);
  }
}

/** `at now` runs its input later. */
function followQueue(call: Call, started: Started): readonly ShellState[] | null {
  const { text } = started.state.stdin;
  if (text === null || text.trim() === UNKNOWN) return null;
  return runInner(call, text, started, { relation: "input" });
}

/** The options with which a program runs another command. */
interface CommandOptions extends OptionSpec {
  /** Options whose value is shell text. */
  readonly texts?: string;
  /** Options whose value is in the program's own language, in which `commands` are patterns of shell commands. */
  readonly scripts?: string;
  readonly commands?: readonly string[];
  /** True if its operands, or its input, may be in that language, too. */
  readonly readsOperands?: true;
  readonly readsInput?: true;
  /** A rule in code that finds the texts. */
  readonly rule?: keyof typeof TEXT_RULES;
}

const optionsOf = rowFinder<CommandOptions>(tableOf(table));

/** `-o ProxyCommand=text`, `-oProxyCommand text`. */
const sshTexts = (parsed: ParsedOptions): readonly string[] =>
  optionValues(parsed, "-o").flatMap(({ text }) => {
    const command = /^\s*(?:Proxy|Local|KnownHosts)Command\s*[=\s]\s*(.*)$/is.exec(text)?.[1];
    return command === undefined || command === "none" ? [] : [command];
  });

/** `EXEC:text,options` and `SYSTEM:text`, with a backslash before special characters. */
const socatTexts = ({ operands }: ParsedOptions): readonly string[] =>
  operands.flatMap(({ text }) => {
    const command = /^(?:exec|system|shell):(.*)$/is.exec(text)?.[1];
    return command === undefined ? [] : [withoutOptions(command).replace(/\\(.)/gs, "$1")];
  });

function withoutOptions(command: string): string {
  const parts = command.split(",");
  while (parts.length > 1 && /^[\w-]+(?:=[\w/.-]*)?$/.test(parts.at(-1) ?? "")) parts.pop();
  return parts.join(",");
}

const TEXT_RULES = { ssh: sshTexts, socat: socatTexts };

/** Follows commands that a program runs for an option or in its own language: `tar -I text`, `vim -c '!text'`. */
function followCommandOptions(call: Call, started: Started): void {
  const row = optionsOf(call.program);
  if (row === undefined) return;
  const parsed = parseOptions(call.args, row);
  // `tar --checkpoint-action=exec=text`
  const values = optionValues(parsed, row.texts ?? "").map(({ text }) => text.replace(/^exec=/, ""));
  const texts = row.rule === undefined ? values : TEXT_RULES[row.rule](parsed);
  for (const text of [...texts, ...commandsIn(row, parsed, started)]) runInner(call, text, started);
}

/** The shell commands in scripts of a program, each on a line of its own. */
function commandsIn(row: CommandOptions, parsed: ParsedOptions, { state }: Started): readonly string[] {
  if (row.commands === undefined) return [];
  const scripts = [
    ...optionValues(parsed, row.scripts ?? "").map(({ text }) => text),
    ...(row.readsOperands === true ? parsed.operands.map(({ text }) => text) : []),
    ...(row.readsInput === true ? [state.stdin.text ?? ""] : []),
  ];
  const patterns = row.commands.map((one) => new RegExp(one, "gm"));
  return scripts.flatMap((script) =>
    patterns.flatMap((pattern) => [...script.matchAll(pattern)].map(({ groups = {} }) => commandOf(groups))),
  );
}

/** A pattern may also find a path that is deleted or uploaded, or code of Python. */
function commandOf({ command = "", deletes, python, uploads }: Readonly<Record<string, string | undefined>>): string {
  if (uploads !== undefined) return `scp ${quoted(uploads)} remote.invalid:`;
  if (deletes !== undefined) return `rm -rf ${quoted(deletes)}`;
  return python === undefined ? command : `python3 -c ${quoted(python)}`;
}

/** Settings of git whose value is a command. */
const COMMAND_SETTING =
  /^(?:core\.(?:editor|pager|sshcommand|fsmonitor|askpass)|sequence\.editor|diff\.external|gpg\.program|interactive\.difffilter|credential\..*|credential\.helper|(?:diff|filter|merge|difftool|mergetool|pager|browser|remote|uploadpack)\..*(?:textconv|command|clean|smudge|process|driver|cmd|uploadpack|receivepack))$/i;

/** An alias cannot hide a command of git. */
export const GIT_COMMANDS = nameSet(
  "add am apply bisect blame branch checkout cherry-pick clean clone commit config describe diff fetch gc grep init log ls-files merge mv notes pull push rebase reflog remote reset restore revert rev-parse rm show stash status submodule switch tag worktree",
);

/** `git -c alias.x='!text' x`, `git -c core.pager=text …`. */
function followGitSettings(call: Call, started: Started): void {
  followGitConfig(call, started);
  const parsed = parseOptions(call.args, { values: "-c -C --git-dir --work-tree", endsAtOperand: true });
  const command = parsed.operands[0]?.text;
  const run = (text: string) => runInner(call, text, started);
  for (const { text } of optionValues(parsed, "-c")) {
    const [, name = "", value = ""] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
    const isAlias = name.toLowerCase().startsWith("alias.") && !GIT_COMMANDS.has(name.slice(6));
    if (isAlias && name.slice(6) === command)
      run((value.startsWith("!") ? value.slice(1) : `git ${value}`) + aliasArguments(call));
    else if (COMMAND_SETTING.test(name)) run(value.replace(/^!/, ""));
  }
}

/** `git config alias.x '!text'`, `git config --global core.pager text`: the setting runs it from now on. */
function followGitConfig(call: Call, started: Started): void {
  const words = parseOptions(call.args, { values: "-c -C -f --file" }).operands.map(({ text }) => text);
  if (words[0] !== "config") return;
  const at = words.findIndex((text) => /^alias\../i.test(text) || COMMAND_SETTING.test(text));
  const value = at < 0 ? undefined : words[at + 1];
  if (value === undefined) return;
  // A command of git in an alias is judged where the alias is used.
  const isAlias = /^alias\./i.test(words[at] ?? "");
  if (!isAlias || (value.startsWith("!") && !/\bgit\b/.test(value))) runInner(call, value.replace(/^!/, ""), started);
}

/** An alias gets the arguments of the call. */
function aliasArguments({ args }: Call): string {
  const at = args.findIndex(({ text }) => text.startsWith("alias."));
  return args
    .slice(at + 2)
    .map(({ text }) => ` ${quoted(text)}`)
    .join("");
}
