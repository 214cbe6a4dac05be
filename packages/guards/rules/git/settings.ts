import { ownValue } from "../../../../src/protocol/own-value.ts";
import type { Call, Word } from "../../command/call.ts";
import { GIT_COMMANDS } from "../../command/started/follow-git.ts";
import { type CommandLine, hasForm } from "../command-lines.ts";

/** Git settings of a single command, by `-c` or the environment; names in lower case. */
export function ownSettings(call: Call, { options }: CommandLine): ReadonlyMap<string, string> {
  const settings = new Map<string, string>();
  for (const { name, value } of options) {
    if (name === "-c") add(value?.text ?? "", settings);
    if (name === "--config-env") add(fromVariable(value?.text ?? "", call), settings);
  }
  for (const [name, value] of call.variables) {
    const number = /^GIT_CONFIG_KEY_(\d+)$/.exec(name)?.[1];
    if (number !== undefined) add(`${value}=${call.variables.get(`GIT_CONFIG_VALUE_${number}`) ?? ""}`, settings);
    if (name === "GIT_CONFIG_PARAMETERS") for (const [, one = ""] of value.matchAll(/'([^']*)'/g)) add(one, settings);
  }
  return settings;
}

/** `NAME=VARIABLE` of `--config-env` as `NAME=VALUE`. */
const fromVariable = (text: string, { variables }: Call): string =>
  text.replace(/=([^=]*)$/s, (_, name: string) => `=${variables.get(name) ?? ""}`);

function add(text: string, settings: Map<string, string>): void {
  const [name = "", ...value] = text.split("=");
  settings.set(name.toLowerCase(), value.join("="));
}

/** The words of `alias.NAME`, if the command sets and calls it. An alias with `!` is a shell command. */
export function aliasOf(
  args: readonly Word[],
  line: CommandLine,
  settings: ReadonlyMap<string, string>,
): Word[] | null {
  const command = line.operands[0]?.word;
  const alias = settings.get(`alias.${command?.text.toLowerCase()}`);
  if (command === undefined || alias === undefined || alias.startsWith("!") || GIT_COMMANDS.has(command.text))
    return null;
  const words = alias.split(/\s+/).map((text) => ({ ...command, text: text.replace(/^(["'])(.*)\1$/, "$2") }));
  return [...words.filter(({ text }) => text !== ""), ...args.slice(args.indexOf(command) + 1)];
}

/** The alias that `git config alias.NAME VALUE` sets, or null. */
export function newAlias({ operands }: CommandLine): { readonly name: string; readonly value: string } | null {
  const [command, ...rest] = operands.map(({ word }) => word.text);
  const at = rest.findIndex((text) => /^alias\./i.test(text));
  const value = rest[at + 1];
  if (command !== "config" || at === -1 || value === undefined) return null;
  return { name: (rest[at] ?? "").slice("alias.".length).toLowerCase(), value };
}

/** Commands with hooks that check something. */
const RUNS_HOOKS = ["commit", "push", "merge", "rebase", "am", "pull"];

/** Variables with which programs that manage hooks skip them. */
const SKIPS: Readonly<Record<string, RegExp>> = {
  HUSKY: /^0$/,
  HUSKY_SKIP_HOOKS: /./,
  HUSKY_SKIP_INIT: /^1$/,
  LEFTHOOK: /^(?:0|false)$/,
  LEFTHOOK_EXCLUDE: /./,
  OVERCOMMIT_DISABLE: /./,
  PRE_COMMIT_ALLOW_NO_CONFIG: /./,
  SKIP: /./,
};

/** True if hooks of the repository are switched off by settings or variables. */
export function switchesHooksOff(call: Call, line: CommandLine, settings: ReadonlyMap<string, string>): boolean {
  const [command, ...rest] = line.operands.map(({ word }) => word.text);
  if (command === "config" && isHooksPath(rest)) return true;
  if (command === undefined || !RUNS_HOOKS.includes(command)) return false;
  if (settings.has("core.hookspath")) return true;
  return [...call.variables].some(([name, value]) => ownValue(SKIPS, name)?.test(value) === true);
}

/** `git config core.hooksPath /dev/null`; a folder of hooks is a normal setting. */
function isHooksPath(operands: readonly string[]): boolean {
  const at = operands.findIndex((text) => text.toLowerCase() === "core.hookspath");
  const value = operands[at + 1];
  return at >= 0 && value !== undefined && (value === "" || /^\/(?:dev\/|tmp\/|nonexistent)/.test(value));
}

/** True if settings remove a protection that the command has by default. */
export const cleansWithoutForce = (line: CommandLine, settings: ReadonlyMap<string, string>): boolean =>
  /^(?:false|no|off|0)$/i.test(settings.get("clean.requireforce") ?? "") && hasForm(line, "clean !-n|--dry-run");

const hasNoPrune = ({ options }: CommandLine): boolean => options.some(({ name }) => name === "--no-prune");

export const prunesNow = (line: CommandLine, settings: ReadonlyMap<string, string>): boolean =>
  !hasNoPrune(line) &&
  hasForm(line, "gc") &&
  ["gc.pruneexpire", "gc.reflogexpire", "gc.reflogexpireunreachable"].some((name) =>
    /^(?:now|all|0)/i.test(settings.get(name) ?? ""),
  );
