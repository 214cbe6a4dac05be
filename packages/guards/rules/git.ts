import { namesIn, tableOf } from "../../../src/protocol/json/table.ts";
import { ownValue } from "../../../src/protocol/own-value.ts";
import { UNKNOWN } from "../../../src/shell/unknown.ts";
import type { Call, CommandPlace, Word } from "../command/call.ts";
import { GIT_COMMANDS } from "../command/started/follow-call.ts";
import type { Finding, Guard } from "../guard.ts";
import { type CommandLine, hasForm, hasOption, readRules } from "./command-rules.ts";
import table from "./git/rules.json" with { type: "json" };
import settingTable from "./git/settings.json" with { type: "json" };
import { gitTargets } from "./git/targets.ts";

const GIT_RULES = readRules(table);

export const git: Guard = {
  ...GIT_RULES.guard,
  judgeCall: (call, { place }) => judge(asGit(call), MOST_ALIASES, place),
  judgeCommand: ({ calls }, { place }) => judgeNewAliases(calls, place),
};

const MOST_ALIASES = 4;

/** `git-reset --hard` is `git reset --hard`. */
function asGit(call: Call): Call {
  const command = /^git-(?!filter-repo$)(.+)$/.exec(call.program)?.[1];
  return command === undefined
    ? call
    : { ...call, program: "git", args: [{ ...call.name, text: command }, ...call.args] };
}

/** `git config alias.x '!git reset --hard' && git x`: the alias is judged; a shell command in it asks. */
function judgeNewAliases(calls: readonly Call[], place: CommandPlace): Finding | null {
  const aliases = new Map<string, string>();
  for (const call of calls.map(asGit)) {
    if (call.program !== "git") continue;
    const line = GIT_RULES.lineOf(call);
    const [command, ...rest] = line.operands.map(({ word }) => word.text);
    const at = command === "config" ? rest.findIndex((text) => /^alias\./i.test(text)) : -1;
    const [set = "", to] = at === -1 ? [] : rest.slice(at);
    if (to !== undefined) aliases.set(set.toLowerCase(), to);
    const alias = aliasOf(line, aliases);
    if (alias?.startsWith("!")) return GIT_RULES.find("new-alias", call.source);
    const found = alias === null ? null : judge(withAlias(call, line, alias), MOST_ALIASES, place);
    if (found !== null) return found;
  }
  return null;
}

function judge(call: Call, depth: number, place: CommandPlace): Finding | null {
  if (call.program !== "git") return GIT_RULES.judgeByForm(call);
  const line = GIT_RULES.lineOf(call);
  const settings = ownSettings(call, line);
  const alias = depth > 0 ? aliasOf(line, settings) : null;
  if (alias !== null && !alias.startsWith("!")) return judge(withAlias(call, line, alias), depth - 1, place);
  const found = GIT_RULES.judgeByForm(call) ?? judgeMore(call, line, settings);
  const isShared = found?.rule === "force-push" && pushesSharedBranch(line);
  if (found === null || (found.rule === "run-by-setting" && setsPlainSsh(line))) return null;
  const judged = { ...found, targets: gitTargets(found.rule, line, call, place) };
  return isShared ? { ...judged, decision: "block" } : judged;
}

/** The alias that the command is by these settings, or null. */
function aliasOf({ operands }: CommandLine, settings: ReadonlyMap<string, string>): string | null {
  const name = operands[0]?.word.text ?? "";
  return GIT_COMMANDS.has(name) ? null : (settings.get(`alias.${name.toLowerCase()}`) ?? null);
}

