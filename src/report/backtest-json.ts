import type { JsonRecord } from "../protocol/json/write.ts";
import type { BacktestReport, CompareReport } from "../replay/backtest-report.ts";
import type { HookTally } from "../replay/tally.ts";

/** The same data as the text. */
export const backtestJson = (report: BacktestReport): JsonRecord => ({
  schema: "hookctl.backtest/1",
  ...{ calls: report.calls, judged: report.judged, sessions: report.sessions },
  agents: Object.fromEntries(report.agents.map(({ agent, calls }) => [agent, calls])),
  ...{ first: report.times?.first ?? null, last: report.times?.last ?? null },
  ...{ blocked: report.decisions.block, asked: report.decisions.ask, changed: report.decisions.change },
  judged_by_defaults: report.judgedByDefaults,
  hooks: report.hooks.map((hook) => hookJson(hook, report.judged)),
  left_out: report.leftOut.map(({ name, path, why }) => ({ name, path, why })),
  not_judged: report.notJudged.map(({ what, count, detail }) => ({ what, count, detail })),
});

const hookJson = ({ hook, isObserver, counts, habits, otherCalls }: HookTally, judged: number): JsonRecord => ({
  ...{ name: hook, observe: isObserver, blocked: counts.block, asked: counts.ask, changed: counts.change },
  per_thousand: judged === 0 ? 0 : ((counts.block + counts.ask + counts.change) * 1000) / judged,
  habits: habits.map(({ kind, rule, habit, count, example, reason, place }) => ({
    ...{ decision: kind, rule, habit, count, example, reason },
    ...{ agent: place.agent, time: place.time, session: place.session },
  })),
  other_calls: otherCalls,
});

/** The calls about which two revisions decide differently. */
export const compareJson = ({ base, calls, judged, differing, changes, ...report }: CompareReport): JsonRecord => ({
  ...{ schema: "hookctl.backtest/1", base, calls, judged, differing },
  changes: changes.map(({ before, after, hook, habit, count, example, place }) => ({
    ...{ before: before ?? "allow", after: after ?? "allow", hook, habit, count, example },
    ...{ agent: place.agent, time: place.time, session: place.session },
  })),
  left_out: report.leftOut.map(({ name, path, why }) => ({ name, path, why })),
  not_judged: report.notJudged.map(({ what, count, detail }) => ({ what, count, detail })),
});
