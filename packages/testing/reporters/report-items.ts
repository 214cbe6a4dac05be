import { createHash } from "node:crypto";
import { explain } from "../../../src/protocol/problem-messages/explain.ts";
import { pluralize } from "../../../src/protocol/text/count.ts";
import { escapeControls } from "../../../src/protocol/text/text.ts";
import { PLAIN_STYLE } from "../../../src/report/text-style.ts";
import { isBelowLimit } from "../mutate/survivors.ts";
import type { CheckedHook, CheckResult, MutatedCase, TestReport } from "../test-report.ts";
import { failureLines, rerunCommand } from "./failure-text.ts";
import { mutationSummary } from "./mutation-text.ts";
import { coverageText, isCovered, NOTE_TEXTS, portabilityOn } from "./report-texts.ts";

/**
 * A check, a test case, an invalid case file, or a remark on a hook that passes nevertheless: a weakness of its cases, or
 * a respelling that it does not stop. Each format escapes the texts.
 */
export interface ReportItem {
  /** The hook, or the file of an invalid case. */
  readonly suite: string;
  /** Distinguishes the items of a suite that have the same rule. */
  readonly name: string;
  readonly status: "passed" | "failed" | "skipped" | "remark";
  /** The rule that was checked; the same for every test case. */
  readonly rule: string;
  /** The file to open first: of the line that threw, the case, or the hook. Relative to the checkout if it is inside. */
  readonly path: string;
  readonly line?: number | undefined;
  /** Why it failed or was skipped, or a remark on a passed check. */
  readonly message: string | null;
  readonly hint?: string | undefined;
  readonly rerun?: string;
  /** Absent: nothing was checked. */
  readonly check?: CheckResult;
  /** The whole explanation, as for a person. */
  readonly text: string;
}

/** The checks and cases of a hook, those that were skipped, and the remarks on it. */
export const hookItems = (hook: CheckedHook, rootDir: string): readonly ReportItem[] => [
  ...hook.checks.map((check) => checkItem(check, hook, rootDir)),
  ...hook.skippedChecks.map(({ name, reason }) =>
    skippedItem({ suite: hook.name, name, path: relativeTo(rootDir, hook.path), reason }),
  ),
  ...remarksOn(hook, rootDir),
];

export function remarksOn(hook: CheckedHook, rootDir: string): readonly ReportItem[] {
  const { name: suite, coverage, mutation = [] } = hook;
  const remark = (rule: string, text: string, name = ""): ReportItem => {
    return { suite, name, status: "remark", rule, path: relativeTo(rootDir, hook.path), message: text, text };
  };
  return [
    ...hook.notes.map((note) => remark(note, NOTE_TEXTS[note])),
    ...portabilityOn(hook).map((text) => remark("not-portable", text, text)),
    ...(coverage === undefined || isCovered(coverage) ? [] : [remark("not-covered", coverageText(coverage))]),
    ...mutation.flatMap((one) => {
      const text = survivorText(one);
      if (text === null) return [];
      return [
        { ...remark("respelling-survives", text, one.name), path: relativeTo(rootDir, one.file), line: one.line },
      ];
    }),
  ];
}

/** A program reads the lines, so that none is broken. */
const FOR_PROGRAMS = { ...PLAIN_STYLE, breakCode: (line: string) => [line] };

function checkItem(check: CheckResult, hook: CheckedHook, rootDir: string): ReportItem {
  const { name, passed, message, hint } = check;
  const crash = passed ? undefined : check.evidence?.crash;
  return {
    suite: hook.name,
    name,
    status: passed ? "passed" : "failed",
    rule: check.caseFile === undefined ? ruleOf(name) : "test-case",
    path: relativeTo(rootDir, crash?.file ?? check.caseFile ?? hook.path),
    line: crash?.line ?? check.caseLine,
    message,
    hint,
    ...(passed ? {} : { rerun: rerunCommand(hook, check) }),
    check,
    text: failureLines(check, hook, FOR_PROGRAMS).join("\n"),
  };
}

const skippedItem = ({
  reason,
  ...at
}: Pick<ReportItem, "suite" | "name" | "path"> & { reason: string }): ReportItem => {
  return { ...at, status: "skipped", rule: ruleOf(at.name), message: reason, text: reason };
};

