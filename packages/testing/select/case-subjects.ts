import { allGuards } from "../../../src/config/merge-settings.ts";
import { guardHooks } from "../../../src/engine/hooks/apply-settings.ts";
import type { RunContext } from "../../../src/engine/run-context.ts";
import { globMatches } from "../../../src/protocol/match.ts";
import { casesFor } from "../cases/case-files.ts";
import type { TestCase } from "../cases/test-case.ts";
import type { NotTestedHook } from "../test-report.ts";
import { gapReason, gapsFor } from "./chain-gaps.ts";
import type { TestCaller, TestPlan } from "./plan-selection.ts";
import type { TestSelection } from "./select-hooks.ts";
import { type ChainSubject, notTested, type ReadySubject, type TestSubject } from "./test-subject.ts";

/** Subjects that are tested only because cases name them: built-in guards, and all hooks together. */
export interface CaseSubjects {
  readonly subjects: readonly SubjectCases[];
  readonly skipped: readonly SkippedCases[];
}

interface SubjectCases {
  readonly subject: TestSubject;
  readonly cases: readonly TestCase[];
}

interface SkippedCases {
  readonly one: NotTestedHook;
  readonly cases: readonly TestCase[];
}

/** A guard is part of hookctl and is tested only by cases, which may also test a disabled one. */
export function caseSubjects(
  selection: TestSelection & Pick<TestPlan, "guards">,
  cases: readonly TestCase[],
  { context, again }: { readonly context: RunContext } & Pick<TestCaller, "again">,
): CaseSubjects {
  const { only, skip } = context.options;
  const isSelected = (name: string): boolean =>
    (selection.guards?.includes(name) ?? true) &&
    (only === null || globMatches(only, name)) &&
    !skip.some((glob) => globMatches(glob, name));
  const guards = guardHooks({ ...context.settings, guards: allGuards(context.settings.guards) }, null)
    .filter(({ name }) => isSelected(name))
    .map((hook): ReadySubject => {
      const { name, path } = hook;
      return {
        kind: "guard",
        name,
        path,
        again: `${again.one} ${name}`,
        hook,
        fault: null,
        namesakes: [],
        recheckTrust: () => null,
      };
    });
  const tested = guards
    .map((subject) => ({ subject, cases: casesFor(cases, subject) }))
    .filter((guard) => guard.cases.length > 0);
  const untested = guards.filter(
    (guard) => selection.guards !== null && !tested.some(({ subject }) => subject === guard),
  );
  const chain = only === null ? chainCases(selection, cases, { context, again }) : NO_CASES;
  return {
    subjects: [...tested, ...chain.subjects],
    skipped: [
      ...untested.map((guard) => ({
        one: notTested(
          guard,
          "no test case is about this built-in guard",
          "See what it judges: hookctl explain COMMAND",
        ),
        cases: [],
      })),
      ...chain.skipped,
    ],
  };
}

const NO_CASES: CaseSubjects = { subjects: [], skipped: [] };

/** If one of its hooks is missing the chain differs, so a case of it is skipped. */
function chainCases(
  selection: TestSelection & Pick<TestPlan, "guards">,
  all: readonly TestCase[],
  { context, again }: { readonly context: RunContext } & Pick<TestCaller, "again">,
): CaseSubjects {
  const { chainGaps } = selection;
  if (chainGaps === null) return NO_CASES;
  const cases = casesFor(all, { kind: "chain", name: "" });
  const gaps = new Map(cases.map((one) => [one, gapsFor(one, chainGaps)]));
  const isWhole = (one: TestCase): boolean => gaps.get(one)?.length === 0;
  const [whole, others] = [cases.filter(isWhole), cases.filter((one) => !isWhole(one))];
  const missing = [...new Set(others.flatMap((one) => gaps.get(one) ?? []))];
  const path = context.scopes.projectDir;
  const incomplete = notTested({ name: "chain", path }, gapReason(missing), "Its test cases need all of them.");
  return {
    subjects:
      whole.length === 0 ? [] : [{ subject: { ...chainOf(selection, context), again: again.all }, cases: whole }],
    skipped: others.length === 0 ? [] : [{ one: incomplete, cases: others }],
  };
}

function chainOf({ subjects }: TestSelection, { settings, scopes }: RunContext): Omit<ChainSubject, "again"> {
  const members = subjects.flatMap((subject) => (subject.kind === "hook" && subject.hook !== null ? [subject] : []));
  return {
    kind: "chain",
    name: "chain",
    path: scopes.projectDir,
    hook: null,
    fault: null,
    members,
    guards: guardHooks(settings, null),
  };
}
