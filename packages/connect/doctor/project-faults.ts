import { basename, relative } from "node:path";
import { ignoredFilesIn } from "../../../src/config/load-settings.ts";
import { readLocated } from "../../../src/config/located-text.ts";
import { DIALECTS } from "../../../src/dialects/dialects.ts";
import { canBlockAt } from "../../../src/engine/hooks/apply-settings.ts";
import type { RunContext } from "../../../src/engine/run-context.ts";
import type { EffectiveSettings } from "../../../src/engine/settings/effective-settings.ts";
import { readIfPresent } from "../../../src/fs/read-file.ts";
import { canonicalField, type NamedEvent } from "../../../src/protocol/event.ts";
import type { EffectiveGuard } from "../../../src/protocol/guard-settings.ts";
import type { Hook, NotReady } from "../../../src/protocol/hook.ts";
import { isObject } from "../../../src/protocol/json/read.ts";
import { matchableFields } from "../../../src/protocol/match.ts";
import type { ConfigProblem } from "../../../src/protocol/problem.ts";
import { explain } from "../../../src/protocol/problem-messages/explain.ts";
import { nearest } from "../../../src/protocol/text/nearest.ts";
import { listNames } from "../../../src/protocol/text/text.ts";
import { type Warning, warningText } from "../../../src/protocol/warning.ts";
import { KNOWN_NAMES, type KnownTools, type MatchingHook, unmatchedAgents } from "../../agents/match-coverage.ts";

/** The checks of a project as a whole, in this order. */
export const PROJECT_CHECKS = ["settings are valid", "every hook can start", "every guard can block"] as const;
type ProjectCheck = (typeof PROJECT_CHECKS)[number];

/** A fault that keeps hooks from working as intended, found without running a hook. */
export interface ProjectFault extends Omit<NotReady, "code"> {
  readonly check: ProjectCheck;
  /** In the file of `path`, from 1; null if not known. */
  readonly line: number | null;
  /** True if a person may want it so: it is shown, and fails nothing. */
  readonly isNote?: true;
}

/** The faults in the settings files of a project, each with its place. */
export function settingsFaults(
  { problems, partialProblems }: EffectiveSettings,
  { plan, scopes: { projectDir } }: Pick<RunContext, "plan" | "scopes">,
  warnings: readonly Warning[],
): readonly ProjectFault[] {
  const check = "settings are valid";
  const more = plan.files.flatMap(({ moreProblems = [] }) => moreProblems);
  const ignored = ignoredFilesIn(plan, "project").flatMap(({ problem }) => problem ?? []);
  const invalid = [...problems, ...partialProblems, ...more, ...ignored].map((problem): ProjectFault => {
    const { summary, hint } = explain(problem);
    const { file: path } = problem;
    const line = settingsLine(problem);
    // The place comes first, as editors and CI link it.
    const message = summary.replace(path, `${relative(projectDir, path)}${line === null ? "" : `:${line}`}`);
    return { check, name: "", path, message, hint, line };
  });
  // A misspelt name of a hook or a rule leaves it as it was.
  const stray = warnings.flatMap((warning): readonly ProjectFault[] => {
    if (warning.code !== "NO_SUCH_OVERRIDE" && warning.code !== "NO_SUCH_RULE") return [];
    const { name } = warning;
    const [guard = "", rule = ""] = name.split("/");
    const keys = warning.code === "NO_SUCH_RULE" ? ["guards", guard, "rules", rule] : ["overrides", name];
    const path = plan.files.find(({ data }) => hasKeys(data, keys))?.file ?? "";
    const line = path === "" ? null : lineIn(path, keys);
    return [{ check, name, path, message: warningText(warning), hint: "Correct the name.", line }];
  });
  return [...invalid, ...stray];
}

const hasKeys = (data: unknown, [key, ...rest]: readonly string[]): boolean =>
  key === undefined || (isObject(data) && Object.hasOwn(data, key) && hasKeys(data[key], rest));

/** True if `settingsFaults` reports it in more detail. */
export const isSettingsFault = ({ code }: Warning): boolean => DETAILED.has(code);

const DETAILED: ReadonlySet<Warning["code"]> = new Set([
  "SETTINGS_NOT_READ",
  "ENTRY_NOT_USED",
  "NO_SUCH_OVERRIDE",
  "NO_SUCH_RULE",
]);

/** The line of a settings file that a problem is about; null if not known. */
const settingsLine = (problem: ConfigProblem): number | null => lineIn(problem.file, pathOf(problem));

/** The line of a value, or of the fault because of which the file cannot be parsed. */
function lineIn(file: string, path: readonly (string | number)[]): number | null {
  const read = readIfPresent(file);
  if (!read.ok || read.value === null) return null;
  const located = readLocated(read.value.toString("utf8"), file);
  if (!located.ok) return located.error.line;
  const isPackage = basename(file) === "package.json";
  return path.length === 0 ? null : located.value.lineOf(isPackage ? ["hookctl", ...path] : path);
}

