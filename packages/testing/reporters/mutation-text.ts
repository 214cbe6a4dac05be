import { pluralize } from "../../../src/protocol/text/count.ts";
import { truncateEscaped } from "../../../src/protocol/text/text.ts";
import { column, type Style } from "../../../src/report/text-style.ts";
import { mutationCounts, mutationScore, survivorGroups } from "../mutate/survivors.ts";
import type { MutatedCase, MutationTotals } from "../test-report.ts";

const MOST_KINDS = 8;
const KIND_WIDTH = 36;
const STOPPED = { timeout: "the hook timed out", interrupt: "the call ended" } as const;

/** The results for respelled commands: the score, then the survivors by kind, each with an example. */
export function mutationText(
  cases: readonly MutatedCase[],
  { style, isVerbose }: { readonly style: Style; readonly isVerbose: boolean },
): string {
  const counts = mutationCounts(cases);
  const score = `${pluralize(counts.respellings, "respelling")} of ${pluralize(cases.length, "case")}: ${percent(mutationScore(counts))} keep the decision`;
  const lines = [style.faint(score)];
  for (const expects of ["stop", "allow"] as const) {
    const groups = survivorGroups(cases).filter((group) => group.expects === expects);
    if (groups.length === 0) continue;
    const count = groups.reduce((sum, group) => sum + group.count, 0);
    const [before, now] = expects === "stop" ? ["a stopped", "allowed"] : ["an allowed", "stopped"];
    const are = count === 1 ? "is" : "are";
    lines.push(`${style.warn("▲")} ${pluralize(count, "respelling")} of ${before} command ${are} ${now}:`);
    for (const { kind, count: number, examples } of isVerbose ? groups : groups.slice(0, MOST_KINDS))
      for (const [index, { command }] of (isVerbose ? examples : examples.slice(0, 1)).entries()) {
        const [times, name] = index === 0 ? [String(number), truncateEscaped(kind, 80)] : ["", ""];
        const onOneLine = truncateEscaped(command.replaceAll("\n", "⏎"), 160);
        lines.push(`  ${times.padStart(4)}  ${column(name, KIND_WIDTH)} ${onOneLine}`);
      }
    const left = isVerbose ? 0 : groups.length - MOST_KINDS;
    if (left > 0) lines.push(style.faint(`    and ${pluralize(left, "more kind")} (-v lists them)`));
  }
  for (const { name, untried, stopped } of cases)
    if (stopped !== null)
      lines.push(
        `• ${truncateEscaped(name, 80)}: ${pluralize(untried, "respelling")} not tried, because ${STOPPED[stopped]}`,
      );
  return lines.map((line) => `   ${line}\n`).join("");
}

/** The score of the whole call: `mutation score 93.5%: 26 of 400 respellings survive (--fail-under 99)`. */
export function mutationSummary(totals: MutationTotals): string {
  const { respellings, survived, failUnder } = totals;
  const limit = failUnder === null ? "" : ` (--fail-under ${failUnder})`;
  if (respellings === 0) return `no mutation score: no passing case is about a command${limit}`;
  return `mutation score ${percent(mutationScore(totals))}: ${survived} of ${pluralize(respellings, "respelling")} survive${limit}`;
}

/** Rounded down, so that only a whole score is 100%. */
const percent = (score: number | null): string => (score === null ? "none" : `${Math.floor(score * 10) / 10}%`);
