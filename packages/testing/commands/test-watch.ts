import { resolve } from "node:path";
import { type CommandResult, reportProblem } from "../../../src/cli/command-result.ts";
import type { CommandLine } from "../../../src/cli/command-table.ts";
import { openPersonTerminal } from "../../../src/cli/prompt/require-person.ts";
import { createRunContext } from "../../../src/engine/create-run-context.ts";
import type { Host, Terminal } from "../../../src/engine/host.ts";
import type { RunContext } from "../../../src/engine/run-context.ts";
import { EXIT, signalExitCode } from "../../../src/protocol/exit-code.ts";
import { ok } from "../../../src/protocol/result.ts";
import { pluralize } from "../../../src/protocol/text/count.ts";
import { quoteHookNames } from "../../../src/protocol/text/shell-quote.ts";
import { listNames, truncateEscaped } from "../../../src/protocol/text/text.ts";
import { type FolderWatch, watchFolders } from "../watch/watch-folders.ts";
import { type Affected, ALL, affectedBy, isNothing, type WatchedFiles, watchedFiles } from "../watch/watched-files.ts";
import { approveSaved, type SavedHooks, unapprovedSaved } from "./approve-saved.ts";
import { testOnce } from "./test-once.ts";

/** One `test --watch`. */
interface Watch {
  readonly line: CommandLine<"test">;
  readonly host: Host;
  readonly folders: FolderWatch;
  readonly keys: WatchKeys;
  readonly saved: SavedHooks;
}

/** The project as it was found before a test. */
interface WatchedProject {
  readonly context: RunContext;
  readonly files: WatchedFiles;
}

/** Tests everything once, and then what each saved file affects, until a signal or `q` ends it. */
export async function watchTests(line: CommandLine<"test">, host: Host): Promise<CommandResult> {
  host.interrupt.listen(() => undefined);
  const terminal = await openPersonTerminal(host);
  const keys = watchKeys(terminal, host);
  const folders = watchFolders();
  const ended = await watchUntilEnd({
    line,
    host,
    folders,
    keys,
    saved: { host, terminal: keys.terminal, answers: new Map() },
  });
  folders.close();
  terminal?.close();
  return ended;
}

async function watchUntilEnd(watch: Watch): Promise<CommandResult> {
  const { line, host } = watch;
  let project = await findProject(watch);
  let last = await testOnce(line, host);
  // An invalid command line stays invalid after any change.
  if (project === null || (!last.ok && last.error.code.startsWith("USAGE_"))) return last;
  let hasTested = true;
  for (;;) {
    const signal = host.interrupt.raised();
    if (signal !== null) return reminded(watch, ok(signalExitCode(signal)));
    if (!last.ok) await reportProblem(last.error, host);
    const code: number = last.ok ? last.value : EXIT.checkFailed;
    last = ok(code);
    if (hasTested) reportWaiting(watch, project);
    const step = await nextStep(watch);
    if (step === "quit") return reminded(watch, last);
    if (step === "signal") continue;
    const before: WatchedProject = project;
    project = (await findProject(watch)) ?? before;
    const affected = step === "all" ? ALL : affectedBy(step, [before.files, project.files]);
    hasTested = !isNothing(affected);
    if (!hasTested) continue;
    last = (await testAgain(affected, project, watch)) ?? last;
  }
}

/** What the watch tested is approved for its tests alone: an agent's call would find a changed hook. */
async function reminded(watch: Watch, ended: CommandResult): Promise<CommandResult> {
  const { line, host, saved } = watch;
  const started = saved.answers.size === 0 ? null : await createRunContext(line.options, host, false);
  if (started?.ok !== true) return ended;
  const { context } = started.value;
  const { candidates } = watchedFiles(line.args, context, resolve(host.cwd, line.options.directory ?? "."));
  const names = await unapprovedSaved(candidates, { context, saved });
  if (names.length > 0) {
    const what = names.length === 1 ? "was saved and is not approved" : "were saved and are not approved";
    host.err(
      `▲ ${listNames(names.map((name) => truncateEscaped(name, 80)))} ${what}. Approve: hookctl trust ${quoteHookNames(names)}\n`,
    );
  }
  return ended;
}

/** Returns null if the settings are invalid; the test reports why. */
async function findProject({ line, host, folders }: Watch): Promise<WatchedProject | null> {
  const { args, options } = line;
  const started = await createRunContext(options, host, false);
  if (!started.ok) return null;
  const { context } = started.value;
  const files = watchedFiles(args, context, resolve(host.cwd, options.directory ?? "."));
  for (const fault of folders.update(files.folders)) host.err(`▲ Cannot watch ${truncateEscaped(fault, 300)}\n`);
  return { context, files };
}

type Step = "all" | "quit" | "signal" | readonly string[];

function reportWaiting({ line, host, keys }: Watch, { files }: WatchedProject): void {
  const help = keys.terminal === null ? "" : ": Enter tests all, q Enter ends";
  if (!line.options.quiet) host.err(`• Watching ${pluralize(files.hooks.length, "hook")}${help}\n`);
}

async function nextStep({ host, folders, keys }: Watch): Promise<Step> {
  const interrupted = new Promise<Step>((settle) => host.interrupt.listen(() => settle("signal")));
  const typed = keys.next().then((text): Step => (text.trim().toLowerCase().startsWith("q") ? "quit" : "all"));
  return Promise.race([interrupted, folders.saved(), typed]);
}

/** Returns null if there is no hook that may be started. */
async function testAgain(
  affected: Affected,
  { context, files }: WatchedProject,
  watch: Watch,
): Promise<CommandResult | null> {
  const { line, host, saved } = watch;
  const { approvals, refused } = await approveSaved(files.candidates, affected, { context, saved });
  const isIncluded = ({ name, path }: { readonly name: string; readonly path: string }): boolean =>
    (affected.isAll || affected.paths.has(path) || affected.names.has(name)) && !refused.has(path);
  if (host.interrupt.raised() !== null) return null;
  const left = [...affected.paths].filter((path) => !refused.has(path));
  if (!affected.isAll && affected.names.size === 0 && left.length === 0) return null;
  // Editors save through temporary files, which no longer exist.
  const there = files.candidates.filter(({ path }) => left.includes(path)).map(({ name }) => name);
  const names = [...new Set([...there, ...affected.names])].map((name) => truncateEscaped(name, 60));
  if (!line.options.quiet)
    host.err(`\n• Testing ${affected.isAll ? "all" : listNames(names) || "what was saved"} again\n`);
  return testOnce(
    line,
    { ...host, beganMs: host.elapsedMs() },
    { isIncluded: affected.isAll && refused.size === 0 ? undefined : isIncluded, approvedOnce: approvals },
  );
}

/** Lines that a person types while a watch waits, or in answer to its questions. */
export interface WatchKeys {
  /** The next line; never, if there is no terminal or it was closed. */
  readonly next: () => Promise<string>;
  /** For questions: the next line is their answer. */
  readonly terminal: Pick<Terminal, "ask"> | null;
}

function watchKeys(terminal: Terminal | null, host: Host): WatchKeys {
  const never = new Promise<string>(() => undefined);
  let waiting: Promise<string | null> | null = null;
  const typed = (of: Terminal): Promise<string | null> => {
    waiting ??= of.ask("").then((text) => {
      waiting = null;
      return text;
    });
    return waiting;
  };
  return {
    next: async () => (terminal === null ? never : ((await typed(terminal)) ?? never)),
    terminal:
      terminal === null
        ? null
        : {
            ask: (question) => {
              host.err(question);
              return typed(terminal);
            },
          },
  };
}
