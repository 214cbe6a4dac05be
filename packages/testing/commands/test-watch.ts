import { resolve } from "node:path";
import { type CommandResult, reportProblem } from "../../../src/cli/command-result.ts";
import type { CommandLine } from "../../../src/cli/command-table.ts";
import { openPersonTerminal } from "../../../src/cli/prompt/require-person.ts";
import { matchesHookArgument } from "../../../src/discover/candidate-names.ts";
import { createRunContext } from "../../../src/engine/create-run-context.ts";
import type { Host, Terminal } from "../../../src/engine/host.ts";
import { EXIT, signalExitCode } from "../../../src/protocol/exit-code.ts";
import { attempt, ok } from "../../../src/protocol/result.ts";
import { pluralize } from "../../../src/protocol/text/count.ts";
import { quoteHookName } from "../../../src/protocol/text/shell-quote.ts";
import { listNames, truncateEscaped } from "../../../src/protocol/text/text.ts";
import { type FolderWatch, watchFolders } from "../watch/watch-folders.ts";
import { type Affected, affectedBy, type WatchedProject, watchedFiles } from "../watch/watched-files.ts";
import { approveSaved, approveTested, effectOf, pendingNow, type SavedHooks } from "./approve-saved.ts";
import { type TestAgain, testOnce } from "./test.ts";

/** One `test --watch`. */
interface Watch {
  readonly line: CommandLine<"test">;
  readonly host: Host;
  readonly folders: FolderWatch;
  readonly keys: WatchKeys;
  readonly saved: SavedHooks;
  /** The paths of what was not approved when the watch began. */
  readonly waiting: ReadonlySet<string>;
  readonly terminal: Terminal | null;
}

/** Tests everything once, and then what each saved file affects, until a signal or `q` ends it. */
export async function watchTests(line: CommandLine<"test">, host: Host): Promise<CommandResult> {
  host.interrupt.listen(() => undefined);
  const terminal = await openPersonTerminal(host);
  const keys = watchKeys(terminal, host);
  const folders = watchFolders();
  const saved = { host, terminal: keys.terminal, answers: new Map() };
  const pending = await pendingNow(line.options, host);
  const waiting = new Set(pending?.waiting.map(({ candidate }) => candidate.path));
  const ended = await watchUntilEnd({ line, host, folders, keys, saved, waiting, terminal });
  folders.close();
  terminal?.close();
  return ended;
}

async function watchUntilEnd(watch: Watch): Promise<CommandResult> {
  const { line, host, keys } = watch;
  let project = await findProject(watch);
  let last = await testInWatch(line, host);
  // An invalid command line stays invalid after any change.
  if (project === null || (!last.ok && last.error.code.startsWith("USAGE_"))) return last;
  let hasTested = true;
  for (;;) {
    const signal = host.interrupt.raised();
    if (signal !== null) return reminded(watch, ok(signalExitCode(signal)));
    if (!last.ok) await reportProblem(last.error, host);
    last = ok(last.ok ? last.value : EXIT.checkFailed);
    if (hasTested && !line.options.quiet) {
      const help = keys.terminal === null ? "" : ": Enter tests all, q Enter quits";
      host.err(`• Watching ${pluralize(namedHooks(project, line), "hook")}${help}\n`);
    }
    const step = await nextStep(watch);
    if (step === "quit") return reminded(watch, last);
    if (step === "signal") continue;
    const before: WatchedProject = project;
    project = (await findProject(watch)) ?? before;
    const affected = step === "all" ? step : affectedBy(step, [before.files, project.files]);
    hasTested = affected === "all" || affected.size > 0;
    if (hasTested) last = (await testAgain(affected, project, watch)) ?? last;
  }
}

/** The number of hooks that are tested: all of them, if none is named. */
function namedHooks({ context, files: { candidates } }: WatchedProject, { args }: CommandLine<"test">): number {
  const named = candidates.filter((one) => args.some((name) => matchesHookArgument(name, one, context.cwd)));
  return named.length > 0 ? named.length : candidates.length;
}

async function testInWatch(line: CommandLine<"test">, host: Host, again?: TestAgain): Promise<CommandResult> {
  const ended = await attempt(() => testOnce(line, host, again));
  return ended.ok ? ended.value : ended;
}