/** The survivors of a case, with the shortest; null if there are none. */
function survivorText({ name, expects, respellings, survivors }: MutatedCase): string | null {
  const [shortest] = survivors.toSorted((a, b) => a.command.length - b.command.length);
  if (shortest === undefined) return null;
  const count = `${survivors.length} of ${pluralize(respellings, "respelling")}`;
  return `${name}: ${count} ${expects === "stop" ? "allowed" : "stopped"}, such as ${shortest.command}`;
}

const INVALID_CASE = "is a valid file of test cases";

/** Items of no checked hook: skipped hooks, invalid case files, and a score with a threshold. */
export const otherItems = (report: TestReport, rootDir: string): readonly ReportItem[] => [
  ...report.skipped.map(({ name: suite, path, reason }) =>
    skippedItem({ suite, name: "is tested", path: relativeTo(rootDir, path), reason }),
  ),
  ...report.caseFaults.map((problem): ReportItem => {
    const { summary: message, hint } = explain(problem);
    const path = relativeTo(rootDir, problem.file);
    const text = `${message}\nHint: ${hint}`;
    const at = { suite: path, path, line: problem.line ?? undefined };
    return { ...at, name: INVALID_CASE, status: "failed", rule: ruleOf(INVALID_CASE), message, hint, text };
  }),
  ...scoreItems(report, rootDir),
];

/** The score of `--mutate`, if there is a limit for it. */
function scoreItems({ hooks, mutation }: TestReport, rootDir: string): readonly ReportItem[] {
  if (mutation === undefined || mutation.failUnder === null) return [];
  const text = mutationSummary(mutation);
  const path = hooks.find((hook) => hook.mutation !== undefined)?.path ?? hooks[0]?.path ?? ".kodelet";
  return [
    {
      suite: "hookctl",
      name: `mutation score is at least ${mutation.failUnder}%`,
      status: isBelowLimit(mutation) ? "failed" : "passed",
      rule: "mutation-score",
      path: relativeTo(rootDir, path),
      message: text,
      text,
    },
  ];
}

/** Everything. Names of results are on one line and unique in their suite: some programs ignore the second of a name. */
export function allItems(report: TestReport, rootDir: string): readonly ReportItem[] {
  const seen = new Set<string>();
  const items = [...report.hooks.flatMap((hook) => hookItems(hook, rootDir)), ...otherItems(report, rootDir)];
  return items.map((item) => {
    if (item.status === "remark") return item;
    const [suite, plain] = [oneLine(item.suite), oneLine(item.name)];
    let name = plain;
    for (let count = 2; seen.has(JSON.stringify([suite, name])); count++) name = `${plain} (${count})`;
    seen.add(JSON.stringify([suite, name]));
    return { ...item, suite, name };
  });
}

/** Every failure, then every remark, for formats that show no passed checks. */
export function findingsOf(report: TestReport, rootDir: string): readonly ReportItem[] {
  const items = allItems(report, rootDir);
  return (["failed", "remark"] as const).flatMap((wanted) => items.filter(({ status }) => status === wanted));
}

export function findingText({ status, suite, name, message }: ReportItem): string {
  return [suite, ...(status === "remark" ? [] : [name]), ...(message === null ? [] : [message])].join(": ");
}

/** Names a finding. Made without its line and message, so that it stays the same while its file changes. */
export const fingerprint = (parts: readonly string[]): string =>
  createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);

/** `finishes within its timeout` becomes `finishes-within-its-timeout`. */
const ruleOf = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "") || "check";

/** A path below the folder is relative to it; any other stays. */
const relativeTo = (folder: string, path: string): string =>
  folder.length > 1 && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;

/** A text on one line, with control characters and byte order marks as `\uXXXX`. */
export const oneLine = (text: string): string => escapeControls(wellFormed(text)).replaceAll("\ufeff", "\\ufeff");

/** Escapes a text, but not its line breaks and tabs. */
export const manyLines = (text: string): string => text.replace(/[^\n\t]+/g, oneLine);

/** UTF-8 has no half of a surrogate pair, and XML no U+FFFE and U+FFFF. */
export const wellFormed = (text: string): string => text.replace(/\p{Surrogate}|[\ufffe\uffff]/gu, "\ufffd");
