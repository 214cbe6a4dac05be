import { resolve } from "node:path";
import type { CommandResult } from "../../../src/cli/command-result.ts";
import type { CommandLine } from "../../../src/cli/command-table.ts";
import { createRunContext } from "../../../src/engine/create-run-context.ts";
import type { Host } from "../../../src/engine/host.ts";
import { hooksAreOff } from "../../../src/engine/run-context.ts";
import { AGENT_NAMES } from "../../../src/protocol/agent-names.ts";
import { ProblemError, unwrap } from "../../../src/protocol/result.ts";
import { shellQuote } from "../../../src/protocol/text/shell-quote.ts";
import {
  readTestOptions,
  type TestCall,
  type Tested,
  type TestPlace,
  testAndReport,
} from "../../testing/commands/test.ts";
import { runTests, type TestOptions, type TestRun } from "../../testing/run-tests.ts";
import type { TestListener } from "../../testing/test-parts.ts";
import { checkProject } from "./check-project.ts";

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
  const call = { words: [dir], options, cwd, host };
  return testAndReport(call, (place) => examineProject(call, place, how));
}

/** The project, where its folder for hooks is named. */
const projectAt = (path: string): string => path.replace(/(?<=[^/])\/\.kodelet(?:\/hooks)?$/, "");

async function examineProject(
  { words, options, host }: TestCall,
  { root, openListener }: TestPlace,
  how: TestOptions,
): Promise<Tested> {
  const isOff = hooksAreOff(options, host);
  const started = unwrap(
    await createRunContext({ ...options, isOff, emptyHome: root.folder("user").home }, host, !isOff),
  );
  const { context, loaded } = started;
  if (!context.scopes.hasProject) throw new ProblemError({ code: "PROJECT_IS_HOME", path: context.scopes.projectDir });
  const again = ["check -v", ...(options.trust ? words.map(shellQuote) : [])].join(" ");
  const caller = {
    cwd: context.scopes.projectDir,
    again: { all: again, one: `${again} --hook` },
    agents: AGENT_NAMES,
    settingsWarnings: loaded.warnings,
  };
  const listener = await openListener(context.scopes.projectDir);
  // The command implies trust for this call, so its notice is dropped.
  const onNotices: TestListener["onNotices"] = (notices) =>
    listener.onNotices(notices.filter(({ code }) => code !== "TRUSTED_FOR_ONE_CALL"));
  const call = { root, caller, options: how, listener: { ...listener, onNotices } };
  const tested = isOff ? NOTHING_TESTED : await runTests([], context, call);
  if (host.interrupt.raised() !== null) return { report: tested.report, partial: null };
  const report = await checkProject({ ...started, ...tested, options, isOff, again }, host);
  for (const hook of report.hooks.slice(tested.report.hooks.length)) listener.onHook(hook);
  return { report, partial: null };
}

const NOTHING_TESTED: TestRun = {
  report: { hooks: [], skipped: [], caseFaults: [], warnings: [], durationMs: 0, otherShards: 0 },
  found: { hooks: [], skipped: [] },
};
