import { isAbsolute } from "node:path";
import { newestFirst } from "../../../src/audit/read.ts";
import { withoutHookctlVariables } from "../../../src/cli/agent-variables.ts";
import { type CommandResult, print } from "../../../src/cli/command-result.ts";
import type { OptionsOf } from "../../../src/cli/command-table.ts";
import { stdoutStyle } from "../../../src/cli/stream-style.ts";
import { createRunContext } from "../../../src/engine/create-run-context.ts";
import { findAllCandidates } from "../../../src/engine/hooks/candidates.ts";
import { resolveHooks } from "../../../src/engine/hooks/resolve-hooks.ts";
import type { Host } from "../../../src/engine/host.ts";
import { isGuard } from "../../../src/engine/run/run-event.ts";
import type { RunContext } from "../../../src/engine/run-context.ts";
import { hooksAreOff } from "../../../src/engine/run-context.ts";
import { isFolder } from "../../../src/fs/paths.ts";
import { type Hook, isRefused } from "../../../src/protocol/hook.ts";
import { membersOf, readJson, stringOf } from "../../../src/protocol/json/read.ts";
import { hasRun, isUnmatched } from "../../../src/protocol/logged-run.ts";
import { canBeApproved } from "../../../src/protocol/problem.ts";
import { unwrap } from "../../../src/protocol/result.ts";
import { hasCage } from "../bridge/caged-call.ts";
import { sealPlaceIn } from "../bridge/seal-watch.ts";
import { lastAnswers } from "../install/last-answers.ts";
import { droppedTexts } from "../install/seal/dropped-guards.ts";
import { fileMark, sealFile } from "../install/seal/seal-store.ts";
import { type HooksStatus, statusJson, statusText } from "../report/status-text.ts";

/** `hookctl status`: one line about the hooks of a project. Nothing is started. */
export async function status(options: OptionsOf<"status">, around: Host): Promise<CommandResult> {
  const host = withoutHookctlVariables(around);
  const directory = options.directory ?? (await folderOnStdin(host));
  const isOff = hooksAreOff(options, host);
  const { context, loaded } = unwrap(await createRunContext({ ...options, directory, isOff }, host, false));
  const nowMs = host.nowMs();
  const { hooks, skipped, paused } = await resolveHooks(findAllCandidates(context), context, null);
  // Agents call `status` often, most of them where nothing but guards can be found.
  const isPlain = isOff || (hooks.every(({ kind }) => kind === "guard") && skipped.length === 0);
  const cannotRun = isPlain
    ? []
    : await (await import("../doctor/cannot-run.ts")).namesThatCannotRun({ hooks, skipped });
  const active = namesOf(
    hooks,
    (hook) => !isRefused(hook) && hook.disabledReason === null && !cannotRun.includes(hook.name),
  );
  const { lastBlock, failing } = readLog(context, nowMs);
  const state: HooksStatus = {
    project: context.scopes.projectDir,
    hooks: active.length,
    off: isOff,
    not_approved: namesOf(hooks, ({ refusal }) => canBeApproved(refusal)),
    paused: paused.map(({ hook }) => hook.name),
    cannot_run: cannotRun,
    blocking: namesOf(hooks, (hook) => hook.refusal !== null && isGuard(hook)),
    settings_problem: loaded.problems[0]?.code ?? null,
    last_block: lastBlock,
    failing: failing.filter(({ name }) => active.includes(name)),
    seal: await sealOf(context, nowMs),
    cage: hasCage(context) ? await cageOf(context, host) : null,
    // What the agents said of the entries that apply here, when they were last asked.
    agents: lastAnswers(context.backupsDir)
      .filter(({ project }) => project === null || project === context.scopes.projectDir)
      .map(({ agent, atMs, skipped }) => ({ name: agent, asked_ago_ms: Math.max(0, nowMs - atMs), skipped })),
  };
  if (options.json) return print(`${statusJson(state)}\n`, host);
  return print(statusText(state, await stdoutStyle(options, host)), host);
}

