import { createHash } from "node:crypto";
import type { CaseProblem } from "../../../src/protocol/problem.ts";
import { explain } from "../../../src/protocol/problem-messages/explain.ts";
import { escapeControls } from "../../../src/protocol/text/text.ts";
import { PLAIN_STYLE } from "../../../src/report/text-style.ts";
import { isBelowLimit } from "../mutate/survivors.ts";
import type { CheckedHook, CheckResult, Evidence, SkippedCheck, SkippedHook, TestReport } from "../test-report.ts";
import { failureLines, rerunCommand } from "./failure-text.ts";
import { mutationSummary } from "./mutation-text.ts";

/** One check, test case or invalid case file in the form that machine formats need. Each format escapes the texts. */
export interface TestResult {
  /** The hook, or the file of an invalid case. */
  readonly suite: string;
  readonly name: string;
  readonly status: "passed" | "failed" | "skipped";
  /** The rule that was checked; the same for every test case. */
  readonly rule: string;
  readonly durationMs: number;
  /**
   * The file to look at first: of the line that threw, the case, or the hook. Relative to the checkout if it is inside.
   */
  readonly path: string;
  readonly line: number | null;
  /** Why it failed or was skipped, or a remark on a passed check. */
  readonly message: string | null;
  readonly hint: string | null;
  readonly evidence: Evidence | null;
  readonly printed: readonly string[];
  readonly rerun: string | null;
  /** True if an earlier check of the hook failed in the same way. */
  readonly isRepeated: boolean;
  /** The whole explanation, as for a person. */
  readonly text: string;
}

const CASE_RULE = "test-case";
const INVALID_CASE = "is a valid file of test cases";

export const hookResults = (hook: CheckedHook, rootDir: string): readonly TestResult[] => [
  ...hook.checks.map((check) => checkedResult(check, hook, rootDir)),
  ...hook.skippedChecks.map(({ name, reason }) => skippedResult(hook, { name, reason }, rootDir)),
];

/** Results that belong to no checked hook: skipped hooks, invalid case files, and a score with a threshold. */
export const otherResults = (report: TestReport, rootDir: string): readonly TestResult[] => [
  ...report.skipped.map((hook) => skippedResult(hook, { name: "is tested", reason: hook.reason }, rootDir)),
  ...report.caseFaults.map((problem) => faultResult(problem, rootDir)),
  ...scoreResults(report, rootDir),
];

/** Everything, with names on one line that are unique in their suite: some programs ignore the second of a name. */
export function allResults(report: TestReport, rootDir: string): readonly TestResult[] {
  const seen = new Set<string>();
  const results = report.hooks.flatMap((hook) => hookResults(hook, rootDir));
  return [...results, ...otherResults(report, rootDir)].map((result) => {
    const suite = oneLine(result.suite);
    const plain = oneLine(result.name);
    let name = plain;
    for (let count = 2; seen.has(JSON.stringify([suite, name])); count++) name = `${plain} (${count})`;
    seen.add(JSON.stringify([suite, name]));
    return { ...result, suite, name };
  });
}

export const failuresOf = (report: TestReport, rootDir: string): readonly TestResult[] =>
  allResults(report, rootDir).filter(({ status }) => status === "failed");

function checkedResult(check: CheckResult, hook: CheckedHook, rootDir: string): TestResult {
  const crash = check.passed ? null : (check.evidence?.crash ?? null);
  const isCase = check.caseFile !== null;
  return {
    suite: hook.name,
    name: check.name,
    status: check.passed ? "passed" : "failed",
    rule: isCase ? CASE_RULE : ruleOf(check.name),
    durationMs: check.durationMs,
    path: relativeTo(rootDir, crash?.file ?? check.caseFile ?? hook.path),
    line: crash?.line ?? check.caseLine,
    message: check.message,
    hint: check.hint,
    evidence: check.evidence,
    printed: check.printed,
    rerun: check.passed ? null : rerunCommand(hook, check),
    isRepeated: check.sameAs !== null,
    text: failureLines(check, hook, PLAIN_STYLE).join("\n"),
  };
}

const skippedResult = (
  { name: suite, path }: CheckedHook | SkippedHook,
  { name, reason }: SkippedCheck,
  rootDir: string,
): TestResult => ({
  ...NO_DETAILS,
  suite,
  name,
  status: "skipped",
  rule: ruleOf(name),
  path: relativeTo(rootDir, path),
  message: reason,
  text: reason,
});

function faultResult(problem: CaseProblem, rootDir: string): TestResult {
  const { summary, hint } = explain(problem);
  const path = relativeTo(rootDir, problem.file);
  return {
    ...NO_DETAILS,
    suite: path,
    name: INVALID_CASE,
    status: "failed",
    rule: ruleOf(INVALID_CASE),
    path,
    line: problem.line,
    message: summary,
    hint,
    text: `${summary}\nHint: ${hint}`,
  };
}

/** The score of `--mutate` as a result, if there is a limit for it. */
function scoreResults({ hooks, mutation }: TestReport, rootDir: string): readonly TestResult[] {
  if (mutation === undefined || mutation.failUnder === null) return [];
  const summary = mutationSummary(mutation);
  const path = hooks.find((hook) => hook.mutation !== undefined)?.path ?? hooks[0]?.path ?? ".kodelet";
  return [
    {
      ...NO_DETAILS,
      suite: "hookctl",
      name: `mutation score is at least ${mutation.failUnder}%`,
      status: isBelowLimit(mutation) ? "failed" : "passed",
      rule: "mutation-score",
      path: relativeTo(rootDir, path),
      message: summary,
      text: summary,
    },
  ];
}

const NO_DETAILS = {
  durationMs: 0,
  line: null,
  hint: null,
  evidence: null,
  printed: [],
  rerun: null,
  isRepeated: false,
} as const;

/** `finishes within its timeout` becomes `finishes-within-its-timeout`. */
const ruleOf = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "") || "check";

/** A path below the folder is relative to it; any other stays. */
export const relativeTo = (folder: string, path: string): string =>
  folder.length > 1 && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;

/** A text on one line, with control characters and byte order marks as `\uXXXX`. */
export const oneLine = (text: string): string => escapeControls(wellFormed(text)).replaceAll("\ufeff", "\\ufeff");

/** Escapes a text, but not its line breaks and tabs. */
export const manyLines = (text: string): string => text.replace(/[^\n\t]+/g, oneLine);

/** UTF-8 has no half of a surrogate pair, and XML no U+FFFE and U+FFFF. */
export const wellFormed = (text: string): string => text.replace(/\p{Surrogate}|[\ufffe\uffff]/gu, "\ufffd");

/** Names a failure. Made without its line and message, so that it stays the same one while its file changes. */
export const fingerprint = (parts: readonly string[]): string =>
  createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);
