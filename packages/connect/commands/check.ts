import { relative, resolve } from "node:path";
import type { CommandResult } from "../../../src/cli/command-result.ts";
import type { CommandLine, CommonOptions } from "../../../src/cli/command-table.ts";
import { type CreatedContext, createRunContext } from "../../../src/engine/create-run-context.ts";
import { withMissingCommands } from "../../../src/engine/hooks/missing-command.ts";
import type { Host } from "../../../src/engine/host.ts";
import { findNotReady, preventsStart } from "../../../src/engine/not-ready.ts";
import { hooksAreOff, type RunContext } from "../../../src/engine/run-context.ts";
import { isInside } from "../../../src/fs/paths.ts";
import { AGENT_NAMES } from "../../../src/protocol/agent-names.ts";
import type { Hook } from "../../../src/protocol/hook.ts";
import type { Problem } from "../../../src/protocol/problem.ts";
import { ProblemError, unwrap } from "../../../src/protocol/result.ts";
import { shellQuote } from "../../../src/protocol/text/shell-quote.ts";
import type { Warning } from "../../../src/protocol/warning.ts";
import { knownTools } from "../../agents/match-coverage.ts";
import { allExampleFaults, allUnknownRules } from "../../guard-hooks/rule-checks.ts";
import { readTestOptions, testAndReport } from "../../testing/commands/test.ts";
import { runTests, type TestRun } from "../../testing/run-tests.ts";
import type { TestListener } from "../../testing/test-parts.ts";
import {
  type CheckedHook,
  type CheckResult,
  failedCheck,
  hasPassed,
  passedCheck,
  resultOf,
  type TestReport,
} from "../../testing/test-report.ts";
import { registrationFaults } from "../doctor/agent-checks.ts";
import {
  inertGuards,
  isSettingsFault,
  PROJECT_CHECKS,
  type ProjectFault,
  settingsFaults,
} from "../doctor/project-faults.ts";
import { requirementsOf } from "../install/hook-requirements.ts";

/**
 * Checks a project as CI does, without the user's hooks and settings, but with their approvals. Naming the folder
 * approves the hooks in it for this call.
 */
export async function check(line: CommandLine<"check">, host: Host): Promise<CommandResult> {
  const testOptions = readTestOptions(line.options);
  const [dir = "."] = line.args;
  const cwd = resolve(host.cwd, line.options.directory ?? ".");
  const trust = line.options.trust || line.args.length > 0;
  // The project, where its folder for hooks is named.
  const directory = resolve(cwd, dir).replace(/(?<=[^/])\/\.kodelet(?:\/hooks)?$/, "");
  const options = { ...line.options, directory, trust };
  const again = ["check -v", ...(trust ? [shellQuote(dir)] : [])].join(" ");
  return testAndReport({ words: [dir], options, cwd, host }, async ({ root, openListener }) => {
    const isOff = hooksAreOff(options, host);
    const emptyHome = root.folder("user").home;
    const started = unwrap(await createRunContext({ ...options, isOff, emptyHome }, host, !isOff));
    const { context, loaded } = started;
    const { projectDir, hasProject } = context.scopes;
    if (!hasProject) throw new ProblemError({ code: "PROJECT_IS_HOME", path: projectDir });
    const caller = {
      cwd: projectDir,
      again: { all: again, one: `${again} --hook` },
      agents: AGENT_NAMES,
      settingsWarnings: loaded.warnings,
    };
    const listener = await openListener(projectDir);
    // The command implies trust for this call, so its notice is dropped.
    const onNotices: TestListener["onNotices"] = (notices) =>
      listener.onNotices(notices.filter(({ code }) => code !== "TRUSTED_FOR_ONE_CALL"));
    const call = { root, caller, options: testOptions, listener: { ...listener, onNotices } };
    const tested = isOff ? NOTHING_TESTED : await runTests([], context, call);
    if (host.interrupt.raised() !== null) return { report: tested.report, partial: null };
    const report = await withProjectFaults({ ...started, ...tested, options, isOff, again }, host);
    for (const hook of report.hooks.slice(tested.report.hooks.length)) listener.onHook(hook);
    return { report, partial: null };
  });
}

