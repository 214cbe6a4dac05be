import type { AgentName } from "../../src/protocol/agent-names.ts";
import type { JsonSpan } from "../../src/protocol/json/read.ts";
import type { CaseProblem } from "../../src/protocol/problem.ts";
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
  /** Shown to people only. */
  readonly notices: readonly Warning[];
  readonly durationMs: number;
  /** Only if requested. */
  readonly mutation?: MutationTotals;
  /** Hooks that were not started because the call ended early; null if none. */
  readonly notRun: NotRun | null;
  /** The number of hooks that only other shards test. */
  readonly otherShards: number;
}

/** Hooks that would have been tested. */
export interface NotRun {
  readonly why: StopReason;
  readonly hooks: number;
  /** Their checks and test cases. */
  readonly checks: number;
}

/** Why a call ends before every hook was tested: a failure with `--bail`, a signal, or a closed pipe. */
export type StopReason = "bail" | "interrupt" | "unread";

export const STOP_WORDS: Readonly<Record<StopReason, string>> = {
  bail: "stopped after the first failure (--bail)",
  interrupt: "interrupted",
  unread: "the report is not read any more",
};

export interface CheckedHook {
  readonly name: string;
  readonly path: string;
  /** The arguments of `hookctl`, quoted for a shell, that test only this hook again. */
  readonly again: string;
  readonly checks: readonly CheckResult[];
  readonly notes: readonly HookNote[];
  /** Absent: it is no hook. */
  readonly portability?: Portability;
  /** `null` if coverage was not requested. */
  readonly coverage: HookCoverage | null;
  readonly skippedChecks: readonly SkippedCheck[];
  /** True if it is no hook: the project itself, or a file of it in which `check` found a fault. */
  readonly isProject?: true;
  /** Only if requested, for a case with a command. */
  readonly mutation?: HookMutation;
}

/** The number of respellings tried in a call, and of those that changed the decision. */
export interface MutationTotals {
  readonly respellings: number;
  readonly survived: number;
  /** The score in percent below which the call fails; null without a threshold. */
  readonly failUnder: number | null;
}

/** The decisions of a hook about respelled commands of its cases. */
export interface HookMutation {
  readonly cases: readonly MutatedCase[];
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
  readonly survivors: readonly Survivor[];
  /** Why not all were tried; null if all were. */
  readonly stopped: "timeout" | "interrupt" | null;
}

/** A respelling with which the hook decides otherwise. */
export interface Survivor {
  readonly command: string;
  /** The kinds of its respelling. */
  readonly kinds: readonly string[];
}

export interface CheckResult extends Finding {
  readonly name: string;
  readonly durationMs: number;
  /** The file of the test case; null for a check of the contract. */
  readonly caseFile: string | null;
  /** The first line of the case in its file, from 1. */
  readonly caseLine: number | null;
  readonly evidence: Evidence | null;
  /** The name of an earlier check that failed in the same way; null if there is none. */
  readonly sameAs: string | null;
  /** The result of a case without expectations. */
  readonly snapshot?: JsonSpan;
  /** The same tool call, made by agents. Absent: the case stops no tool call. */
  readonly replays?: readonly Replay[];
  /** The output of the hook, line by line. */
  readonly printed: readonly string[];
}

/** A case as the native call of an agent. */
export interface Replay {
  readonly agent: AgentName;
  /** The agent's name of the tool; null if it has none. */
  readonly tool: string | null;
  /** Why it was not run, such as a tool that the agent lacks; null if it was run. */
  readonly skipped: string | null;
  /** The difference from the result of the case; null if there is none. */
  readonly fault: string | null;
}

/** The coverage of a hook's test cases: lines of a program, or rules of a built-in guard. */
export interface HookCoverage {
  readonly unit: "lines" | "rules";
  readonly reached: number;
  readonly total: number;
  /** `12`, `14-16`, or the names of rules. */
  readonly missing: readonly string[];
  /** Why nothing was measured; null if it was. */
  readonly unknownBecause: string | null;
}

/** A gap in the cases of a hook. The hook passes nevertheless. */
export type HookNote = "never-blocks" | "passes-without-it";

/** Evidence of a failed check or case; each text is redacted and truncated for reports. */
export interface Evidence {
  /** The part of the payload that the case set, as JSON. */
  readonly payload: string | null;
  /** The stdout of the hook. */
  readonly response: string | null;
  /** Two texts, for a difference. */
  readonly expected: string | null;
  readonly found: string | null;
  /** The position at which the hook's code threw. */
  readonly crash: Crash | null;
}

/** The result of one check. The message of a passed check is information, not a fault. */
export interface Finding {
  readonly passed: boolean;
  readonly message: string | null;
  readonly hint: string | null;
  /** Lines of the hook's own output that show the fault. */
  readonly excerpt: readonly string[];
}

/** A check that would have needed what failed before it. */
export interface SkippedCheck {
  readonly name: string;
  readonly reason: string;
}

/** A hook without tests: it may not be started here, is not a hook, or is switched off. */
export interface NotTestedHook {
  readonly name: string;
  readonly path: string;
  readonly reason: string;
  readonly hint: string;
  /** True if it may not be started here; false if it is not a hook or is switched off. */
  readonly isRefused: boolean;
  /** True if it only needs an approval. */
  readonly awaitsApproval: boolean;
  readonly isDeclared: boolean;
}

/** With the number of its checks and test cases that were not run. */
export interface SkippedHook extends NotTestedHook {
  readonly checks: number;
}

export const hasPassed = ({ checks }: CheckedHook): boolean => checks.every(({ passed }) => passed);

/** The number of checks and test cases that passed, failed and were skipped, including those of skipped hooks. */
export function countChecks({ hooks, skipped, caseFaults, notRun }: TestReport): Readonly<Record<CheckCount, number>> {
  const all = hooks.flatMap(({ checks }) => checks);
  const passed = all.filter((check) => check.passed).length;
  const leftOut = hooks.reduce((sum, hook) => sum + hook.skippedChecks.length, 0);
  const passedOver = skipped.reduce((sum, { checks }) => sum + checks, 0);
  return {
    passed,
    failed: all.length - passed + caseFaults.length,
    skipped: leftOut + passedOver + (notRun?.checks ?? 0),
  };
}
type CheckCount = "passed" | "failed" | "skipped";

const PASS: Finding = { passed: true, message: null, hint: null, excerpt: [] };

export const passedCheck = (message: string | null = null): Finding => ({ ...PASS, message });
export function failedCheck(message: string, hint: string, quoted: readonly string[] = []): Finding {
  return { passed: false, message, hint, excerpt: quoted };
}

/** The result of a check that started nothing. */
export const resultOf = (name: string, finding: Finding): CheckResult => ({
  ...finding,
  name,
  durationMs: 0,
  caseFile: null,
  caseLine: null,
  evidence: null,
  sameAs: null,
  printed: [],
});
