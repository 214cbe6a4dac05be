import fc from "fast-check";
import { isBelowLimit } from "../../../packages/testing/mutate/survivors.ts";
import { isCovered, type ReporterContext } from "../../../packages/testing/reporters/report-texts.ts";
import { TEST_REPORTERS } from "../../../packages/testing/reporters/test-reporters.ts";
import type {
  CheckedHook,
  CheckResult,
  Evidence,
  HookCoverage,
  HookNote,
  MutatedCase,
  SkippedHook,
  TestReport,
} from "../../../packages/testing/test-report.ts";
import type { CaseProblem } from "../../../src/protocol/problem.ts";
import type { TestReporterName } from "../../../src/protocol/reporter-names.ts";
import type { Warning } from "../../../src/protocol/warning.ts";
import { PLAIN_STYLE } from "../../../src/report/text-style.ts";

const ROOT = "/work/shop";

export const CONTEXT: ReporterContext = {
  isVerbose: false,
  isQuiet: false,
  projectDir: ROOT,
  rootDir: ROOT,
  style: PLAIN_STYLE,
  isWorkflowLog: false,
};

/** The whole text of a report, as the command puts it together. */
export function reportText(name: TestReporterName, report: TestReport, context: ReporterContext = CONTEXT): string {
  const reporter = TEST_REPORTERS[name].create(context);
  return report.hooks.map((hook) => reporter.hook?.(hook) ?? "").join("") + reporter.end(report);
}

/** What means something in one of the formats, or cannot be written in it. */
const FRAGMENTS = [
  ...["\n", "\r\n", "\r", "\t", " ", "\u0000", "\u001b[2J", "\u0085", "\u202e", "\u2028", "\ufeff", "\ufffe", "\uffff"],
  ...["\ud800", "\udfff", "😀", "%", "%0A", "%25", "::", "::error::", "##[error]", ",", ":", "=", "]]>", "<![CDATA["],
  ...["&amp;", "&#0;", "<b>", '"', "'", "\\", "\\\\", "#", "# SKIP", " # TODO x", "{", "}", "{0}", "](", "[a](b)"],
  ...[
    "```",
    "`",
    "|",
    "---",
    "...",
    "  ...",
    "- ",
    "1..0",
    "Bail out!",
    "not ok 7",
    "TAP version 14",
    "@all",
    "../",
    "/",
  ],
];

/** Any text, mostly made of what is dangerous somewhere. */
export const anyText: fc.Arbitrary<string> = fc
  .array(
    fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...FRAGMENTS) }, fc.string({ unit: "binary", maxLength: 4 })),
    {
      maxLength: 6,
    },
  )
  .map((parts) => parts.join(""));

/** A name or message that a format cannot take for nothing. */
const someText = anyText.map((text) => `x${text}y`);

const anyPath = fc.oneof(
  someText.map((name) => `${ROOT}/.kodelet/hooks/${name.replaceAll("\u0000", "")}`),
  someText.map((name) => `/home/u/${name.replaceAll("\u0000", "")}`),
);

