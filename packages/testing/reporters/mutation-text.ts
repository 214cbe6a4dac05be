import { pluralize } from "../../../src/protocol/text/count.ts";
import { truncateEscaped } from "../../../src/protocol/text/text.ts";
import { column } from "../../../src/report/text-style.ts";
import { mutationCounts, mutationScore, type SurvivorGroup, survivorGroups } from "../mutate/survivors.ts";
import type { HookMutation, MutatedCase, MutationTotals } from "../test-report.ts";
import type { ReporterContext } from "./reporter.ts";

const MOST_KINDS = 8;
const KIND_WIDTH = 36;

const SURVIVE: Readonly<Record<MutatedCase["expects"], (count: number) => string>> = {
  stop: (count) => `${pluralize(count, "respelling")} of a stopped command ${count === 1 ? "is" : "are"} allowed:`,
  allow: (count) => `${pluralize(count, "respelling")} of an allowed command ${count === 1 ? "is" : "are"} stopped:`,
};

/** The results for respelled commands: the score, then the survivors by kind, each with an example. */
export function mutationText({ cases }: HookMutation, context: ReporterContext): string {
  const counts = mutationCounts(cases);
  const groups = survivorGroups({ cases });
  const score = `${pluralize(counts.respellings, "respelling")} of ${pluralize(cases.length, "case")}: ${percent(mutationScore(counts))} keep the decision`;
  const lines = [
    context.style.faint(score),
    ...(["stop", "allow"] as const).flatMap((expects) =>
      groupLines(
        expects,
        groups.filter((group) => group.expects === expects),
        context,
      ),
    ),
    ...cases.flatMap(stoppedLines),
  ];
  return lines.map((line) => `   ${line}\n`).join("");
}

function groupLines(
  expects: MutatedCase["expects"],
  groups: readonly SurvivorGroup[],
  { style, isVerbose }: ReporterContext,
): readonly string[] {
  if (groups.length === 0) return [];
  const shown = isVerbose ? groups : groups.slice(0, MOST_KINDS);
  const left = groups.length - shown.length;
  return [
    `${style.warn("▲")} ${SURVIVE[expects](groups.reduce((sum, { count }) => sum + count, 0))}`,
    ...shown.flatMap((group) => kindLines(group, isVerbose)),
    ...(left === 0 ? [] : [style.faint(`    and ${pluralize(left, "more kind")} (-v lists them)`)]),
  ];
}

function kindLines({ kind, count, examples }: SurvivorGroup, isVerbose: boolean): readonly string[] {
  const shown = isVerbose ? examples : examples.slice(0, 1);
  return shown.map(({ command }, index) => {
    const [number, name] = index === 0 ? [String(count), kind] : ["", ""];
    return `  ${number.padStart(4)}  ${column(truncateEscaped(name, 80), KIND_WIDTH)} ${truncateEscaped(onOneLine(command), 160)}`;
  });
}

const onOneLine = (command: string): string => command.replaceAll("\n", "⏎");

const STOPPED: Readonly<Record<NonNullable<MutatedCase["stopped"]>, string>> = {
  timeout: "the hook timed out",
  interrupt: "the call ended",
};

const stoppedLines = ({ name, untried, stopped }: MutatedCase): readonly string[] =>
  stopped === null
    ? []
    : [`• ${truncateEscaped(name, 80)}: ${pluralize(untried, "respelling")} not tried, because ${STOPPED[stopped]}`];

/** The score of the whole call: `mutation score 93.5%: 26 of 400 respellings survive (--fail-under 99)`. */
export function mutationSummary(totals: MutationTotals): string {
  const { respellings, survived, failUnder } = totals;
  const limit = failUnder === null ? "" : ` (--fail-under ${failUnder})`;
  if (respellings === 0) return `no mutation score: no passing case is about a command${limit}`;
  return `mutation score ${percent(mutationScore(totals))}: ${survived} of ${pluralize(respellings, "respelling")} survive${limit}`;
}

/** Rounded down, so that only a whole score is 100%. */
const percent = (score: number | null): string => (score === null ? "none" : `${Math.floor(score * 10) / 10}%`);