/** The call with the words of an alias in its place. */
function withAlias(call: Call, { operands: [command] }: CommandLine, alias: string): Call {
  if (command === undefined) return call;
  const words = alias.split(/\s+/).map((text) => ({ ...command.word, text: text.replace(/^(["'])(.*)\1$/, "$2") }));
  const rest = call.args.slice(call.args.indexOf(command.word) + 1);
  return { ...call, args: [...words.filter(({ text }) => text !== ""), ...rest] };
}

/** Git settings of a single command, by `-c` or the environment; names in lower case. */
function ownSettings({ variables }: Call, { options }: CommandLine): ReadonlyMap<string, string> {
  // `--config-env NAME=VARIABLE`
  const withValue = (text: string): string =>
    text.replace(/=([^=]*)$/s, (_, name: string) => `=${variables.get(name) ?? ""}`);
  const written = options.flatMap(({ name, value }) =>
    name === "-c" ? [value?.text ?? ""] : name === "--config-env" ? [withValue(value?.text ?? "")] : [],
  );
  const inherited = [...variables].flatMap(([name, value]) => {
    if (name === "GIT_CONFIG_PARAMETERS") return [...value.matchAll(/'([^']*)'/g)].map(([, one = ""]) => one);
    const number = /^GIT_CONFIG_KEY_(\d+)$/.exec(name)?.[1];
    return number === undefined ? [] : [`${value}=${variables.get(`GIT_CONFIG_VALUE_${number}`) ?? ""}`];
  });
  return new Map(
    [...written, ...inherited].map((text) => {
      const [name = "", ...value] = text.split("=");
      return [name.toLowerCase(), value.join("=")];
    }),
  );
}

/** A command that settings or variables make dangerous. */
interface SettingRow {
  readonly rule: Parameters<typeof GIT_RULES.find>[0];
  readonly settings?: string;
  readonly variables?: string;
  /** A pattern for the value, in lower case if it is one of a setting. */
  readonly value: string;
  readonly form: string;
}

const SETTINGS = tableOf<readonly SettingRow[]>(settingTable);

/** Judges calls that the table of forms cannot express. */
function judgeMore(call: Call, line: CommandLine, settings: ReadonlyMap<string, string>): Finding | null {
  if (GIT_RULES.isHarmless(line, call.program)) return null;
  if (movesBranch(call, line)) return GIT_RULES.find("move-branch", call.source);
  const replaced = replacesFiles(line);
  if (replaced === "surely") return GIT_RULES.find("discard-changes", call.source);
  if (replaced === "perhaps")
    return GIT_RULES.find("discard-changes", call.source, {
      decision: "ask",
      effect: "discards uncommitted changes, if that is a file",
      instead: "For a branch, use `git switch`; for a file, set it aside with `git stash push -- FILE`.",
    });
  const set = SETTINGS.find(({ settings: names = "", variables = "", value, form }) => {
    const values = [
      ...namesIn(names).map((name) => settings.get(name)?.toLowerCase()),
      ...namesIn(variables).map((name) => call.variables.get(name)),
    ];
    return hasForm(line, form) && values.some((one) => one !== undefined && new RegExp(value).test(one));
  });
  if (set !== undefined) return GIT_RULES.find(set.rule, call.source);
  return setsHooksPath(line) ? GIT_RULES.find("bypass-hooks", call.source) : null;
}

/** `git config core.hooksPath /dev/null`; a folder of hooks is a normal setting. */
function setsHooksPath({ operands }: CommandLine): boolean {
  const [command, ...rest] = operands.map(({ word }) => word.text);
  const at = rest.findIndex((text) => text.toLowerCase() === "core.hookspath");
  const value = rest[at + 1];
  return command === "config" && at >= 0 && value !== undefined && /^(?:$|\/(?:dev\/|tmp\/|nonexistent))/.test(value);
}

/** `git config core.sshCommand "ssh -i key"`: options with which ssh starts no other program. */
function setsPlainSsh({ operands }: CommandLine): boolean {
  const words = operands.map(({ word }) => word.text);
  const at = words.findIndex((text) => text.toLowerCase() === "core.sshcommand");
  return at > 0 && PLAIN_SSH.test(words[at + 1] ?? "");
}

const PLAIN_SSH =
  /^ssh(?: +(?:-[46AaCnqTtvx]+|-[ip] *[\w./~-]+|-F *\/dev\/null|-o *(?!proxy|local|permitlocal|knownhostsc|pkcs11|securitykey|include|match)\w+[ =][\w./~:-]+))*$/i;

/** What `git checkout` replaces: `checkout .`, `checkout HEAD file`; null if it changes the branch. */
function replacesFiles(line: CommandLine): "surely" | "perhaps" | null {
  if (!hasForm(line, "checkout *") || hasOption(line, "-b -B --orphan -t --track --detach --ours --theirs"))
    return null;
  const [, first, second] = line.operands;
  if (second !== undefined) return "surely";
  if (first === undefined) return null;
  return isPath(first.word) ? "surely" : mayBePath(first.word) ? "perhaps" : null;
}

/** True for a name that no branch can have. */
const isPath = ({ text, isGlob }: Word): boolean => isGlob || /^\.{1,2}(?:$|\/)|^:[/(!]|\/$|^\//.test(text);

/** `next.js` is the name of a branch or of a file. */
const mayBePath = ({ text }: Word): boolean =>
  /\.[a-z][a-z\d]{0,5}$/i.test(text) && !/\d\.x$/i.test(text) && !BRANCH_PREFIX.test(text);

/** `docs/` and `test/` are not here: they are folders as often as prefixes. */
const BRANCH_PREFIX =
  /^(?:feat|feature|fix|bug|bugfix|hotfix|release|chore|refactor|perf|dependabot|renovate|users?|origin|upstream)\//;

/** True for `checkout -B main` and `switch -C main`. Scripts that make up the name at run time make a branch of their own. */
function movesBranch({ args }: Call, { operands: [command] }: CommandLine): boolean {
  const moves = ownValue(MOVES, command?.word.text ?? "");
  if (command === undefined || moves === undefined) return false;
  // `git -C folder switch main` has its -C before the command.
  const words = args.slice(args.indexOf(command.word) + 1).map(({ text }) => text);
  const at = words.findIndex((text) => moves.test(text));
  return at >= 0 && !words.slice(at, at + 2).some((text) => text.includes(UNKNOWN));
}

const MOVES: Readonly<Record<string, RegExp>> = { checkout: /^-[qfpt]*B/, switch: /^(?:-[qfdt]*C|--force-c)/ };

/** True if a push names a branch that others use: `main`, `+HEAD:refs/heads/main`. */
const pushesSharedBranch = ({ operands }: CommandLine): boolean =>
  operands
    .slice(2)
    .map(({ word: { text } }) => text.slice(text.lastIndexOf(":") + 1).replace(/^\+?(?:refs\/heads\/)?/, ""))
    .some((name) => /^(?:main|master|trunk|develop|development|production|release(?:[/-].*)?)$/.test(name));
