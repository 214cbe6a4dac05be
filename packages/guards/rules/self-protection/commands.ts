import { GUARD_NAMES } from "../../../../src/protocol/guard-settings.ts";
import { nameSet } from "../../../../src/protocol/json/table.ts";
import { isPathArgument } from "../../../../src/protocol/text/shell-quote.ts";
import { UNKNOWN } from "../../../../src/shell/unknown.ts";
import type { Call, Word } from "../../command/call.ts";
import { runsWhat } from "../../command/inline-code/interpreters.ts";
import { hasOption, parseOptions } from "../../command/options.ts";
import { readRules } from "../command-rules.ts";
import table from "./rules.json" with { type: "json" };

export const SELF_RULES = readRules(table);

const LAUNCHERS = nameSet("exec x dlx run -- -c call");
/** Also as the executables of a release are named: hookctl-linux-x64. */
const PACKAGE = /^(?:hookctl(?:-(?:linux|darwin)[\w-]*)?|@hookctl\/[\w-]+)(?:@[\w.^~-]+)?$/;
const SCRIPT = /(?:^|\/)(?:hookctl\.js|hookctl\/(?:bin|dist)\/[\w./-]+\.c?js|bin\/hookctl|@hookctl\/[\w-]+\/hookctl)$/;

/** The call of hookctl that a call is, however it is started; null for any other program. */
export function asHookctl(call: Call): Call | null {
  if (!namesHookctl(call)) return null;
  const { program, args } = call;
  if (PACKAGE.test(program) || SCRIPT.test(call.name.text)) return { ...call, program: "hookctl" };
  const runs = runsWhat(call);
  if (runs.kind === "file" && SCRIPT.test(runs.file.text)) return withArgs(call, args.indexOf(runs.file));
  return STARTERS.test(program) ? launched(call) : null;
}

/** Programs that start a program of a package. */
const STARTERS = /^(?:npm|pnpm|yarn|bun|npx|bunx|pnpx|corepack|volta|fnm|nvm|asdf|mise)$/;

/** False for most calls, without the patterns, which take a moment to compile: each of them has this word in it. */
const namesHookctl = ({ program, name, args }: Call): boolean =>
  [program, name.text].some((text) => text.includes("hookctl")) || args.some(({ text }) => text.includes("hookctl"));

const withArgs = (call: Call, at: number): Call => ({
  ...call,
  program: "hookctl",
  args: call.args.slice(at + 1).filter(({ text }, index) => index > 0 || text !== "--"),
});

/** `npm exec hookctl -- trust`, `yarn hookctl trust`. */
function launched(call: Call): Call | null {
  const at = call.args.findIndex(({ text }) => PACKAGE.test(text) || SCRIPT.test(text));
  if (at === -1) return null;
  const before = call.args.slice(0, at);
  const isStarted = before.every(({ text }) => LAUNCHERS.has(text) || text.startsWith("-") || PACKAGE.test(text));
  const isManaged = before.some(({ text }) =>
    /^(?:install|i|add|ci|uninstall|remove|rm|un|update|up|view|info|why|link|unlink)$/.test(text),
  );
  return isStarted && !isManaged ? withArgs(call, lastName(call.args, at)) : null;
}

/** `npx -p hookctl hookctl trust` names it twice. */
function lastName(args: readonly Word[], first: number): number {
  const next = args[first + 1]?.text === "--" ? first + 2 : first + 1;
  return PACKAGE.test(args[next]?.text ?? "") ? next : first;
}

const MANAGERS = /^(?:npm|pnpm|yarn|bun|volta|brew|apt|apt-get|dnf|yum|pacman|apk)$/;

/** True if a package manager removes hookctl. */
export function removesProgram(call: Call): boolean {
  const { program, args } = call;
  if (!namesHookctl(call) || !MANAGERS.test(program)) return false;
  const parsed = parseOptions(args, { values: "--prefix -C --cwd -w --workspace --filter --dir" });
  if (hasOption(parsed, "--help -h --dry-run")) return false;
  const hasWord = (pattern: RegExp): boolean => parsed.operands.some(({ text }) => pattern.test(text));
  return hasWord(/^(?:uninstall|un|remove|rm|r|unlink|delete|purge)$/) && hasWord(PACKAGE);
}

/** Variables that approve hooks for a call of hookctl. */
export const approvesByVariable = ({ variables }: Call): boolean =>
  ["HOOKCTL_TRUST", "HOOKCTL_TRUST_STORE"].some((name) => (variables.get(name) ?? "") !== "");

/** True if it enables a hook, which may allow calls. Enabling a built-in guard only makes calls stricter. */
export function switchesHookOn(call: Call): boolean {
  const [command, ...names] = SELF_RULES.lineOf(call).operands.map(({ word }) => word.text);
  return /^(?:enable|on)$/.test(command ?? "") && names.some((name) => !isGuardName(name.replace(/-safety$/, "")));
}

/** A path argument approves the hooks there for the call, as `--trust` does. An unknown operand may be a path. */
export function approvesByPath(call: Call): "certain" | "possible" | "no" {
  const [command, ...operands] = SELF_RULES.lineOf(call).operands.map(({ word }) => word.text);
  if (command === "check") return operands.length > 0 ? "certain" : "no";
  if (command !== "test") return "no";
  if (operands.some((text) => isPathArgument(text) || text.startsWith("~"))) return "certain";
  return operands.some((text) => text.startsWith(UNKNOWN)) ? "possible" : "no";
}

const isGuardName = (name: string): boolean => GUARD_NAMES.some((guard) => guard === name);

const NOT_SET = /^(?:|0|false|no|off)$/i;

/** True if a variable switches hooks off, for hookctl itself or for a program that starts it later, such as another agent. */
export function switchesOffByVariable({ program, args, variables }: Call): boolean {
  const exports = /^(?:export|declare|typeset)$/.test(program) ? args : [];
  return ["HOOKCTL_SKIP", "HOOKCTL_NO_HOOKS"].some((name) => {
    const exported = exports.find(({ text }) => text.startsWith(`${name}=`))?.text.slice(name.length + 1);
    return [variables.get(name), exported].some((value) => value !== undefined && !NOT_SET.test(value));
  });
}

/** True if the command of hookctl is known only at run time. */
export const isUnknownCommand = ({ args }: Call): boolean =>
  args.find(({ text }) => !text.startsWith("-"))?.text.startsWith(UNKNOWN) === true;

/** `rm "$(command -v hookctl)"`. */
export const changesFoundProgram = ({ program, args }: Call): boolean =>
  args.some(({ printedBy }) => printedBy.some(findsHookctl)) && CHANGES.test(program);

const CHANGES = /^(?:rm|mv|unlink|shred|chmod|chown|truncate|tee|ln|cp|install|dd|sed)$/;

const findsHookctl = ({ program, args }: Call): boolean =>
  /^(?:which|command|type|whereis|readlink|realpath)$/.test(program) && args.some(({ text }) => text === "hookctl");
