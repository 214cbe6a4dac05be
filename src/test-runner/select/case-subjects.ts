import { guardHooks } from "../../engine/hooks/resolve-hook.ts";
import type { RunContext } from "../../engine/run-context.ts";
import { globMatches } from "../../protocol/match.ts";
import { casesFor } from "../cases/case-files.ts";
import type { TestCase } from "../cases/test-case.ts";
import { guardsInTest } from "../scratch/scratch-guard-place.ts";
import type { NotTestedHook } from "../test-report.ts";
import type { TestCaller, TestSelection } from "./select-hooks.ts";
import type { ChainSubject, ReadySubject, TestSubject } from "./test-subject.ts";

/** What is tested only because cases are about it: built-in guards, and all hooks together. */
export interface CaseSubjects {
  readonly subjects: readonly TestSubject[];
  readonly skipped: readonly NotTestedHook[];
}

/** A guard is hookctl itself and is tested by cases alone; cases can be about one that is off. */
export function caseSubjects(
  selection: TestSelection,
  cases: readonly TestCase[],
  { context, again }: { readonly context: RunContext } & Pick<TestCaller, "again">,
): CaseSubjects {
  const { only, skip } = context.options;
  const isSelected = (name: string): boolean =>
    (selection.guards?.includes(name) ?? true) &&
    (only === null || globMatches(only, name)) &&
    !skip.some((glob) => globMatches(glob, name));
  const guards = guardHooks({ ...context.settings, guards: guardsInTest(context.settings.guards) }, null)
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
  const tested = guards.filter((guard) => casesFor(cases, guard).length > 0);
  const untested = guards.filter((guard) => selection.guards !== null && !tested.includes(guard));
  const isWhole = selection.guards === null && only === null;
  const chain =
    isWhole && casesFor(cases, { kind: "chain", name: "" }).length > 0
      ? [{ ...chainOf(selection, context), again: again.all }]
      : [];
  return { subjects: [...tested, ...chain], skipped: untested.map(withoutCases) };
}

const withoutCases = ({ name, path }: ReadySubject): NotTestedHook => ({
  ...{
    name,
    path,
    reason: "no test case is about this built-in guard",
    hint: "See what it judges: hookctl explain COMMAND",
  },
  ...{ isRefused: false, awaitsApproval: false, isDeclared: false },
});

function chainOf({ subjects, skipped }: TestSelection, { settings, scopes }: RunContext): Omit<ChainSubject, "again"> {
  const members = subjects.flatMap((subject) => (subject.kind === "hook" && subject.hook !== null ? [subject] : []));
  return {
    ...{ kind: "chain", name: "chain", path: scopes.projectDir, hook: null, fault: null },
    members,
    guards: guardHooks(settings, null),
    notRun: skipped.filter(({ isRefused }) => isRefused).map(({ name }) => name),
  };
}