const maybe = <T>(any: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(any, { nil: undefined });

const anyEvidence: fc.Arbitrary<Evidence> = fc.record({
  payload: maybe(anyText),
  response: maybe(anyText),
  expected: maybe(anyText),
  found: maybe(anyText),
  crash: maybe(fc.record({ file: anyPath, line: fc.integer({ min: 1, max: 9999 }), message: anyText })),
});

const anyCheck: fc.Arbitrary<CheckResult> = fc
  .record({
    name: someText,
    passed: fc.boolean(),
    message: fc.option(someText),
    hint: maybe(someText),
    excerpt: fc.array(anyText, { maxLength: 2 }),
    durationMs: fc.double({ min: 0, max: 1e5, noNaN: true }),
    place: fc.option(fc.record({ caseFile: anyPath, caseLine: maybe(fc.integer({ min: 1, max: 9999 })) })),
    evidence: maybe(anyEvidence),
    printed: fc.array(anyText, { maxLength: 2 }),
  })
  .map(({ place, ...check }) => ({ ...check, ...place }));

const anyNote: fc.Arbitrary<HookNote> = fc.constantFrom("never-blocks", "passes-without-it");

const anyCoverage: fc.Arbitrary<HookCoverage> = fc.record({
  unit: fc.constantFrom("rules", "lines"),
  reached: fc.nat(50),
  total: fc.nat(50),
  missing: fc.array(someText, { maxLength: 2 }),
  unknownBecause: maybe(someText),
});

const anyMutatedCase: fc.Arbitrary<MutatedCase> = fc.record({
  name: someText,
  file: anyPath,
  line: fc.integer({ min: 1, max: 9999 }),
  expects: fc.constantFrom("allow", "stop"),
  respellings: fc.integer({ min: 3, max: 200 }),
  untried: fc.nat(200),
  survivors: fc.array(fc.record({ command: someText, kinds: fc.array(someText, { minLength: 1, maxLength: 2 }) }), {
    maxLength: 3,
  }),
  stopped: fc.constantFrom(null, "timeout", "interrupt"),
});

const anyHook: fc.Arbitrary<CheckedHook> = fc.record(
  {
    name: someText,
    path: anyPath,
    again: someText,
    checks: fc.array(anyCheck, { maxLength: 4 }),
    notes: fc.uniqueArray(anyNote, { maxLength: 2 }),
    coverage: maybe(anyCoverage),
    skippedChecks: fc.array(fc.record({ name: someText, reason: someText }), { maxLength: 2 }),
    mutation: fc.array(anyMutatedCase, { maxLength: 2 }),
  },
  { requiredKeys: ["name", "path", "again", "checks", "notes", "coverage", "skippedChecks"] },
);

const anySkipped: fc.Arbitrary<SkippedHook> = fc.record({
  name: someText,
  path: anyPath,
  reason: someText,
  hint: someText,
  why: fc.constantFrom("unapproved", "refused", "skipped"),
  isDeclared: fc.boolean(),
  checks: fc.nat(20),
});

const anyFault: fc.Arbitrary<CaseProblem> = fc.record({
  code: fc.constant("CASE_NOT_PARSED" as const),
  file: anyPath,
  line: fc.option(fc.integer({ min: 1, max: 99 })),
  cause: someText,
});

const anyWarning: fc.Arbitrary<Warning> = fc.record({
  code: fc.constant("FROM_HOOK" as const),
  hook: someText,
  text: someText,
});

/** A report in which every text is hostile. */
export const anyReport: fc.Arbitrary<TestReport> = fc.record(
  {
    hooks: fc.array(anyHook, { maxLength: 3 }),
    skipped: fc.array(anySkipped, { maxLength: 2 }),
    caseFaults: fc.array(anyFault, { maxLength: 2 }),
    warnings: fc.array(anyWarning, { maxLength: 2 }),
    durationMs: fc.double({ min: 0, max: 1e6, noNaN: true }),
    notRun: fc.constantFrom(undefined, { why: "bail", hooks: 2, checks: 34 } as const),
    otherShards: fc.nat(3),
    mutation: fc.record({
      respellings: fc.nat(400),
      survived: fc.nat(100),
      failUnder: fc.option(fc.integer({ min: 1, max: 100 })),
    }),
  },
  { requiredKeys: ["hooks", "skipped", "caseFaults", "warnings", "durationMs", "notRun", "otherShards"] },
);

/** How many results failed: checks, invalid files of cases, and a score below its limit. */
export const failuresIn = ({ hooks, caseFaults, mutation }: TestReport): number =>
  hooks.flatMap(({ checks }) => checks.filter(({ passed }) => !passed)).length +
  caseFaults.length +
  (isBelowLimit(mutation) ? 1 : 0);

/** How many remarks there are on hooks: notes, what no case reaches, and cases of which respellings survive. */
export const remarksIn = ({ hooks }: TestReport): number =>
  hooks.flatMap(({ notes }) => notes).length +
  hooks.filter(({ coverage }) => !isCovered(coverage)).length +
  hooks.flatMap(({ mutation }) => mutation?.filter(({ survivors }) => survivors.length > 0) ?? []).length;

/** A report with one hook and these checks, all of them failed if not said otherwise. */
export const reportOf = (checks: readonly Partial<CheckResult>[], hook: Partial<CheckedHook> = {}): TestReport => ({
  hooks: [
    {
      name: "guard",
      path: `${ROOT}/.kodelet/hooks/guard`,
      again: "test -v guard",
      notes: [],
      skippedChecks: [],
      ...hook,
      checks: checks.map((check) => ({ ...FAILED, ...check })),
    },
  ],
  skipped: [],
  caseFaults: [],
  warnings: [],
  durationMs: 96,
  otherShards: 0,
});

const FAILED: CheckResult = {
  name: "blocks rm -rf",
  passed: false,
  message: "expected the decision block, got allow",
  hint: "Correct the hook, or the case.",
  excerpt: [],
  durationMs: 9,
  caseFile: `${ROOT}/.kodelet/tests/guard.yaml`,
  caseLine: 4,
  printed: [],
};
