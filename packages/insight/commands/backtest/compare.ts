import { createRedactor, type Redact } from "../../../../src/audit/redact.ts";
import { type CommandResult, print } from "../../../../src/cli/command-result.ts";
import { stdoutStyle } from "../../../../src/cli/stream-style.ts";
import type { Scopes } from "../../../../src/discover/scopes.ts";
import type { Host } from "../../../../src/engine/host.ts";
import { callerOf, findCallerScopes } from "../../../../src/engine/user-paths.ts";
import { EXIT, signalExitCode } from "../../../../src/protocol/exit-code.ts";
import { printableJson } from "../../../../src/protocol/json/write.ts";
import { fail, ok } from "../../../../src/protocol/result.ts";
import { notJudgedParts } from "../../replay/backtest.ts";
import { type Changes, collectChanges, isSameDecision } from "../../replay/changes.ts";
import { type JudgedRecord, recordJudge } from "../../replay/judge-records.ts";
import { layOutRevision, type RevisionFolders, withRevisionFolders } from "../../replay/lay-out-revision.ts";
import { openReplay, type Replay } from "../../replay/open-replay.ts";
import type { SessionRecord } from "../../replay/sessions/session-record.ts";
import { compareJson, compareText, notJudgedText } from "../../report/backtest-text.ts";
import {
  type BacktestOptions,
  type BacktestSources,
  callFilter,
  madeInside,
  placeOf,
  readCalls,
  shownCall,
  unjudgedWhy,
} from "./read-calls.ts";

interface Comparison extends BacktestSources {
  /** A git revision or a folder. */
  readonly base: string;
  /** The caller's folder. */
  readonly folder: string;
}

/** `--fail-on-change`: puts the same calls to the hooks of two revisions, and fails if a decision differs. */
export async function compareRevisions(
  comparison: Comparison,
  options: BacktestOptions,
  host: Host,
): Promise<CommandResult> {
  const scopes = findCallerScopes(callerOf(host, options.directory));
  if (!scopes.ok) return scopes;
  return withRevisionFolders(async (folders) => {
    const { homeDir, projectDir } = scopes.value;
    const git = { env: host.env, root: projectDir, projectDir, homeDir, interrupt: host.interrupt };
    const laidOut = await layOutRevision(comparison.base, folders, git);
    if (!laidOut.ok) return laidOut;
    const [before, after] = [laidOut.value, projectDir].map((folder) =>
      openRevision(folder, folders, { options, host }),
    );
    if (before === undefined || after === undefined) return ok(EXIT.fault);
    const faults = [await before.fault(), await after.fault()].flatMap((fault) => fault ?? []);
    return faults[0] === undefined
      ? compare({ before, after, comparison, scopes: scopes.value }, options, host)
      : fail(faults[0]);
  });
}

interface CallOptions {
  readonly options: BacktestOptions;
  readonly host: Host;
}

/**
 * The hooks of a project as on any machine, without those of the user. Unapproved rules and guards judge, too, because
 * a change is reviewed before it is approved; they are text that is compared with a recorded call. Programs start only
 * with the user's approval.
 */
function openRevision(directory: string, { emptyHome }: RevisionFolders, { options, host }: CallOptions): Replay {
  const { agent: _sessionsOf, ...common } = options;
  const engine = { ...common, directory, emptyHome, trust: true, config: null, hooksDirs: [] };
  return openReplay({ engine, guards: "on" }, host);
}

interface Revisions {
  readonly before: Replay;
  readonly after: Replay;
  readonly comparison: Comparison;
  readonly scopes: Scopes;
}

async function compare(
  { before, after, comparison, scopes }: Revisions,
  options: BacktestOptions,
  host: Host,
): Promise<CommandResult> {
  const { sources, unreadableAgents, base } = comparison;
  const redact = createRedactor(host.env);
  const changes = collectChanges(redact);
  const judges = { before: recordJudge(before), after: recordJudge(after) };
  const own = { home: scopes.homeDir ?? "/", project: scopes.rootDir };
  const isInRange = callFilter(options, host);
  const isOfProject = madeInside(scopes.rootDir);
  let judged = 0;
  const found = await readCalls(options, host, {
    sources,
    // Calls of this machine are judged if they were made in this project, calls of a named file always.
    isSelected: (record) => isInRange(record) && (record.madeIn !== null || isOfProject(record)),
    judge: async (record) => {
      const moved = { ...record, madeIn: record.madeIn ?? own };
      const why = collect(moved, [await judges.before(moved), await judges.after(moved)], { changes, redact });
      if (why === null) judged += 1;
      return why;
    },
  });
  const signal = host.interrupt.raised();
  if (signal !== null) return ok(signalExitCode(signal));
  const notJudged = notJudgedParts(found, unreadableAgents);
  const unread = notJudged.map(notJudgedText);
  if (judged === 0) return fail({ code: "NOTHING_RECORDED", files: sources.length, unread });
  const leftOut = [...new Map([...before.leftOut(), ...after.leftOut()].map((one) => [one.name, one])).values()];
  const report = {
    base,
    calls: found.calls,
    judged,
    differing: changes.calls(),
    changes: changes.all(),
    leftOut,
    notJudged,
  };
  const text = options.json
    ? `${printableJson(compareJson(report))}\n`
    : compareText(report, await stdoutStyle(options, host), options.verbosity > 0);
  const printed = print(text, host);
  return printed.ok && changes.calls() > 0 ? ok(EXIT.checkFailed) : printed;
}

interface CollectPlace {
  readonly changes: Changes;
  readonly redact: Redact;
}

/** Compares what two revisions make of a call. Returns why it could not be judged, or null. */
function collect(
  record: SessionRecord,
  [before, after]: readonly [JudgedRecord, JudgedRecord],
  { changes, redact }: CollectPlace,
): string | null {
  if (before.kind === "unjudged") return unjudgedWhy(before);
  if (after.kind === "unjudged") return unjudgedWhy(after);
  if (!isSameDecision(before, after))
    changes.add(before, after, { shown: shownCall(record, redact), place: placeOf(record, redact) });
  return null;
}
