import { relative } from "node:path";
import { type AuditEntry, numberField, textField } from "../../audit/read.ts";
import { type CommandResult, print } from "../../cli/command-result.ts";
import type { CommandLine } from "../../cli/command-table.ts";
import { stdoutStyle } from "../../cli/stream-style.ts";
import { createRunContext, type RunContext } from "../../engine/run-context.ts";
import { isInside } from "../../fs/paths.ts";
import type { Host } from "../../host.ts";
import { itemsOf, membersOf, stringOf } from "../../protocol/json/read.ts";
import { printableJson, rawJson } from "../../protocol/json/write.ts";
import { fail } from "../../protocol/result.ts";
import { type ExplainedHook, type ExplainedRun, whyText } from "../../report/log-text.ts";
import { pluralize } from "../../report/text-style.ts";
import { latestEntries, loggedRun, loggedShells, runsIn } from "./logged-runs.ts";

const DAY_MS = 86_400_000;

/** `hookctl why [RUN]`: explains one run, by default the last. */
export async function why(line: CommandLine<"why">, host: Host): Promise<CommandResult> {
  const { options } = line;
  const started = await createRunContext(options, host, false);
  if (!started.ok) return started;

  const { context } = started.value;
  const file = context.auditFile;
  const wanted = line.args[0] ?? "";
  // The beginning of an id is enough; of several matches the newest is used.
  const found =
    file === null ? [] : latestEntries(file, 1, (entry) => textField(entry, "run_id")?.startsWith(wanted) ?? false);
  const [entry] = runsIn(found);
  if (entry === undefined) return fail({ code: "USAGE_UNKNOWN_RUN", run: wanted });
  const shells = found.filter(
    (one) => textField(one, "kind") !== null && textField(one, "run_id") === textField(entry, "run_id"),
  );
  if (options.json) {
    const parts = { run: rawJson(entry.raw), shell: shells.map(({ raw }) => rawJson(raw)) };
    return print(`${printableJson({ schema: "hookctl.why/1", ...parts })}\n`, host);
  }
  return print(whyText(explained(entry, shells, context, host.nowMs()), await stdoutStyle(options, host)), host);
}

function explained(entry: AuditEntry, shells: readonly AuditEntry[], context: RunContext, nowMs: number): ExplainedRun {
  const run = loggedRun(entry, nowMs);
  const hooks = itemsIn(entry, "hooks");
  const decider = hooks.find((hook) => textField(hook, "name") === run.decidedBy);
  return {
    ...run,
    reason: textField(entry, "reason") ?? "",
    hooks: hooks.map(explainedHook),
    warnings: textsIn(entry, "warnings"),
    shells: loggedShells(shells),
    decider: decider === undefined ? [] : trustOf(decider, context, nowMs),
    finding: decider === undefined ? null : findingOf(decider),
  };
}

/** What a built-in guard found; null for any other hook. */
function findingOf(hook: Part): ExplainedRun["finding"] {
  const metadata = hook.members.get("metadata");
  if (metadata?.kind !== "object") return null;
  const found: Part = { members: membersOf(metadata) };
  const [guard, rule, part] = ["guard", "rule", "part"].map((key) => textField(found, key));
  return guard == null || rule == null || part == null ? null : { guard, rule, part };
}

const explainedHook = (hook: Part): ExplainedHook => ({
  name: textField(hook, "name") ?? "",
  outcome: textField(hook, "outcome") ?? "",
  durationMs: numberField(hook, "duration_ms") ?? 0,
  why: textField(hook, "failure") ?? textField(hook, "why") ?? "",
  hasChanged: hook.members.has("value_hash"),
});

/** The path of the hook, the time of its approval, and the beginning of its hash. */
function trustOf(hook: Part, context: RunContext, nowMs: number): readonly string[] {
  const [path, hash] = [textField(hook, "path"), textField(hook, "hash")];
  const approvals = context.trustStore.approvals();
  const approval = approvals.ok ? Object.values(approvals.value.approved).find((one) => one.path === path) : undefined;
  return [
    ...(path === null ? [] : [shortPath(path, context)]),
    ...(approval === undefined ? [] : [`approved ${agoText(nowMs - Date.parse(approval.approvedAt))}`]),
    ...(hash === null ? [] : [`content ${hash.slice(0, 4)}…`]),
  ];
}

function shortPath(path: string, { scopes }: RunContext): string {
  if (isInside(scopes.projectDir, path)) return relative(scopes.projectDir, path);
  return scopes.homeDir !== null && isInside(scopes.homeDir, path) ? `~/${relative(scopes.homeDir, path)}` : path;
}

function agoText(ms: number): string {
  const [days, hours, minutes] = [DAY_MS, DAY_MS / 24, 60_000].map((unit) => Math.floor(ms / unit));
  if (days !== undefined && days > 0) return `${pluralize(days, "day")} ago`;
  if (hours !== undefined && hours > 0) return `${pluralize(hours, "hour")} ago`;
  return minutes !== undefined && minutes > 0 ? `${pluralize(minutes, "minute")} ago` : "just now";
}

type Part = Pick<AuditEntry, "members">;

function itemsIn({ members }: Part, key: string): readonly Part[] {
  const span = members.get(key);
  const items = span?.kind === "array" ? itemsOf(span) : [];
  return items.filter(({ kind }) => kind === "object").map((item) => ({ members: membersOf(item) }));
}

function textsIn({ members }: Part, key: string): readonly string[] {
  const span = members.get(key);
  const items = span?.kind === "array" ? itemsOf(span) : [];
  return items.filter(({ kind }) => kind === "string").map(stringOf);
}
