import type { CheckedHook, MutatedCase, MutationTotals, Respelling } from "../test-report.ts";

/** Survivors with the same kind of respelling. */
interface SurvivorGroup {
  readonly expects: MutatedCase["expects"];
  /** The name of the kind; several, joined with `+`, if none of them survives alone. */
  readonly kind: string;
  readonly count: number;
  /** Single-line examples first, then by length, each with the name of its case. */
  readonly examples: readonly { readonly caseName: string; readonly command: string }[];
}

const MOST_EXAMPLES = 2;
const MANY = 1e6;

/** The survivors by kind, the most frequent first. A survivor of several kinds counts for the kind that also survives alone. */
export function survivorGroups(cases: readonly MutatedCase[]): readonly SurvivorGroup[] {
  return (["stop", "allow"] as const).flatMap((expects) => {
    const found = cases
      .filter((one) => one.expects === expects)
      .flatMap(({ name, survivors }) => survivors.map((survivor) => ({ ...survivor, caseName: name })));
    const alone = new Set(found.flatMap(({ kinds }) => (kinds.length === 1 ? kinds : [])));
    const kindOf = ({ kinds }: Respelling): string => kinds.find((kind) => alone.has(kind)) ?? kinds.join(" + ");
    return [...new Set(found.map(kindOf))]
      .map((kind) => {
        const survivors = found.filter((survivor) => kindOf(survivor) === kind);
        const shortest = survivors.toSorted((a, b) => weightOf(a) - weightOf(b)).slice(0, MOST_EXAMPLES);
        const examples = shortest.map(({ caseName, command }) => ({ caseName, command }));
        return { expects, kind, count: survivors.length, examples };
      })
      .sort((a, b) => b.count - a.count);
  });
}

const weightOf = ({ command }: Respelling): number => command.length + (command.includes("\n") ? MANY : 0);

export type MutationCounts = Omit<MutationTotals, "failUnder">;

export const mutationCounts = (cases: readonly MutatedCase[]): MutationCounts => ({
  respellings: cases.reduce((sum, { respellings }) => sum + respellings, 0),
  survived: cases.reduce((sum, { survivors }) => sum + survivors.length, 0),
});

export const mutatedCases = (hooks: readonly CheckedHook[]): readonly MutatedCase[] =>
  hooks.flatMap(({ mutation = [] }) => mutation);

/** True if the score is below the limit of the call, or there is a limit and no score. */
export function isBelowLimit(totals: MutationTotals | undefined): boolean {
  if (totals === undefined || totals.failUnder === null) return false;
  const score = mutationScore(totals);
  return score === null || score < totals.failUnder;
}

/** The percentage of respellings with the same decision; null if none was tried. */
export const mutationScore = ({ respellings, survived }: MutationCounts): number | null =>
  respellings === 0 ? null : (100 * (respellings - survived)) / respellings;