const namesOf = (hooks: readonly Hook[], isCounted: (hook: Hook) => boolean): readonly string[] =>
  hooks.filter(isCounted).map(({ name }) => name);

async function sealOf(context: RunContext, nowMs: number): Promise<HooksStatus["seal"]> {
  if (context.trustFile === null || fileMark(sealFile(context.trustFile)) === "") return null;
  const { sealState } = await import("../install/seal/check-seal.ts");
  const state = sealState(sealPlaceIn(context));
  if (state === null) return null;
  const weakened = [...state.weakened, ...droppedTexts(context)];
  return { sealed_ago_ms: Math.max(0, nowMs - state.sealedAtMs), weakened };
}

async function cageOf(context: RunContext, host: Host): Promise<HooksStatus["cage"]> {
  const { cageState } = await import("../doctor/cage-state.ts");
  const state = cageState(context, host);
  const named = (isIn: boolean) => state?.agents.filter(({ why }) => (why === null) === isIn).map(({ title }) => title);
  return state && { mode: state.mode, agents: named(true) ?? [], without: named(false) ?? [], outside: state.outside };
}

const MAX_STDIN_BYTES = 1024 * 1024;
/** An agent has written by the time that this program has started; any other caller may never write. */
const STDIN_TIMEOUT_MS = 50;
const STDIN_DEPTH = 100;

/** The project's folder in the JSON that an agent passes to its status line, or null. */
async function folderOnStdin(host: Host): Promise<string | null> {
  if (host.isStdinTerminal()) return null;
  const limits = { bytes: MAX_STDIN_BYTES, firstByteMs: STDIN_TIMEOUT_MS, endMs: STDIN_TIMEOUT_MS };
  const read = await host.readStdin(limits);
  return read.kind === "read" ? folderIn(Buffer.from(read.bytes).toString("utf8")) : null;
}

function folderIn(text: string): string | null {
  const read = readJson(text, STDIN_DEPTH);
  if (!read.ok || read.value.kind !== "object") return null;
  const root = membersOf(read.value);
  const workspace = root.get("workspace");
  const inWorkspace = workspace?.kind === "object" ? membersOf(workspace) : null;
  const spans = [inWorkspace?.get("project_dir"), inWorkspace?.get("current_dir"), root.get("cwd")];
  const folders = spans.map((span) => (span?.kind === "string" ? stringOf(span) : ""));
  return folders.find((folder) => isAbsolute(folder) && isFolder(folder)) ?? null;
}

/** The number of runs to read, and of lines: agents call `status` every few hundred milliseconds. */
const MOST_RUNS = 500;
const MOST_LINES = 2000;
const LONGEST_AGE_MS = 7 * 86_400_000;

/** The last block in this project, and the hooks whose latest run failed. */
export function readLog({ auditFile, scopes }: RunContext, nowMs: number) {
  const latest = new Map<string, string | null>();
  let lastBlock: HooksStatus["last_block"] = null;
  let [runs, lines] = [0, 0];
  for (const { line } of auditFile === null ? [] : newestFirst(auditFile)) {
    runs += line.kind === "run" && isUnmatched(line) ? 0 : 1;
    lines += 1;
    if (runs > MOST_RUNS || lines > MOST_LINES || nowMs - (line.timeMs ?? nowMs) > LONGEST_AGE_MS) break;
    if (line.kind !== "run" || (line.project !== null && line.project !== scopes.projectDir)) continue;
    if (line.decision === "block" || line.decision === "halt") {
      const { runId, time, timeMs, decidedBy, tool, call, reason } = line;
      const agoMs = Math.max(0, nowMs - (timeMs ?? nowMs));
      lastBlock ??= { run_id: runId, time, ago_ms: agoMs, decided_by: decidedBy, tool, call, reason };
    }
    for (const hook of line.hooks) if (hasRun(hook) && !latest.has(hook.name)) latest.set(hook.name, hook.failure);
  }
  const failing = [...latest].flatMap(([name, failure]) => (failure === null ? [] : { name, failure }));
  return { lastBlock, failing };
}