/** `hooks.before_tool_call[0]` as keys and indexes. A part that is no key of the file ends at the value around it. */
function pathOf(problem: ConfigProblem): readonly (string | number)[] {
  if (!("entry" in problem)) return [];
  const parts = problem.entry === "the file" ? [] : problem.entry.split(/[.[\]]+|: /).filter((part) => part !== "");
  const path = parts.map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  return problem.code === "CONFIG_UNKNOWN_KEY" ? [...path, problem.key] : path;
}

/** Why the hook's match fits no payload, or no tool of an agent. */
export const inertMatch = (hook: NamedMatch, agents: readonly KnownTools[]): readonly Inert[] => [
  ...matchesNoField(hook),
  ...matchesNoTool(hook, agents),
];

export type NamedMatch = MatchingHook & Pick<Hook, "name">;

/** Guards that no call can trigger as they are declared and configured. */
export function inertGuards(
  hooks: readonly Hook[],
  guards: readonly EffectiveGuard[],
  agents: readonly KnownTools[],
): readonly ProjectFault[] {
  const fault = (name: string, path: string, [message, hint]: Inert): ProjectFault => {
    return { check: "every guard can block", name, path, line: null, message, hint };
  };
  const enabled = hooks.filter(({ kind, disabledReason }) => kind !== "guard" && disabledReason === null);
  const ofHooks = enabled.flatMap((hook) =>
    [...closedInVain(hook), ...inertMatch(hook, agents)].map((inert) => fault(hook.name, hook.path, inert)),
  );
  const ofGuards = guards.flatMap(({ name, file, observe, paths }): readonly ProjectFault[] => {
    const onlyObserves: Inert = [`${name} is set to observe: it records, and blocks nothing`, ""];
    const hasNoPaths: Inert = [`${name} protects nothing: it has no \`paths\``, 'Name files: "paths": ["infra/**"]'];
    return [
      ...(observe ? [{ ...fault(name, file, onlyObserves), isNote: true as const }] : []),
      ...(name === "protected-paths" && paths.length === 0 ? [fault(name, file, hasNoPaths)] : []),
    ];
  });
  return [...ofHooks, ...ofGuards];
}

/** Why no call triggers a guard. */
type Inert = readonly [message: string, hint: string];

/** The failure of a fail-closed hook blocks, so the hook should be able to block. */
function closedInVain({ name, failOpen, observe, events }: Hook): readonly Inert[] {
  if (failOpen || observe || events.length === 0 || events.some(canBlockAt)) return [];
  const message = `${name} is fail-closed, but its events cannot be blocked: ${listNames(events)}`;
  return [[message, "Make it handle an event that can be blocked, such as before_tool_call: docs/events.md"]];
}

/** A condition on a field that no payload has. */
function matchesNoField({ name, match, events, dialect, dialects }: NamedMatch): readonly Inert[] {
  if (events.length === 0) return [];
  const named = events.map((event): NamedEvent => ({ event, dialect: dialects?.[event] ?? dialect }));
  const known = [...new Set(events.flatMap(matchableFields))];
  // A dialect may pass on the caller's fields under any name.
  const isOpen = named.some((event) => DIALECTS[event.dialect].passThrough !== undefined);
  const fields = new Set(Object.keys(match ?? {}).map((key) => key.split(".")[0] ?? key));
  return [...fields].flatMap((field): readonly Inert[] => {
    const near = nearest(field, known);
    if (named.some((event) => hasField(event, field)) || (isOpen && near === null)) return [];
    const message = `${name} never runs: its match names the field ${field}, which ${listNames(events)} does not have`;
    return [[message, near === null ? `It has ${listNames(known)}.` : `Did you mean ${near}?`]];
  });
}

/** True if a payload of the event has the field, by hookctl's name or by a name of the dialect. */
function hasField(named: NamedEvent, field: string): boolean {
  const { extraFields, sample } = DIALECTS[named.dialect];
  const known = [...matchableFields(named.event), ...Object.keys({ ...extraFields, ...sample })];
  return known.includes(field) || known.includes(canonicalField(named, field));
}

/** A tool of an MCP server or a plugin may have any name that is not similar to a known name. */
function matchesNoTool(hook: NamedMatch, agents: readonly KnownTools[]): readonly Inert[] {
  if (unmatchedAgents(hook, agents).length < agents.length) return [];
  const patterns = [hook.match?.tool_name ?? []].flat();
  const [near] = patterns.flatMap((pattern) => nearest(pattern, KNOWN_NAMES) ?? []);
  const hint = near === undefined ? "Names of tools: docs/events.md#tools" : `Did you mean ${near}?`;
  return [[`${hook.name} never matches a tool of any agent`, hint]];
}
