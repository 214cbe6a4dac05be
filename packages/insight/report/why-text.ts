import { additionsText, hasAdditions } from "../../../src/protocol/additions.ts";
import type { TrustState } from "../../../src/protocol/hook.ts";
import type { LoggedHook, LoggedRun, LoggedShell } from "../../../src/protocol/logged-run.ts";
import { ownValue } from "../../../src/protocol/own-value.ts";
import type { FieldChange } from "../../../src/protocol/run-record.ts";
import { pluralize } from "../../../src/protocol/text/count.ts";
import { shellQuote } from "../../../src/protocol/text/shell-quote.ts";
import { displayPath, type PathContext } from "../../../src/report/display-path.ts";
import { mismatchText } from "../../../src/report/mismatch-text.ts";
import { warningLine } from "../../../src/report/problem-text.ts";
import { type Style, sourceRows } from "../../../src/report/text-style.ts";
import { cellWidth, fitCells, padCells } from "../../screen/cell-width.ts";
import { decisionStyle, decisionText, matchedText, shellText, shortId } from "./log-text.ts";

/** The present state of a hook of a past run. */
export interface HookNow {
  /** `replaced`: approved, with another content; `absent`: its file exists but is no hook any more. */
  readonly state: TrustState | "replaced" | "gone" | "absent" | "off";
  readonly hash: string | null;
  /** When its content was approved; null if it needs no approval or has none. */
  readonly approvedMs: number | null;
  /** The sandbox in which the hook would run; null without a sandbox, or if the hook would not run. */
  readonly sandbox: string | null;
  /** Why it is disabled. */
  readonly reason?: string;
}

/** One recorded run, with facts about the present. */
export interface ExplainedRun {
  readonly run: LoggedRun;
  readonly shells: readonly LoggedShell[];
  readonly now: ReadonlyMap<LoggedHook, HookNow>;
  /** The guards' parse of the call; empty if it is not known. */
  readonly parse: readonly string[];
  /** What the guards decide about the call now; null if it is what was recorded, or if no guard decided. */
  readonly newDecision: Decision | null;
  /** The changed fields with their values; empty if the payload was not recorded. */
  readonly changes: readonly FieldChange[];
  /** The newer runs, which were allowed; `none stopped`: this is the last run, because none was stopped. */
  readonly newer: readonly string[] | "none stopped";
  /** The command that allows the call, shown to a person; null if there is none. */
  readonly allowLine: string | null;
  /** True if the payload was recorded. */
  readonly isReplayable: boolean;
  /** The time of the run, as a clock shows it. */
  readonly time: string;
  readonly nowMs: number;
  readonly paths: PathContext;
}

const MOST = 300;
const text = (value: string, most = MOST): string => fitCells(value, most);

/** Explains the outcome of one run. */
export function whyText(explained: ExplainedRun, style: Style): string {
  const { run, shells } = explained;
  return [
    newerLine(explained),
    headLine(explained, style),
    ...factLines(explained, style),
    ...hookLines(explained, style),
    ...shells.map((shell) => shellText(shell, { width: null })),
    ...run.warnings.map((warning) => `  ${warningLine(text(warning, 400), style)}`),
    ...parseLines(explained),
    ...nextLines(explained),
  ].join("");
}

function headLine({ run, time }: ExplainedRun, style: Style): string {
  const decision = decisionStyle(run.decision, style)(text(decisionText(run.decision), 20));
  const what = [run.event, run.tool ?? ""].filter((part) => part !== "").map((part) => text(part, 60));
  return `${[decision, time, ...what, msText(run.durationMs)].join("  ")}\n`;
}

function newerLine({ newer }: ExplainedRun): string {
  if (newer === "none stopped") return "No call was stopped. The last one:\n";
  const [newest] = newer;
  if (newest === undefined) return "";
  const calls = pluralize(newer.length, "call since then was", "calls since then were");
  return `The last stopped call; ${calls} allowed. The newest: hookctl why ${shellQuote(shortId(newest))}\n`;
}

const msText = (ms: number): string => `${Math.round(ms)} ms`;

function factLines({ run, paths, changes }: ExplainedRun, style: Style): readonly string[] {
  const { decidedBy, reason } = run;
  const decided = [decidedBy, reason].filter((part) => part !== null).join(": ");
  const facts: readonly (readonly [name: string, value: string])[] = [
    ["decided", decided === "" ? matchedText(run) : decided],
    ["rule", run.rule ?? ""],
    ["call", run.call ?? ""],
    ["changed", run.changed.join(", ")],
    ["project", run.project === null ? "" : displayPath(run.project, { ...paths, cwd: "" })],
    ["agent", run.agent ?? ""],
    ["session", run.session ?? ""],
    ["user", run.user ?? ""],
    ["stopped", run.interrupted === null ? "" : `by ${run.interrupted}`],
    ["run", run.runId],
  ];
  return facts.flatMap(([name, value]) => {
    const difference = name === "changed" ? changes.flatMap((change) => differenceLines(change, style)) : [];
    return value === "" ? [] : [`  ${padCells(name, 8)} ${text(value, 400)}\n`, ...difference];
  });
}

function differenceLines({ path, before, after }: FieldChange, style: Style): readonly string[] {
  const shown = (value: string): string => `${text(path, 60)} ${text(value, MOST)}`;
  const lines = [
    ...(before === null ? [] : sourceRows("- ", shown(before), style, style.bad)),
    ...(after === null ? [] : sourceRows("+ ", shown(after), style, style.good)),
  ];
  return lines.map((one) => `    ${one}\n`);
}