const NOTHING_TESTED: TestRun = {
  report: { hooks: [], skipped: [], caseFaults: [], warnings: [], durationMs: 0, otherShards: 0 },
  found: { hooks: [], skipped: [] },
};

/** A project whose hooks have been tested. */
interface TestedProject extends CreatedContext, TestRun {
  readonly options: CommonOptions;
  /** True if all hooks are switched off for the call. */
  readonly isOff: boolean;
  /** The arguments of `hookctl` that check the project again. */
  readonly again: string;
}

/** The report of the tests, with the faults of the project itself. Empty if there is nothing to check. */
async function withProjectFaults(project: TestedProject, host: Host): Promise<TestReport> {
  const { report, context, loaded } = project;
  const hooks = withMissingCommands(project.found.hooks, context);
  const warnings = [...loaded.warnings, ...report.warnings, ...(await allUnknownRules(context))];
  // Other variables of an agent could lead to the settings of this user.
  const registered = { ...host, env: { PATH: host.env.PATH } };
  const faults = [
    ...settingsFaults(loaded, context, warnings),
    ...(await exampleFaultsIn(context)),
    ...startFaults(project, hooks, warnings),
    ...inertGuards(hooks, context.settings.guards, await knownTools(AGENT_NAMES)),
    ...(await registrationFaults({ ...project, scopes: context.scopes, needs: requirementsOf(hooks) }, registered)),
  ];
  const isEmpty = [hooks, faults, report.hooks, report.caseFaults].every((found) => found.length === 0);
  return {
    ...report,
    hooks: isEmpty ? [] : [...report.hooks, ...entriesOf(faults, project)],
    // A fault reports the same, with a hint.
    skipped: report.skipped.filter(({ why }) => why !== "unapproved"),
    warnings: warnings.filter((warning) => !preventsStart(warning) && !isSettingsFault(warning)),
  };
}

const exampleFaultsIn = async (context: RunContext): Promise<readonly ProjectFault[]> =>
  (await allExampleFaults(context)).map(({ file, rule, detail }) => ({
    ...{ check: "settings are valid", name: rule, path: file, line: null },
    message: `${rule}: ${detail}`,
    hint: "Correct the forms of the rule, or the example.",
  }));

/** The findings of `list --strict`, without the hooks whose own tests report them. */
function startFaults(
  { report, found: { skipped }, isOff, options }: TestedProject,
  hooks: readonly Hook[],
  allWarnings: readonly Warning[],
): readonly ProjectFault[] {
  const reported = new Set(report.hooks.filter((hook) => !hasPassed(hook)).map(({ path }) => path));
  const warnings = allWarnings.filter((warning) => !isSettingsFault(warning));
  return findNotReady({ hooks, skipped, isOff, choice: options, warnings })
    .filter(({ path }) => path === "" || !reported.has(path))
    .map((fault) => ({
      ...fault,
      check: "every hook can start",
      hint: AWAIT_APPROVAL.has(fault.code) ? "Read it, then: hookctl check ." : fault.hint,
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

/** The project with each passed check, then each file with its faults. */
function entriesOf(
  faults: readonly ProjectFault[],
  { context: { scopes }, again }: TestedProject,
): readonly CheckedHook[] {
  const { projectDir } = scopes;
  const failed = new Set(faults.filter(({ isNote }) => !isNote).map(({ check: name }) => name));
  const passed = PROJECT_CHECKS.filter((name) => !failed.has(name)).map((name) => resultOf(name, passedCheck()));
  const faultsAt = (path: string): readonly ProjectFault[] => faults.filter((fault) => fault.path === path);
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
    entry("project", projectDir, [...passed, ...faultsAt("").map(faultResult)]),
    ...paths.map((path) => {
      // A file outside of the project keeps its path.
      const shown = isInside(projectDir, path) ? relative(projectDir, path) : path;
      const name = faultsAt(path).find((fault) => fault.name !== "")?.name ?? shown;
      return entry(name, path, faultsAt(path).map(faultResult));
    }),
  ];
}

function faultResult({ check: name, message, hint, line, isNote }: ProjectFault): CheckResult {
  const finding = isNote ? passedCheck(message) : failedCheck(message, hint);
  return { ...resultOf(name, finding), caseLine: line ?? undefined };
}
