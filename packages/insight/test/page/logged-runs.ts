import fc from "fast-check";
import { readBundled } from "../../../../src/fs/read-bundled.ts";
import { type LoggedRun, parseLoggedLine } from "../../../../src/protocol/logged-run.ts";
import { reportPage } from "../../page/page.ts";
import { addRun, noRuns, type ReportData, type ReportHead, reportData } from "../../totals/report-totals.ts";

/** What means something in HTML, in a style, in a URL, or cannot be written in a document. */
export const FRAGMENTS: readonly string[] = [
  ...["<script>document.title='ran'</script>", "<img src=x onerror=document.title='ran'>", "<svg onload=alert(1)>"],
  ...[
    "</title>",
    "</style>",
    "<style>*{display:none}</style>",
    "<!--",
    "-->",
    "]]>",
    "<![CDATA[",
    "&lt;",
    "&#x3c;",
    "&",
  ],
  ...['"', "'", '" onfocus="document.title=1" autofocus="', "javascript:alert(1)", "</bdi></summary></details>"],
  ...["\u0000", "\u001b[2J", "\u202e", "\u2066", "\u2028", "\ufeff", "\ufffe", "\uffff", "\ud800", "\udfff", "\r\n"],
  ...[
    "\t",
    "😀",
    "مرحبا",
    "שלום",
    "z\u0335\u0321\u0327\u034e\u0318\u0325".repeat(9),
    "W".repeat(400),
    "a ".repeat(300),
  ],
  ...["$\u007bx}", "{{x}}", "url(https://example.com/x)", "@import 'x'", "constructor", "__proto__"],
];

const anyText: fc.Arbitrary<string> = fc.oneof(
  fc
    .array(fc.oneof(fc.constantFrom(...FRAGMENTS), fc.string({ unit: "binary", maxLength: 8 })), { maxLength: 4 })
    .map((parts) => parts.join("")),
  fc.constantFrom("guard", "log-calls", "Bash", ""),
);

const anyNumber = fc.oneof(fc.double({ min: 0, max: 20_000, noNaN: true }), fc.constantFrom(0, -5, 1e-9, 1e300));
const anyTime = fc.oneof(
  { weight: 9, arbitrary: fc.date({ min: new Date("2026-11-01"), max: new Date("2026-11-22"), noInvalidDate: true }) },
  fc.date({ min: new Date("1999-01-01"), max: new Date("2038-01-01"), noInvalidDate: true }),
);
const anyOutcome = fc.oneof(
  fc.constantFrom("continue", "block", "modify", "replace", "observed", "failed", "refused", "skipped"),
  anyText,
);

const anyHook = fc.record(
  {
    ...{ name: anyText, outcome: anyOutcome, failure: anyText, why: anyText },
    ...{ start_ms: anyNumber, duration_ms: anyNumber },
  },
  { requiredKeys: ["name", "outcome", "duration_ms"] },
);

/** A line as a log may have it, of any version and by anybody. */
export const anyRun: fc.Arbitrary<LoggedRun> = fc
  .record(
    {
      time: fc.oneof({ weight: 9, arbitrary: anyTime.map((time) => time.toISOString()) }, anyText),
      ...{ run_id: anyText, event: anyText, tool: anyText, call: anyText, agent: anyText, project: anyText },
      decision: fc.oneof(fc.constantFrom("continue", "block", "halt", "ask"), anyText),
      ...{ decided_by: anyText, reason: anyText, duration_ms: anyNumber },
      hooks: fc.array(anyHook, { maxLength: 30 }),
    },
    { requiredKeys: ["time", "run_id", "event", "decision", "duration_ms", "hooks"] },
  )
  .map(loggedRun);

/** Through the reader of the log, so that a run has what it can have. */
export function loggedRun(members: object): LoggedRun {
  const line = parseLoggedLine(JSON.stringify({ schema: "hookctl.record/1", ...members }));
  if (line?.kind !== "run") throw new Error("this is no run");
  return line;
}

/** The page of a report, made with the template of the package. */
export const pageOf = (report: ReportData): string => reportPage(report, readBundled("assets/report.html.jinja"));

const HEAD: ReportHead = {
  version: "1.2.3",
  made: "2026-11-22T16:24:00+01:00",
  asked: { since: null, until: null, project: null, hook: null },
};

export function reportOf(runs: Iterable<LoggedRun>, head: Partial<ReportHead> = {}): ReportData {
  const totals = noRuns();
  for (const run of runs) addRun(totals, run);
  return reportData(totals, { ...HEAD, ...head });
}
