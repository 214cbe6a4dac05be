import type { AgentName } from "../../src/protocol/agent-names.ts";
import type { JsonSpan } from "../../src/protocol/json/read.ts";
import type { CaseProblem, Problem } from "../../src/protocol/problem.ts";
import { explain } from "../../src/protocol/problem-messages/explain.ts";
import type { Crash } from "../../src/protocol/text/crash.ts";
import type { Warning } from "../../src/protocol/warning.ts";
import type { Portability } from "../agents/portability.ts";

/** The results of `test`. Texts are redacted; control characters are escaped where they are shown. */
export interface TestReport {
  readonly hooks: readonly CheckedHook[];
  readonly skipped: readonly SkippedHook[];
  /** Invalid case files; each counts as a failed check. */
  readonly caseFaults: readonly CaseProblem[];
  readonly warnings: readonly Warning[];
  readonly durationMs: number;
  /** Only if requested. */
  readonly mutation?: MutationTotals;
  /** Hooks that were not started because the call ended early, and the number of their checks and cases. */
  readonly notRun?: { readonly why: StopReason; readonly hooks: number; readonly checks: number } | undefined;
  /** The number of hooks that only other shards test. */
  readonly otherShards: number;
}

/** Why a call ends before every hook was tested: a failure with `--bail`, a signal, or a closed pipe. */
export type StopReason = "bail" | "interrupt" | "unread";

export const STOP_WORDS: Readonly<Record<StopReason, string>> = {
  bail: "stopped after the first failure (--bail)",
  interrupt: "interrupted",
  unread: "the report is no longer read",
};

export interface CheckedHook {
  readonly name: string;
  readonly path: string;
  /** The arguments of `hookctl`, quoted for a shell, that test only this hook again. */
  readonly again: string;
  readonly checks: readonly CheckResult[];
  /** Checks that would have needed what failed before them. */
  readonly skippedChecks: readonly { readonly name: string; readonly reason: string }[];
  readonly notes: readonly HookNote[];
  /** Absent: it is no hook. */
  readonly portability?: Portability;
  /** Only if requested. */
  readonly coverage?: HookCoverage | undefined;
  /** True if it is no hook: the project itself, or a file of it in which `check` found a fault. */
  readonly isProject?: true;
  /** The decisions about respelled commands of its cases. Only if requested, for a case with a command. */
  readonly mutation?: readonly MutatedCase[];
}

/** A gap in the cases of a hook. The hook passes nevertheless. */
export type HookNote = "never-blocks" | "passes-without-it";

/** The number of respellings tried in a call, and of those that changed the decision. */
export interface MutationTotals {
  readonly respellings: number;
  readonly survived: number;
  /** The score in percent below which the call fails; null without a threshold. */
  readonly failUnder: number | null;
}

/** A case whose command was respelled. */
export interface MutatedCase {
  readonly name: string;
  readonly file: string;
  readonly line: number;
  /** The expectation of the case: each respelling should have the same result. */
  readonly expects: "allow" | "stop";
  /** The number of respellings tried. */
  readonly respellings: number;
  readonly untried: number;
  /** Respellings with which the hook decides otherwise. */
  readonly survivors: readonly Respelling[];
  /** Why not all were tried; null if all were. */
  readonly stopped: "timeout" | "interrupt" | null;
}

/** A command that starts the same programs with the same arguments as another one. */
export interface Respelling {
  readonly command: string;
  /** The names of the kinds that were applied, in their order. */
  readonly kinds: readonly string[];
}

/** The result of one check. The message of a passed check is information, not a fault. */
export interface Finding {
  readonly passed: boolean;
  readonly message: string | null;
  readonly hint?: string | undefined;
  /** Lines of the hook's own output that show the fault. */
  readonly excerpt?: readonly string[];
}

export interface CheckResult extends Finding {
  readonly name: string;
  readonly durationMs: number;
  /** The file of the test case. Absent: a check of the contract. */
  readonly caseFile?: string | undefined;
  /** The first line of the case in its file, from 1. */
  readonly caseLine?: number | undefined;
  readonly evidence?: Evidence | undefined;
  /** The name of an earlier check that failed in the same way. */
  readonly sameAs?: string | undefined;
  /** The result of a case without expectations. */
  readonly snapshot?: JsonSpan;
  /** The same tool call, made by agents. Absent: the case stops no tool call. */
  readonly replays?: readonly Replay[];
  /** The output of the hook, line by line. */
  readonly printed: readonly string[];
}

/** Evidence of a failed check or case; each text is redacted and truncated for reports. */
export interface Evidence {
  /** The part of the payload that the case set, as JSON. */
  readonly payload?: string | undefined;
  /** The stdout of the hook. */
  readonly response?: string | undefined;
  /** Two texts, for a difference. */
  readonly expected?: string | undefined;
  readonly found?: string | undefined;
  /** The position at which the hook's code threw. */
  readonly crash?: Crash | undefined;
}

/** A case as the native call of an agent. */
export interface Replay {
  readonly agent: AgentName;
  /** The agent's name of the tool; null if it has none. */
  readonly tool: string | null;
  /** Why it was not run, such as a tool that the agent lacks. */
  readonly skipped?: string;
  /** The difference from the result of the case. */
  readonly fault?: string;
}

/** The coverage of a hook's test cases: lines of a program, or rules of a built-in guard. */
export interface HookCoverage {
  readonly unit: "lines" | "rules";
  readonly reached: number;
  readonly total: number;
  /** `12`, `14-16`, or the names of rules. */
  readonly missing: readonly string[];
  /** Why nothing was measured. */
  readonly unknownBecause?: string | undefined;
}

/** A hook without tests. */
export interface SkippedHook {
  readonly name: string;
  readonly path: string;
  readonly reason: string;
  readonly hint: string;
  /** It only needs an approval, may not be started here, or is not a hook or is disabled. */
  readonly why: "unapproved" | "refused" | "skipped";
  readonly isDeclared: boolean;
  /** The number of its checks and test cases that were not run. */
  readonly checks: number;
}

export const hasPassed = ({ checks }: Pick<CheckedHook, "checks">): boolean => checks.every(({ passed }) => passed);

/** The number of checks and test cases that passed, failed and were skipped, including those of skipped hooks. */
export function countChecks({ hooks, skipped, caseFaults, notRun }: TestReport) {
  const all = hooks.flatMap(({ checks }) => checks);
  const passed = all.filter((check) => check.passed).length;
  const leftOut = hooks.reduce((sum, hook) => sum + hook.skippedChecks.length, 0);
  const ofSkipped = skipped.reduce((sum, { checks }) => sum + checks, 0);
  const failed = all.length - passed + caseFaults.length;
  return { passed, failed, skipped: leftOut + ofSkipped + (notRun?.checks ?? 0) };
}

export const passedCheck = (message: string | null = null): Finding => ({ passed: true, message });

export const failedCheck = (message: string, hint: string, excerpt: readonly string[] = []): Finding => {
  return { passed: false, message, hint, excerpt };
};

/** A check that fails with the words of a problem. */
export function problemCheck(problem: Problem): Finding {
  const { summary, hint } = explain(problem);
  return failedCheck(summary, hint);
}

/** The result of a check that started nothing. */
export const resultOf = (name: string, finding: Finding): CheckResult => ({
  ...finding,
  name,
  durationMs: 0,
  printed: [],
});
