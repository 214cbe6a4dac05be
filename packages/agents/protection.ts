import { type ParseError, parse as parseJson } from "jsonc-parser";
import { parse as parseToml } from "smol-toml";
import { AGENT_NAMES, type AgentName } from "../../src/protocol/agent-names.ts";
import { isDisarmingVariable } from "../../src/protocol/disarming-variables.ts";
import {
  arrayOr,
  isObject,
  JSON_DEPTH,
  objectOr,
  readJson,
  stringOr,
  type UncheckedObject,
} from "../../src/protocol/json/read.ts";
import { formerAddressAgent } from "./agent.ts";
import type { FoundRegistration } from "./agent-install.ts";
import { AGENT_INSTALLS } from "./agents.ts";
import { registrationsInModule } from "./hookctl-module.ts";

/** `module`: a plugin that hookctl generates for an agent without command hooks. */
export type ProtectedFormat = "json" | "toml" | "module";

/** An entry of hookctl in an agent's settings. Two entries are the same if all fields are equal. */
export interface ProtectedEntry {
  readonly event: string;
  /** A command, or an address that an earlier version registered: sealed settings can hold it. */
  readonly command: string;
  /** The other keys of its handler and of its group as JSON with sorted keys: `timeout`, `matcher`, `async`, … */
  readonly options: string;
}

/** Those parts of an agent's settings on which hookctl depends. */
export interface Protection {
  /** `lenient`: some readers of JSON refuse it, because of comments, a trailing comma, a byte order mark or a double key. */
  readonly readable: "strict" | "lenient" | "no";
  readonly entries: readonly ProtectedEntry[];
  /** Each setting that stops the agent from running hooks, as `path=JSON`: `disableAllHooks=true`. */
  readonly disabling: readonly string[];
  /** The variables for hooks that can disarm them, with their values. */
  readonly environment: Readonly<Record<string, string>>;
  /** The keys that the agent requires beside its hooks, as `key=JSON`. */
  readonly required: readonly string[];
  /** The settings by which a person trusts folders and hooks, as `path=JSON`. Agents change them themselves. */
  readonly trust: readonly string[];
}

/** A difference between two protections by which hookctl protects less than before. */
export type Weakening =
  | { readonly kind: "unreadable" }
  | { readonly kind: "entry-lost"; readonly event: string; readonly command: string }
  | { readonly kind: "hooks-disabled"; readonly key: string }
  | { readonly kind: "environment"; readonly name: string }
  | { readonly kind: "required-key"; readonly key: string };

/** The protection by the text of an agent's settings file. An empty text is a file without settings. */
export function protectionOf(agent: AgentName, text: string, format: ProtectedFormat): Protection {
  const { settings, readable } = settingsIn(text, format);
  const found = entriesIn(settings, agent);
  return {
    readable,
    entries: found.map(({ entry }) => entry),
    disabling: disablingIn(settings, found),
    environment: environmentIn(settings),
    required: requiredIn(settings, agent),
    trust: trustIn(settings),
  };
}

/** The weakenings between two states of one file; none if the second protects as much as the first. */
export function weakenings(before: Protection, after: Protection): readonly Weakening[] {
  const kept = new Set(after.entries.map(identity));
  const lost = before.entries.filter((entry) => !kept.has(identity(entry)));
  // An agent that cannot read a file without entries of hookctl loses nothing of it.
  if (before.entries.length > 0 && before.readable !== "no" && isLess(after, before)) return [{ kind: "unreadable" }];
  return [
    ...lost.map(({ event, command }) => ({ kind: "entry-lost" as const, event, command })),
    ...after.disabling
      .filter((key) => !before.disabling.includes(key))
      .map((key) => ({ kind: "hooks-disabled" as const, key })),
    ...Object.entries(after.environment)
      .filter(([name, value]) => before.environment[name] !== value)
      .map(([name]) => ({ kind: "environment" as const, name })),
    ...Object.entries(before.environment)
      .filter(([name, value]) => value.includes(OF_CAGE) && after.environment[name] === undefined)
      .map(([name]) => ({ kind: "environment" as const, name })),
    ...before.required
      .filter((key) => before.entries.length > 0 && lost.length === 0 && !after.required.includes(key))
      .map((key) => ({ kind: "required-key" as const, key })),
  ];
}

/** In the path of the shells that the cage gives to agents. */
const OF_CAGE = "/hookctl/cage/";