/** What the watch tested ran for its tests alone: asks to approve it, and names what is still not approved. */
async function reminded(watch: Watch, ended: CommandResult): Promise<CommandResult> {
  const { line, host, saved, waiting, terminal } = watch;
  const pending = await pendingNow(line.options, host);
  for (const hook of pending?.waiting ?? []) {
    const { name, path } = hook.candidate;
    if (waiting.has(path) && !saved.answers.has(path)) continue;
    if (pending !== null && terminal !== null && saved.answers.get(path) === true) {
      const { options } = line;
      const approved = await attempt(() => approveTested(hook, pending, { terminal, options, host }));
      if (!approved.ok) await reportProblem(approved.error, host);
      else if (approved.value) continue;
    }
    const shown = truncateEscaped(name, 80);
    host.err(
      `▲ ${shown} was saved but is not approved: ${effectOf(hook)}. Approve: hookctl trust ${quoteHookName(name)}\n`,
    );
  }
  return ended;
}

/** Returns null if the settings are invalid; the test reports why. */
async function readProject({ line: { args, options }, host }: Watch): Promise<WatchedProject | null> {
  const started = await createRunContext(options, host, false);
  if (!started.ok) return null;
  const { context } = started.value;
  return { context, files: watchedFiles(args, context, resolve(host.cwd, options.directory ?? ".")) };
}

async function findProject(watch: Watch): Promise<WatchedProject | null> {
  const project = await readProject(watch);
  for (const fault of project === null ? [] : watch.folders.update(project.files.folders))
    watch.host.err(`▲ Cannot watch ${truncateEscaped(fault, 300)}\n`);
  return project;
}

async function nextStep({ host, folders, keys }: Watch): Promise<"all" | "quit" | "signal" | readonly string[]> {
  const interrupted = new Promise<"signal">((settle) => host.interrupt.listen(() => settle("signal")));
  const typed = keys.next().then((text) => (text.trim().toLowerCase().startsWith("q") ? "quit" : "all"));
  const step = await Promise.race([interrupted, folders.saved(), typed]);
  if (typeof step === "string" && step !== "signal") keys.taken();
  return step;
}

/** Returns null if there is no hook that may be started. */
async function testAgain(
  affected: Affected,
  project: WatchedProject,
  { line, host, saved }: Watch,
): Promise<CommandResult | null> {
  const { candidates } = project.files;
  const { approvals, refused } = await approveSaved(affected, project, saved);
  if (host.interrupt.raised() !== null) return null;
  const isAffected = (key: string): boolean => affected === "all" || (affected.has(key) && !refused.has(key));
  if (affected !== "all" && ![...affected].some(isAffected)) return null;
  // Editors save through temporary files, which no longer exist, so only names of hooks that are there are shown.
  const there = candidates.filter(({ path }) => affected !== "all" && isAffected(path)).map(({ name }) => name);
  const byName = affected === "all" ? [] : [...affected].filter((key) => !key.startsWith("/"));
  const names = [...new Set([...there, ...byName])].map((name) => truncateEscaped(name, 60));
  if (!line.options.quiet)
    host.err(`\n• Testing ${affected === "all" ? "all" : listNames(names) || "what was saved"} again\n`);
  const isIncluded: TestAgain["isIncluded"] = ({ name, path }) =>
    (isAffected(path) || isAffected(name)) && !refused.has(path);
  return testInWatch(
    line,
    { ...host, beganMs: host.elapsedMs() },
    { isIncluded: affected === "all" && refused.size === 0 ? undefined : isIncluded, approvedOnce: approvals },
  );
}

/** Lines that a person types while a watch waits, or in answer to its questions. */
interface WatchKeys {
  /** The next line; never, if there is no terminal or it was closed. */
  readonly next: () => Promise<string>;
  /** Until then `next` returns the same line: one that was typed during a test is not lost. */
  readonly taken: () => void;
  /** For questions: the next line is their answer. */
  readonly terminal: Pick<Terminal, "ask"> | null;
}

function watchKeys(terminal: Terminal | null, host: Host): WatchKeys {
  const never = new Promise<string>(() => undefined);
  let waiting: Promise<string | null> | null = null;
  const taken = (): void => {
    waiting = null;
  };
  if (terminal === null) return { next: () => never, taken, terminal };
  const typed = (): Promise<string | null> => {
    waiting ??= terminal.ask("");
    return waiting;
  };
  const ask = async (question: string): Promise<string | null> => {
    host.err(question);
    return typed().finally(taken);
  };
  return { next: async () => (await typed()) ?? never, taken, terminal: { ask } };
}
