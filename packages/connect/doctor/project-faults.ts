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
import type { Hook } from "../../../src/protocol/hook.ts";
import { matchableFields } from "../../../src/protocol/match.ts";
import type { NotReady } from "../../../src/protocol/not-ready.ts";
import type { ConfigProblem } from "../../../src/protocol/problem.ts";
import { explain } from "../../../src/protocol/problem-messages/explain.ts";
import { nearest } from "../../../src/protocol/text/nearest.ts";
import { listNames } from "../../../src/protocol/text/text.ts";
import { type Warning, warningText } from "../../../src/protocol/warning.ts";
import { KNOWN_NAMES, type KnownTools, unmatchedAgents } from "../../agents/match-coverage.ts";

/** The checks of a project as a whole, in this order. */
export const PROJECT_CHECKS = ["settings are valid", "every hook can start", "every guard can block"] as const;
type ProjectCheck = (typeof PROJECT_CHECKS)[number];

/** A fault that keeps hooks from working as intended, found without running one. */
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
  const more = plan.files.flatMap(({ moreProblems = [] }) => moreProblems);
  const ignored = ignoredFilesIn(plan, "project").flatMap(({ problem }) => problem ?? []);
  return [
    ...[...problems, ...partialProblems, ...more, ...ignored].map((problem) => problemFault(problem, projectDir)),
    ...warnings.flatMap((warning) => strayOverride(warning, { plan })),
  ];
}

/** The place comes first, as editors and CI link it. */
function problemFault(problem: ConfigProblem, projectDir: string): ProjectFault {
  const { summary, hint } = explain(problem);
  const { file } = problem;
  const line = settingsLine(problem);
  const shown = `${relative(projectDir, file)}${line === null ? "" : `:${line}`}`;
  return { ...AT, name: "", path: file, message: summary.replace(file, shown), hint, line };
}

const AT = { check: "settings are valid" } as const;

/** True if `settingsFaults` reports it in more detail. */
export const isSettingsFault = ({ code }: Warning): boolean =>
  code === "SETTINGS_NOT_READ" || code === "ENTRY_NOT_USED" || code === "NO_SUCH_OVERRIDE";

/** A misspelt override leaves a hook as it was. */
function strayOverride(warning: Warning, { plan }: Pick<RunContext, "plan">): readonly ProjectFault[] {
  if (warning.code !== "NO_SUCH_OVERRIDE") return [];
  const { name } = warning;
  const file = plan.files.find(({ data }) => Object.hasOwn(data.overrides, name))?.file ?? "";
  return [{ ...AT, name, path: file, message: warningText(warning), hint: "Correct the name.", line: null }];
}

/** The line of a settings file that a problem is about; null if not known. */
function settingsLine(problem: ConfigProblem): number | null {
  const { file } = problem;
  const read = readIfPresent(file);
  if (!read.ok || read.value === null) return null;
  const located = readLocated(read.value.toString("utf8"), file);
  if (!located.ok) return located.error.line;
  const path = pathOf(problem);
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

/** Guards that no call can trigger as they are declared and configured. */
export function inertGuards(
  hooks: readonly Hook[],
  guards: readonly EffectiveGuard[],
  agents: readonly KnownTools[],
): readonly ProjectFault[] {
  const on = hooks.filter(({ kind, disabledReason }) => kind !== "guard" && disabledReason === null);
  return [
    ...on.flatMap((hook) => [...closedInVain(hook), ...matchesNoField(hook), ...matchesNoTool(hook, agents)]),
    ...guards.flatMap((guard) => [...onlyObserves(guard), ...guardsNothing(guard)]),
  ];
}

const fault = (about: Pick<ProjectFault, "name" | "path" | "message" | "hint">): ProjectFault => ({
  ...about,
  check: "every guard can block",
  line: null,
});

/** The failure of a fail-closed hook blocks, so the hook should be able to block. */
function closedInVain({ name, path, failOpen, observe, events }: Hook): readonly ProjectFault[] {
  if (failOpen || observe || events.length === 0 || events.some(canBlockAt)) return [];
  const message = `${name} is fail-closed, but what it handles cannot be blocked: ${listNames(events)}`;
  const hint = "Let it handle an event that can be blocked, such as before_tool_call: docs/events.md";
  return [fault({ name, path, message, hint })];
}

/** Such a condition matches no payload. */
function matchesNoField({ name, path, match, events, dialect, dialects }: Hook): readonly ProjectFault[] {
  if (events.length === 0) return [];
  const named = events.map((event): NamedEvent => ({ event, dialect: dialects?.[event] ?? dialect }));
  const known = [...new Set(events.flatMap(matchableFields))];
  // Such a dialect passes on the caller's fields under any name.
  const isOpen = named.some((one) => DIALECTS[one.dialect].passThrough !== undefined);
  const fields = new Set(Object.keys(match ?? {}).map((one) => one.split(".")[0] ?? one));
  return [...fields].flatMap((field) => {
    const meant = nearest(field, known);
    if (named.some((one) => hasField(one, field)) || (isOpen && meant === null)) return [];
    const message = `${name} never runs: its match names the field ${field}, which ${listNames(events)} does not have`;
    const hint = meant === null ? `It has ${listNames(known)}.` : `Did you mean ${meant}?`;
    return [fault({ name, path, message, hint })];
  });
}

/** True if a payload of the event has the field, by hookctl's name or by one of the dialect. */
function hasField(named: NamedEvent, field: string): boolean {
  const { extraFields, sample } = DIALECTS[named.dialect];
  return [...matchableFields(named.event), ...Object.keys({ ...extraFields, ...sample })].some(
    (known) => known === field || known === canonicalField(named, field),
  );
}

/** A tool of an MCP server or a plugin may have any name that is not similar to a known one. */
function matchesNoTool(hook: Hook, agents: readonly KnownTools[]): readonly ProjectFault[] {
  if (unmatchedAgents(hook, agents).length < agents.length) return [];
  const { name, path, match } = hook;
  const near = [match?.tool_name ?? []].flat().flatMap((pattern) => nearest(pattern, KNOWN_NAMES) ?? []);
  const message = `${name} never matches a tool of any agent`;
  return [
    fault({
      name,
      path,
      message,
      hint: near[0] === undefined ? "Names of tools: docs/events.md#tools" : `Did you mean ${near[0]}?`,
    }),
  ];
}

function onlyObserves({ name, file, observe }: EffectiveGuard): readonly ProjectFault[] {
  if (!observe) return [];
  const message = `${name} only records what it would stop (observe: true)`;
  return [{ ...fault({ name, path: file, message, hint: "" }), isNote: true }];
}

function guardsNothing({ name, file, paths }: EffectiveGuard): readonly ProjectFault[] {
  if (name !== "protected-paths" || paths.length > 0) return [];
  const message = `${name} guards nothing: it has no \`paths\``;
  return [fault({ name, path: file, message, hint: 'Name files: "paths": ["infra/**"]' })];
}
