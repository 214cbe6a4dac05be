import { resolve } from "node:path";
import type { CommandResult } from "../../../src/cli/command-result.ts";
import type { CommandLine } from "../../../src/cli/command-table.ts";
import { createRunContext } from "../../../src/engine/create-run-context.ts";
import type { Host } from "../../../src/engine/host.ts";
import { hooksAreOff } from "../../../src/engine/run-context.ts";
import { AGENT_NAMES } from "../../../src/protocol/agent-names.ts";
import { ProblemError, unwrap } from "../../../src/protocol/result.ts";
import { shellQuote } from "../../../src/protocol/text/shell-quote.ts";
import { runTests, type TestRun } from "../run-tests.ts";
import type { TestListener } from "../test-parts.ts";
import { readTestOptions, testAndReport } from "./test.ts";

/**
 * Checks a project as CI does, without the user's hooks and settings, but with their approvals. Naming the folder
 * approves the hooks in it for this call.
 */
export async function check(line: CommandLine<"check">, host: Host): Promise<CommandResult> {
  const how = readTestOptions(line.options);
  const [dir = "."] = line.args;
  const cwd = resolve(host.cwd, line.options.directory ?? ".");
  const trust = line.options.trust || line.args.length > 0;
  const options = { ...line.options, directory: projectAt(resolve(cwd, dir)), trust };
  const again = ["check -v", ...(trust ? [shellQuote(dir)] : [])].join(" ");
  return testAndReport({ words: [dir], options, cwd, host }, async ({ root, openListener }) => {
    const isOff = hooksAreOff(options, host);
    const requested = { ...options, isOff, emptyHome: root.folder("user").home };
    const { context, loaded } = unwrap(await createRunContext(requested, host, !isOff));
    const { hasProject, projectDir } = context.scopes;
    if (!hasProject) throw new ProblemError({ code: "PROJECT_IS_HOME", path: projectDir });
    const listener = await openListener(projectDir);
    // The command implies trust for this call, so its notice is dropped.
    const onNotices: TestListener["onNotices"] = (notices) =>
      listener.onNotices(notices.filter(({ code }) => code !== "TRUSTED_FOR_ONE_CALL"));
    const caller = {
      cwd: projectDir,
      again: { all: again, one: `${again} --hook` },
      agents: AGENT_NAMES,
      settingsWarnings: loaded.warnings,
    };
    const call = { root, caller, options: how, listener: { ...listener, onNotices } };
    const tested = isOff ? NOTHING_TESTED : await runTests([], context, call);
    if (host.interrupt.raised() !== null) return { report: tested.report, partial: null };
    const { checkProject } = await import("../../connect/commands/check-project.ts");
    const report = await checkProject({ context, loaded, ...tested, options, isOff, again }, host);
    for (const hook of report.hooks.slice(tested.report.hooks.length)) listener.onHook(hook);
    return { report, partial: null };
  });
}

/** The project, where its folder for hooks is named. */
const projectAt = (path: string): string => path.replace(/(?<=[^/])\/\.kodelet(?:\/hooks)?$/, "");

const NOTHING_TESTED: TestRun = {
  report: { hooks: [], skipped: [], caseFaults: [], warnings: [], durationMs: 0, otherShards: 0 },
  found: { hooks: [], skipped: [] },
};
