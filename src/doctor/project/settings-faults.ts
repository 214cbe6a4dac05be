import { relative } from "node:path";
import { ignoredFilesIn } from "../../config/load-settings.ts";
import type { RunContext } from "../../engine/run-context.ts";
import type { EffectiveSettings } from "../../engine/settings/effective-settings.ts";
import type { ConfigProblem } from "../../protocol/problem.ts";
import { explain } from "../../protocol/problem-message.ts";
import { type Warning, warningText } from "../../protocol/warning.ts";
import type { ProjectFault } from "./project-fault.ts";
import { settingsLine } from "./settings-line.ts";

/** The faults in the settings files of a project, each with its place. */
export function settingsFaults(
  { problems, sharedProblem }: EffectiveSettings,
  { plan, scopes: { projectDir } }: Pick<RunContext, "plan" | "scopes">,
  warnings: readonly Warning[],
): readonly ProjectFault[] {
  const more = plan.files.flatMap(({ moreProblems = [] }) => moreProblems);
  const ignored = ignoredFilesIn(plan, "project").flatMap(({ problem }) => problem ?? []);
  return [
    ...[...problems, ...(sharedProblem === null ? [] : [sharedProblem]), ...more, ...ignored].map((problem) =>
      problemFault(problem, projectDir),
    ),
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

/** True if `settingsFaults` tells it, better. */
export const isSettingsFault = ({ code }: Warning): boolean =>
  code === "SETTINGS_NOT_READ" || code === "NO_SUCH_OVERRIDE";

/** A misspelt override leaves a hook as it was. */
function strayOverride(warning: Warning, { plan }: Pick<RunContext, "plan">): readonly ProjectFault[] {
  if (warning.code !== "NO_SUCH_OVERRIDE") return [];
  const { name } = warning;
  const file = plan.files.find(({ data }) => Object.hasOwn(data.overrides, name))?.file ?? "";
  return [{ ...AT, name, path: file, message: warningText(warning), hint: "Correct the name.", line: null }];
}