function hookLines(explained: ExplainedRun, style: Style): readonly string[] {
  const { run, now } = explained;
  const names = Math.max(0, ...run.hooks.map(({ name }) => cellWidth(text(name, 40))));
  const outcomes = Math.max(0, ...run.hooks.map(({ outcome }) => cellWidth(outcomeText(outcome))));
  return run.hooks.flatMap((hook) => {
    const cells = [padCells(text(hook.name, 40), names), padCells(outcomeText(hook.outcome), outcomes)];
    const all = [...cells, msText(hook.durationMs).padStart(7), outcomeReason(hook)];
    const since = now.get(hook);
    const added = hasAdditions(hook.added) ? [`added ${additionsText(hook.added)}`] : [];
    const trust = since === undefined ? [] : trustLines(hook, since, explained, style);
    return [`  ${all.join("  ").trimEnd()}\n`, ...[...added, ...trust].map((line) => `    ${line}\n`)];
  });
}

/** The words of `run`; the log may also have an outcome of another version. */
const outcomeText = (outcome: string): string => ownValue(OUTCOME_WORDS, outcome) ?? text(outcome, 20);
const OUTCOME_WORDS: Readonly<Record<string, string>> = {
  continue: "allow",
  modify: "changed",
  replace: "replaced",
  refused: "not started",
};

function outcomeReason({ failure, outcome, why, mismatch, exitCode, signal, valueHash }: LoggedHook): string {
  if (failure !== null) {
    const end = signal ?? (exitCode === null || exitCode === 0 ? null : `exit ${exitCode}`);
    return text(end === null ? failure : `${failure}, ${end}`, 120);
  }
  if (mismatch !== null) return text(mismatchText(mismatch));
  if (why !== null) return text(why, 120);
  return valueHash !== null && outcome !== "modify" ? "changed the value" : "";
}

/** Trust and sandbox as recorded, and how they differ now. */
function trustLines(hook: LoggedHook, now: HookNow, { nowMs, paths }: ExplainedRun, style: Style): readonly string[] {
  const path = displayPath(hook.path, paths);
  const sandbox = hook.sandbox === null ? "" : `, sandbox ${text(hook.sandbox, 120)}`;
  const content = hook.hash === null ? "" : ` (content ${hashText(hook.hash)})`;
  const then = `${path}: ${trustWord(hook.trust)} when it ran${content}${sandbox}`;
  const approved = now.approvedMs === null ? "" : `, approved ${agoText(nowMs - now.approvedMs)}`;
  const hasOtherSandbox = now.state === "trusted" && now.sandbox !== hook.sandbox;
  const isSame = now.state === "trusted" && hook.trust === "trusted" && !hasOtherSandbox;
  // A built-in guard has no content of its own.
  if (isSame && hook.hash === null && now.approvedMs === null && sandbox === "") return [];
  if (isSame) return [`${then}, unchanged since`];
  const place = hasOtherSandbox ? `, ${now.sandbox === null ? "no sandbox" : `sandbox ${text(now.sandbox, 120)}`}` : "";
  return [then, style.warn(`now ${nowText(hook, now)}${now.state === "replaced" ? approved : ""}${place}`)];
}

function nowText({ name }: LoggedHook, { state, hash, reason }: HookNow): string {
  const quoted = text(shellQuote(name), 80);
  const words: Readonly<Record<HookNow["state"], string>> = {
    trusted: "approved",
    replaced: `approved with ${hash === null ? "other content" : `content ${hashText(hash)}`}`,
    changed: `changed, and not approved again: hookctl trust ${quoted}`,
    untrusted: `not approved: hookctl trust ${quoted}`,
    denied: "denied",
    unsafe: "refused: others can change its file or folder",
    gone: "gone: the file no longer exists",
    absent: "no longer a hook of this project",
    off: text(reason ?? "off", 120),
  };
  return words[state];
}

const TRUST_WORDS: Readonly<Record<TrustState, string>> = {
  trusted: "approved",
  untrusted: "not approved",
  changed: "changed",
  denied: "denied",
  unsafe: "unsafe",
};
const trustWord = (trust: string): string => TRUST_WORDS[trust as TrustState] ?? text(trust, 20);
const hashText = (hash: string): string => `${text(hash, 20).slice(0, 4)}…`;

const AGES: readonly (readonly [unit: string, ms: number])[] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
];

/** `2 days ago` */
function agoText(ms: number): string {
  const [unit, unitMs] = AGES.find(([, length]) => ms >= length) ?? ["minute", Number.POSITIVE_INFINITY];
  return ms >= unitMs ? `${pluralize(Math.floor(ms / unitMs), unit)} ago` : "just now";
}

const NOW = { allow: "allow this call", ask: "ask about this call", block: "block this call" } as const;
type Decision = keyof typeof NOW;

function parseLines({ parse, newDecision }: ExplainedRun): readonly string[] {
  const changed = newDecision === null ? "" : `The guards would now ${NOW[newDecision]}. `;
  return parse.length === 0 ? [] : [`${changed}How the guards read the call:\n`, ...parse.map((line) => `  ${line}\n`)];
}

/** How to repeat the run, and where to find other runs. */
function nextLines({ run, isReplayable, allowLine }: ExplainedRun): readonly string[] {
  const id = text(shellQuote(run.runId), 60);
  const replay = `Replay it: hookctl replay ${id}\nAs a test case: hookctl log --case ${id}\n`;
  const allow = allowLine === null ? [] : [`${allowLine}\n`];
  return [...(isReplayable ? [replay] : []), "Recent runs: hookctl log\n", ...allow];
}