/** The trust that is in the first state only, and new distrust. No weakening: agents withdraw and renew it in their work. */
const lostTrust = (before: Protection, after: Protection): readonly string[] => [
  ...before.trust.filter((one) => !after.trust.includes(one)),
  ...after.trust.filter((one) => /=(?:false|"untrusted"|"never")$/.test(one) && !before.trust.includes(one)),
];

/** One sentence part for a person: `the entry of PreToolUse is gone or changed`. */
export function weakeningText(weakening: Weakening): string {
  switch (weakening.kind) {
    case "unreadable":
      return "the agent can no longer read the file";
    case "entry-lost":
      return `hookctl's entry for ${weakening.event} is removed or changed`;
    case "hooks-disabled":
      return `${weakening.key} stops the agent from running hooks`;
    case "environment":
      return `the variable ${weakening.name} changes how hooks run`;
    case "required-key":
      return `${weakening.key}, which the agent needs to read hooks, is removed or changed`;
  }
}

const READABLE = ["no", "lenient", "strict"];
const isLess = (one: Protection, other: Protection): boolean =>
  READABLE.indexOf(one.readable) < READABLE.indexOf(other.readable);

const identity = ({ event, command, options }: ProtectedEntry): string => JSON.stringify([event, command, options]);

type ReadSettings = Pick<Protection, "readable"> & { readonly settings: UncheckedObject };

/** The settings in a text; a module becomes an object with its registrations. Empty if the text cannot be parsed. */
export function settingsIn(text: string, format: ProtectedFormat): ReadSettings {
  if (format === "module") return { settings: moduleSettings(text), readable: "strict" };
  if (text.trim() === "") return { settings: {}, readable: "strict" };
  const body = text.replace(/^\ufeff/, "");
  if (format === "toml") return tomlSettings(body);
  const faults: ParseError[] = [];
  const parsed: unknown = parseJson(body, faults, { allowTrailingComma: true });
  if (faults.length > 0 || !isObject(parsed)) return { settings: objectOr(parsed), readable: "no" };
  // Of two equal keys some readers take the first, others the last.
  return { settings: parsed, readable: readJson(text, JSON_DEPTH).ok ? "strict" : "lenient" };
}

/** Every other change of a module is a change of code, so the whole text is an option of its entries. */
const moduleSettings = (text: string): UncheckedObject => ({
  hooks: Object.fromEntries(
    Object.entries(registrationsInModule(text)).map(([event, command]) => [event, [{ command, module: text }]]),
  ),
});

function tomlSettings(text: string): ReadSettings {
  try {
    return { settings: objectOr(parseToml(text)), readable: "strict" };
  } catch {
    return { settings: {}, readable: "no" };
  }
}

/** True for a command or a former address of hookctl, also if somebody has edited it. */
const isOwn = (command: string): boolean =>
  /hookctl[\s\S]* bridge /.test(command) || formerAddressAgent(command) !== null;

interface FoundEntry {
  readonly entry: ProtectedEntry;
  readonly registration: FoundRegistration;
}

function entriesIn(settings: UncheckedObject, agent: AgentName): readonly FoundEntry[] {
  // The agent's trust in an entry holds for its position.
  const hasPosition = AGENT_INSTALLS[agent].trustsEachEntry === true;
  const groups = Object.entries(objectOr(settings.hooks)).flatMap(([event, list]) =>
    arrayOr(list).map((group, at) => ({ event, at, group: objectOr(group) })),
  );
  return groups.flatMap(({ event, at, group: { hooks, ...group } }) => {
    const isGroup = Array.isArray(hooks);
    return (isGroup ? hooks.map(objectOr) : [group]).flatMap((handler, index): readonly FoundEntry[] => {
      const { command: line, url, ...options } = handler;
      const command = stringOr(line ?? url);
      if (!isOwn(command)) return [];
      const position = hasPosition ? { position: [at, index] } : {};
      return [
        {
          entry: { event, command, options: sorted({ ...options, around: isGroup ? group : {}, ...position }) },
          registration: { event, command, group: at, handler: index, matcher: stringOr(group.matcher) },
        },
      ];
    });
  });
}

/** JSON with the keys of each object in alphabetical order. */
const sorted = (value: unknown): string =>
  JSON.stringify(value, (_, one: unknown) =>
    isObject(one) ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1))) : one,
  );

/** Agents rename such settings, and new ones come: a name that says it is enough. */
const DISABLES = /^(?:disable_?(?:all_?)?hooks|hooks_?disabled|allow_?managed_?hooks_?only|no_?hooks)$/i;
const ENABLES = /^(?:hooks_?enabled|enable_?(?:all_?)?hooks|codex_hooks)$/i;

