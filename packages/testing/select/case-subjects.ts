import { allGuards } from "../../../src/config/merge-settings.ts";
import { guardHooks } from "../../../src/engine/hooks/apply-settings.ts";
import type { RunContext } from "../../../src/engine/run-context.ts";
import { findEvent } from "../../../src/protocol/event.ts";
import { appliesTo } from "../../../src/protocol/hook.ts";
import { globMatches } from "../../../src/protocol/match.ts";
import { listNames } from "../../../src/protocol/text/text.ts";
import { casesFor } from "../cases/case-files.ts";
import { mayStart } from "../cases/run-case.ts";
import type { TestCase } from "../cases/test-case.ts";
import type { TestCaller, TestPlan } from "./plan-selection.ts";
import type { ChainGap, TestSelection } from "./select-hooks.ts";
import { type NotTestedHook, notTested, type ReadySubject, type TestSubject } from "./test-subject.ts";

/** Subjects that are tested only because cases name them: built-in guards, and all hooks together. */
interface CaseSubjects {
  readonly subjects: readonly { readonly subject: TestSubject; readonly cases: readonly TestCase[] }[];
  readonly skipped: readonly { readonly one: NotTestedHook; readonly cases: readonly TestCase[] }[];
}

interface CaseCall {
  readonly plan: TestPlan;
  readonly selection: TestSelection;
  readonly context: RunContext;
  readonly caller: TestCaller;
}

/** A guard is part of hookctl and is tested only by cases, which may also test a disabled one. */
export function caseSubjects(cases: readonly TestCase[], call: CaseCall): CaseSubjects {
  const { plan, context, caller } = call;
  const { only, skip } = context.options;
  const isSelected = (name: string): boolean =>
    (plan.guards?.includes(name) ?? true) &&
    (only === null || globMatches(only, name)) &&
    !skip.some((glob) => globMatches(glob, name));
  const guards = guardHooks({ ...context.settings, guards: allGuards(context.settings.guards) }, null)
    .filter(({ name }) => isSelected(name))
    .map((hook) => {
      const { name, path } = hook;
      const again = `${caller.again.one} ${name}`;
      const subject: ReadySubject = { kind: "guard", name, path, again, hook, namesakes: [], recheckTrust: () => null };
      return { subject, cases: casesFor(cases, subject) };
    });
  const [tested, others] = [
    guards.filter((guard) => guard.cases.length > 0),
    guards.filter((guard) => guard.cases.length === 0),
  ];
  const untested = others.map(({ subject }) => {
    const hint = "See what it judges: hookctl explain COMMAND";
    return { one: notTested(subject, "no test case is about this built-in guard", hint), cases: [] };
  });
  const chain = only === null && plan.isOfChain ? chainSubjects(cases, call) : { subjects: [], skipped: [] };
  return {
    subjects: [...tested, ...chain.subjects],
    skipped: [...(plan.guards === null ? [] : untested), ...chain.skipped],
  };
}

/** If one of its hooks is missing the chain differs, so a case of it is skipped. */
function chainSubjects(all: readonly TestCase[], { selection, context, caller }: CaseCall): CaseSubjects {
  const cases = casesFor(all, { kind: "chain", name: "" }).map((one) => ({ one, gaps: gapsFor(one, selection.gaps) }));
  const whole = cases.flatMap(({ one, gaps }) => (gaps.length === 0 ? [one] : []));
  const others = cases.flatMap(({ one, gaps }) => (gaps.length === 0 ? [] : [one]));
  const named = { name: "chain", path: context.scopes.projectDir };
  const members = selection.subjects.filter((subject): subject is ReadySubject => subject.kind === "hook");
  const guards = guardHooks(context.settings, null);
  const subject: TestSubject = { ...named, kind: "chain", again: caller.again.all, hook: null, members, guards };
  const reason = gapReason(cases.flatMap(({ gaps }) => gaps));
  const incomplete = notTested(named, reason, "Its test cases need all of them.");
  return {
    subjects: whole.length === 0 ? [] : [{ subject, cases: whole }],
    skipped: others.length === 0 ? [] : [{ one: incomplete, cases: others }],
  };
}

/** The gaps that make the case test another chain than it says. The user's own hooks are in no chain of others' cases. */
function gapsFor(one: TestCase, gaps: readonly ChainGap[]): readonly ChainGap[] {
  // The event of an agent's payload is known only after it was read.
  const event = one.agent === null ? (findEvent(one.event ?? "")?.event ?? null) : null;
  return gaps.filter(
    ({ hook, candidate }) => (event === null || hook === null || appliesTo(hook, event)) && mayStart(one, candidate),
  );
}

/** `not all of its hooks run: a, b (not approved); c (skipped by --skip)`. */
function gapReason(gaps: readonly ChainGap[]): string {
  const reasons = [...new Set(gaps.map(({ why }) => why))];
  const texts = reasons.map((why) => {
    const names = gaps.flatMap((gap) => (gap.why === why ? [gap.candidate.name] : []));
    return `${listNames([...new Set(names)])} (${why})`;
  });
  return `not all of its hooks run: ${texts.join("; ")}`;
}
