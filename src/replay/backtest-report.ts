import type { AlarmKind } from "./alarms.ts";
import type { FoundCalls } from "./backtest.ts";
import type { DecisionChange } from "./changes.ts";
import type { LeftOutHook } from "./recorded-call.ts";
import type { UnreadCounts } from "./sessions/session-record.ts";
import type { HookTally, Tally } from "./tally.ts";

/** What could not be read or judged: how many, of what, and more about it. */
export interface NotJudged {
  readonly what: keyof typeof NOT_JUDGED;
  readonly count: number;
  readonly detail: string;
}

/** What could not be read or judged, in words; `detail` is an example or a reason. */
export const NOT_JUDGED = {
  broken_lines: "lines are no calls of a known agent, or broken",
  long_lines: "lines or files are too long",
  unreadable_calls: "programs in which the model called tools: the file does not hold the commands",
  calls_without_folder: "calls whose folder is not known",
  files: "files could not be opened",
  unjudged_calls: "calls that no hook could judge",
  agents: "agents whose own session files cannot be read",
} as const;

export interface BacktestReport {
  readonly calls: number;
  readonly sessions: number;
  readonly agents: readonly { readonly agent: string; readonly calls: number }[];
  readonly times: FoundCalls["times"];
  readonly judged: number;
  /** Calls by what would have become of them. */
  readonly decisions: Readonly<Record<AlarmKind, number>>;
  readonly hooks: readonly HookTally[];
  readonly leftOut: readonly LeftOutHook[];
  readonly notJudged: readonly NotJudged[];
  /** Calls that no hook of today handles, judged by the built-in guards with their defaults. */
  readonly judgedByDefaults: number;
}

/** Calls about which two revisions of the hooks decide differently. */
export interface CompareReport extends Pick<BacktestReport, "calls" | "judged" | "leftOut" | "notJudged"> {
  readonly base: string;
  readonly differing: number;
  readonly changes: readonly DecisionChange[];
}

interface ReportInput {
  readonly found: FoundCalls;
  readonly tally: Tally;
  readonly leftOut: readonly LeftOutHook[];
  /** Agents whose own files cannot be read, with the reason. */
  readonly unreadableAgents: readonly string[];
}

export function backtestReport({ found, tally, leftOut, unreadableAgents }: ReportInput): BacktestReport {
  const { calls, sessions, callsByAgent, times } = found;
  const agents = [...callsByAgent].map(([agent, count]) => ({ agent, calls: count }));
  return {
    ...{ calls, sessions, times, leftOut },
    agents: agents.sort((a, b) => b.calls - a.calls),
    judged: tally.judged(),
    judgedByDefaults: tally.judgedByDefaults(),
    decisions: tally.decisions(),
    hooks: tally.hooks(),
    notJudged: notJudgedParts(found, unreadableAgents),
  };
}

/** What could not be read or judged of the calls that were looked for. */
export const notJudgedParts = (
  { unread, unjudged }: Pick<FoundCalls, "unread" | "unjudged">,
  unreadableAgents: readonly string[],
): readonly NotJudged[] => [...unreadParts(unread), ...unjudgedParts(unjudged), ...agentParts(unreadableAgents)];

const unreadParts = (unread: UnreadCounts): readonly NotJudged[] => [
  ...part("broken_lines", unread.brokenLines),
  ...part("long_lines", unread.longLines),
  ...part("unreadable_calls", unread.unreadableCalls),
  ...part("calls_without_folder", unread.callsWithoutFolder),
  ...part("files", unread.files.size, [...unread.files].map(([path, why]) => `${path}: ${why}`)[0]),
];

const unjudgedParts = (unjudged: FoundCalls["unjudged"]): readonly NotJudged[] =>
  [...unjudged].flatMap(([why, count]) => part("unjudged_calls", count, why));

const agentParts = (agents: readonly string[]): readonly NotJudged[] =>
  agents.flatMap((agent) => part("agents", 1, agent));

const part = (what: NotJudged["what"], count: number, detail = ""): readonly NotJudged[] =>
  count === 0 ? [] : [{ what, count, detail }];
