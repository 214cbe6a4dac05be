import { type CommandResult, print } from "../../cli/command-result.ts";
import type { CommandLine, OptionsOf } from "../../cli/command-table.ts";
import { stdoutStyle } from "../../cli/stream-style.ts";
import { clockText } from "../../engine/clock-text.ts";
import { createRunContext, type RunContext } from "../../engine/run-context.ts";
import { isFolder } from "../../fs/paths.ts";
import type { Host } from "../../host.ts";
import { type JsonRecord, printableJson, rawJson } from "../../protocol/json/write.ts";
import type { LoggedHook, LoggedRun } from "../../protocol/logged-run.ts";
import type { Problem } from "../../protocol/problem.ts";
import { fail, ok, type Result } from "../../protocol/result.ts";
import { type ExplainedCommand, explainJson, parseLines } from "../../report/explain-text.ts";
import { logPrinter } from "../../report/log-text.ts";
import { PLAIN_STYLE } from "../../report/text-style.ts";
import { type HookNow, whyText } from "../../report/why-text.ts";
import { type FoundRun, findRun } from "./find-run.ts";
import { hooksNow } from "./hooks-now.ts";
import { logClock } from "./log-clock.ts";
import { parseOfCall } from "./parse-of-call.ts";
import { payloadOfRun, recordedChanges } from "./payload-of-run.ts";

type WhyLine = CommandLine<"why">;

/** `hookctl why [RUN]`: explains one run, by default the last. */
export async function why({ args, options }: WhyLine, host: Host): Promise<CommandResult> {
  const started = await createRunContext(options, host, false);
  if (!started.ok) return started;
  const search = { prefix: args[0] ?? "", session: options.session };
  const found = searchRun(started.value.context, search, host);
  if (!found.ok) return found;

  const { run, shells } = found.value;
  const context = await contextOf(run, started.value.context, options, host);
  const now = await hooksNow(run, context);
  const recorded = payloadOfRun(run, started.value.context.auditFile);
  const parsed = await parseOfCall(run, recorded, context);
  if (options.json) return print(`${whyJson(found.value, now, parsed)}\n`, host);
  const style = await stdoutStyle(options, host);
  const nowMs = host.nowMs();
  const text = whyText(
    {
      ...{ run, now, nowMs, shells: shells.map(({ line }) => line), changes: recordedChanges(recorded) },
      recordsPayloads: started.value.context.settings.record === "payloads",
      isReplayable: recorded !== null && recorded.payload !== null,
      parse: parsed === null ? [] : parseLines(parsed, style),
      time: run.timeMs === null ? "--:--:--" : clockText(run.timeMs, nowMs, { hasSeconds: true }),
      paths: { cwd: context.scopes.projectDir, homeDir: context.scopes.homeDir },
    },
    style,
  );
  return print(text, host);
}

/** The one run that was meant. Of several, the newest are listed on stderr. */
function searchRun(
  { auditFile }: RunContext,
  wanted: Parameters<typeof findRun>[1],
  host: Host,
): Result<FoundRun, Problem> {
  const found: ReturnType<typeof findRun> = auditFile === null ? { kind: "none" } : findRun(auditFile, wanted);
  const { prefix, session } = wanted;
  if (found.kind === "found") return ok(found.found);
  if (found.kind === "none") return fail({ code: "USAGE_UNKNOWN_RUN", run: prefix, session });
  const { matches, count } = found;
  const columns = logPrinter({ width: null, style: PLAIN_STYLE, clock: logClock(host.nowMs) });
  host.err(columns(matches.toReversed()));
  return fail({ code: "USAGE_AMBIGUOUS_RUN", run: prefix, count, newest: matches[0]?.runId ?? prefix });
}

/** The project of the run, as it is now; where it is gone or not recorded, the one of this call. */
async function contextOf(
  { project }: LoggedRun,
  context: RunContext,
  options: OptionsOf<"why">,
  host: Host,
): Promise<RunContext> {
  if (project === null || project === context.scopes.projectDir || !isFolder(project)) return context;
  const started = await createRunContext({ ...options, directory: project }, host, false);
  return started.ok ? started.value.context : context;
}

function whyJson(
  { run, text, shells }: FoundRun,
  now: ReadonlyMap<LoggedHook, HookNow>,
  parsed: ExplainedCommand | null,
): string {
  const hooks = run.hooks.map((hook): JsonRecord => {
    const since = now.get(hook);
    if (since === undefined) return { name: hook.name, now: null };
    const approvedAt = since.approvedMs === null ? null : new Date(since.approvedMs).toISOString();
    return { name: hook.name, now: since.state, hash: since.hash, approved_at: approvedAt, sandbox: since.sandbox };
  });
  const shell = shells.map((one) => rawJson(one.text));
  const explain = parsed === null ? undefined : rawJson(explainJson(parsed));
  return printableJson({ schema: "hookctl.why/1", run: rawJson(text), shell, hooks, explain });
}
