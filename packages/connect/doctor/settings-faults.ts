import { basename, relative } from "node:path";
import { ignoredFilesIn } from "../../../src/config/load-settings.ts";
import { readLocated } from "../../../src/config/located-text.ts";
import type { RunContext } from "../../../src/engine/run-context.ts";
import type { EffectiveSettings } from "../../../src/engine/settings/effective-settings.ts";
import { readIfPresent } from "../../../src/fs/read-file.ts";
import type { NotReady } from "../../../src/protocol/hook.ts";
import type { ConfigProblem } from "../../../src/protocol/problem.ts";
import { explain } from "../../../src/protocol/problem-messages/explain.ts";
import { type Warning, warningText } from "../../../src/protocol/warning.ts";

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
