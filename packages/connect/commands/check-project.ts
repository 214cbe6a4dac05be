import { relative } from "node:path";
import type { CommonOptions } from "../../../src/cli/command-table.ts";
import type { CreatedContext } from "../../../src/engine/create-run-context.ts";
import { withMissingCommands } from "../../../src/engine/hooks/missing-command.ts";
import type { Host } from "../../../src/engine/host.ts";
import { findNotReady, preventsStart } from "../../../src/engine/not-ready.ts";
import { isInside } from "../../../src/fs/paths.ts";
import { AGENT_NAMES } from "../../../src/protocol/agent-names.ts";
import type { Hook } from "../../../src/protocol/hook.ts";
import type { Problem } from "../../../src/protocol/problem.ts";
import type { Warning } from "../../../src/protocol/warning.ts";
import { knownTools } from "../../agents/match-coverage.ts";
import type { TestRun } from "../../testing/run-tests.ts";
import {
  type CheckedHook,
  type CheckResult,
  failedCheck,
  hasPassed,
  passedCheck,
  resultOf,
  type TestReport,
} from "../../testing/test-report.ts";
import { projectRegistrationFaults } from "../doctor/agent-checks.ts";
import { inertGuards } from "../doctor/inert-guards.ts";
import { isSettingsFault, PROJECT_CHECKS, type ProjectFault, settingsFaults } from "../doctor/settings-faults.ts";
import { requirementsOf } from "../install/hook-requirements.ts";

/** A project whose hooks have been tested. */
export interface ProjectUnderCheck extends CreatedContext, TestRun {
  readonly options: CommonOptions;
  /** True if all hooks are switched off for the call. */
  readonly isOff: boolean;
  /** The arguments of `hookctl` that check the project again. */
  readonly again: string;
}

/** The report of the tests, with the faults of the project itself. Empty if there is nothing to check. */
export async function checkProject(project: ProjectUnderCheck, outside: Host): Promise<TestReport> {
  const { report, context, loaded } = project;
  const hooks = withMissingCommands(project.found.hooks, context);
  // Variables of an agent could lead to the settings of this user.
  const host = { ...outside, env: { PATH: outside.env.PATH } };
  const warnings = [...loaded.warnings, ...report.warnings];
  const faults = [
    ...settingsFaults(loaded, context, warnings),
    ...startFaults(project, hooks, warnings),
    ...inertGuards(hooks, context.settings.guards, await knownTools(AGENT_NAMES)),
    ...(await unreachedHooks(project, hooks, host)),
  ];
  const isEmpty = hooks.length + faults.length + report.caseFaults.length === 0;
  return {
    ...report,
    hooks: isEmpty ? [] : [...report.hooks, ...entriesOf(faults, project)],
    // A fault reports the same, with a hint.
    skipped: report.skipped.filter(({ why }) => why !== "unapproved"),
    warnings: warnings.filter((warning) => !preventsStart(warning) && !isSettingsFault(warning)),
  };
}

/** The findings of `list --strict`, without the hooks whose own tests report them. */
function startFaults(
  { report, found, isOff, options }: ProjectUnderCheck,
  hooks: readonly Hook[],
  warnings: readonly Warning[],
): readonly ProjectFault[] {
  const told = new Set(report.hooks.filter((hook) => !hasPassed(hook)).map(({ path }) => path));
  const notReady = findNotReady({
    hooks,
    skipped: found.skipped,
    isOff,
    choice: options,
    warnings: warnings.filter((warning) => !isSettingsFault(warning)),
  });
  return notReady
    .filter(({ path }) => path === "" || !told.has(path))
    .map((one) => ({
      ...one,
      check: "every hook can start",
      hint: AWAIT_APPROVAL.has(one.code) ? "Read it, then: hookctl check ." : one.hint,
      line: null,
    }));
}

/** Starts that need a user's confirmation first, such as the name of the folder. */
const AWAIT_APPROVAL: ReadonlySet<string> = new Set<Problem["code"] | Warning["code"]>([
  "HOOK_REFUSED_UNTRUSTED",
  "HOOK_REFUSED_CHANGED",
  "SETTINGS_NOT_APPROVED",
  "SETTINGS_CHANGED",
]);

/** Hooks that the agents registered in the project's own settings do not call. */
async function unreachedHooks(
  { options, context: { scopes } }: ProjectUnderCheck,
  hooks: readonly Hook[],
  host: Host,
): Promise<readonly ProjectFault[]> {
  const found = await projectRegistrationFaults({ options, scopes, needs: requirementsOf(hooks) }, host);
  return found.map(({ check, file }) => ({
    check: "every guard can block",
    name: "",
    path: file,
    line: null,
    message: check.detail,
    hint: check.hint ?? "",
  }));
}

/** The project with each passed check, then each file with its faults. */
function entriesOf(
  faults: readonly ProjectFault[],
  { context: { scopes }, again }: ProjectUnderCheck,
): readonly CheckedHook[] {
  const failed = new Set(faults.filter(({ isNote }) => !isNote).map(({ check }) => check));
  const passed = PROJECT_CHECKS.filter((name) => !failed.has(name)).map((name) => resultOf(name, passedCheck()));
  const whole = faults.filter(({ path }) => path === "").map(faultResult);
  const paths = [...new Set(faults.map(({ path }) => path))].filter((path) => path !== "");
  const entry = (name: string, path: string, checks: readonly CheckResult[]): CheckedHook => ({
    name,
    path,
    again,
    checks,
    notes: [],
    skippedChecks: [],
    isProject: true,
  });
  return [
    entry("project", scopes.projectDir, [...passed, ...whole]),
    ...paths.map((path) => {
      const here = faults.filter((fault) => fault.path === path);
      const name = here.find((fault) => fault.name !== "")?.name ?? pathFrom(scopes.projectDir, path);
      return entry(name, path, here.map(faultResult));
    }),
  ];
}

/** A file outside of the project keeps its path. */
const pathFrom = (folder: string, path: string): string => (isInside(folder, path) ? relative(folder, path) : path);

function faultResult({ check, message, hint, line, isNote }: ProjectFault): CheckResult {
  const finding = isNote ? passedCheck(message) : failedCheck(message, hint);
  return { ...resultOf(check, finding), caseLine: line ?? undefined };
}