function disablingIn(settings: UncheckedObject, entries: readonly FoundEntry[]): readonly string[] {
  const registrations = entries.map(({ registration }) => registration);
  const switches = Object.values(AGENT_INSTALLS)
    .flatMap((install) => install.switches)
    .filter(({ key }) => key.length > 0 && key[0] !== "env");
  const found = leavesOf(settings, []).flatMap(([path, value]) => {
    // A setting may also be in a profile, which another setting chooses.
    const isSwitched = switches.some(
      ({ key, disablesHooks }) =>
        key.join(".") === path.slice(-key.length).join(".") && disablesHooks(value, registrations),
    );
    return isSwitched || path.some((key) => isDisabling(key, value)) || isOff(path, value) ? [path.join(".")] : [];
  });
  return [...new Set(found)];
}

/** `hooks.enabled`, and a list of hooks that are off with one of hookctl's in it, wherever that is registered. */
function isOff(path: readonly string[], value: unknown): boolean {
  const [parent = "", key] = path.slice(-2);
  if (path.length !== 2 || !/^hooks/i.test(parent)) return false;
  return key === "enabled"
    ? isNo(value)
    : key === "disabled" && arrayOr(value).some((one) => /hookctl|^\*$/.test(String(one)));
}

const isDisabling = (key: string, value: unknown): boolean =>
  (DISABLES.test(key) && !isNo(value)) || (ENABLES.test(key) && isNo(value));

const isNo = (value: unknown): boolean =>
  value === null || value === undefined || /^(?:false|0|no|off|)$/i.test(String(value));

type Leaf = readonly [path: readonly string[], value: unknown];

/** The values that are no objects, each with its path. */
const leavesOf = (value: unknown, path: readonly string[]): readonly Leaf[] =>
  isObject(value) ? Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, [...path, key])) : [[path, value]];

const trustIn = (settings: UncheckedObject): readonly string[] =>
  leavesOf(settings, []).flatMap(([path, value]) =>
    path.some((key) => /trust/i.test(key)) || (path[0] === "hooks" && path[1] === "state")
      ? (Array.isArray(value) ? value : [value]).map((one) => `${path.join(".")}=${sorted(one)}`)
      : [],
  );

/** The variables that agents give to hooks: Claude Code's `env`, and the policy of Codex. */
function environmentIn(settings: UncheckedObject): Readonly<Record<string, string>> {
  const policy = objectOr(settings.shell_environment_policy);
  const variables = [settings.env, settings.environment, policy.set].flatMap((one) => Object.entries(objectOr(one)));
  return Object.fromEntries(
    variables
      .filter(([name, value]) => isDisarmingVariable(name) && !isHarmlessValue(name, String(value)))
      .map(([name, value]) => [name, JSON.stringify(value) ?? ""]),
  );
}

/** Options of Node that load no code: `NODE_OPTIONS=--max-old-space-size=4096`. */
const isHarmlessValue = (name: string, value: string): boolean =>
  name === "NODE_OPTIONS" && !/(?:^|\s)-(?!-(?:max-|no-warnings|no-deprecation|stack-trace|trace-))/.test(value);

function requiredIn(settings: UncheckedObject, agent: AgentName): readonly string[] {
  const { format } = AGENT_INSTALLS[agent];
  const root = format.kind === "settings" ? { ...format.root, ...format.machineRoot } : {};
  return Object.entries(root)
    .filter(([key, value]) => settings[key] !== undefined && sorted(settings[key]) === sorted(value))
    .map(([key, value]) => `${key}=${sorted(value)}`);
}

/** What an edit of a settings file loses, each with the decision of a guard on it. */
export function lossesOfSettings(
  { agent, path }: { readonly agent: string; readonly path: string },
  before: string,
  after: string,
): readonly { readonly decision: "block" | "ask"; readonly text: string }[] {
  const name = AGENT_NAMES.find((one) => one === agent);
  if (name === undefined) return [];
  const format = path.endsWith(".toml") ? "toml" : "json";
  const [old, now] = [protectionOf(name, before, format), protectionOf(name, after, format)];
  // A file about trust has no other content.
  const trust = /trust[^/]*$/i.test(path) && before.trim() !== "" && before !== after ? [path] : lostTrust(old, now);
  return [
    ...weakenings(old, now).map((one) => ({
      decision: one.kind === "environment" ? ("ask" as const) : ("block" as const),
      text: weakeningText(one),
    })),
    ...trust.map((one) => ({ decision: "ask" as const, text: `the agent's trust is changed: ${one}` })),
  ];
}
