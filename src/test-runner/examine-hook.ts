import { searchGround } from "../engine/environment.ts";
import type { Ground } from "../engine/ground.ts";
import { missingCommands } from "../engine/missing-command.ts";
import { searchPath } from "../process/search-path.ts";
import { type CheckResult, type ExaminedHook, type Finding, fault } from "../protocol/examined.ts";
import { explain } from "../protocol/explain.ts";
import type { Hook } from "../protocol/hook.ts";
import type { HookProblem } from "../protocol/problem.ts";
import { ANSWER_CHECKS } from "./answer-checks.ts";
import { type Asker, askerOn } from "./ask-in-scratch.ts";
import { type CaseResult, caseCheck, type PlacedCase } from "./case-check.ts";
import { FILE_CHECKS } from "./file-checks.ts";
import { PAYLOAD_CHECKS } from "./payload-checks.ts";
import type { Places } from "./place-in-scratch.ts";
import { EVENT_CHECK, eventCheck, type Heard, limitAt, payloadChecks } from "./start-checks.ts";
import type { Subject } from "./subject.ts";

/** Every check by its name, in the order in which they are made. */
export const CHECKS: readonly { readonly name: string; readonly about: string }[] = [
  ...FILE_CHECKS,
  EVENT_CHECK,
  ...PAYLOAD_CHECKS,
  ...ANSWER_CHECKS,
];

/** All checks of one hook, then its test cases. What needs a start is left out once it is known that there is none, or that it hangs. */
export async function examineHook(
  subject: Subject,
  cases: readonly PlacedCase[],
  { ground, places }: { readonly ground: Ground; readonly places: Places },
): Promise<ExaminedHook> {
  const { hook } = subject;
  const [entryCheck] = FILE_CHECKS;
  const whole = (checks: readonly CheckResult[], reason: string): ExaminedHook =>
    examined(subject, {
      checks,
      reason,
      wanted: [...checksFor({ isDeclared: hook !== null && hook.entry !== null }), ...cases.map(({ one }) => one)],
    });
  if (hook === null) return whole([unasked(entryCheck?.name ?? "", subject.fault)], "it is not started");
  const scene = {
    hook,
    namesakes: subject.namesakes,
    searchPath: searchPath(ground.env.PATH ?? "", searchGround(ground)),
  };
  const looks = FILE_CHECKS.filter(({ isForDeclared }) => hook.entry === null || isForDeclared);
  const missing = missingCommands(ground)(hook);
  const looked = [
    ...looks.map(({ name, look }) => unasked(name, look(scene))),
    ...(missing === null ? [] : [unasked(entryCheck?.name ?? "", faultOf(missing))]),
  ];
  const stopper = looked.find(({ passed }) => !passed);
  if (stopper !== undefined) return whole(looked, `it is not started: “${stopper.name}” failed`);
  if (hook.kind === "shell_exec") return whole(looked, "it runs for its effect, and there is nothing to judge");
  const placed = places.placed(hook);
  const asker = askerOn(ground, placed.projectDir, subject.mayStillStart);
  const said = hook.entry === null ? [await eventCheck(hook, asker)] : [];
  if (said.some(({ passed }) => !passed)) return whole([...looked, ...said], "it did not say its event");
  const { checks, end } = await askedChecks(placed.hook, cases, asker);
  return whole(
    [...looked, ...said, ...checks],
    end ?? (hook.kind === "rule" ? "a rule is no process" : "there is no answer to judge"),
  );
}

/** A declared hook says its event in the settings file. */
export const checksFor = ({ isDeclared }: { readonly isDeclared: boolean }): typeof CHECKS =>
  isDeclared ? CHECKS.filter(({ name }) => !OF_FILES.has(name)) : CHECKS;

const OF_FILES: ReadonlySet<string> = new Set([
  ...FILE_CHECKS.filter(({ isForDeclared }) => !isForDeclared).map(({ name }) => name),
  EVENT_CHECK.name,
]);

async function askedChecks(
  hook: Hook,
  cases: readonly PlacedCase[],
  asker: Asker,
): Promise<Pick<Heard, "checks" | "end">> {
  const { checks, answers, end } = await payloadChecks(hook, asker);
  const judged = ANSWER_CHECKS.flatMap(({ name, judge }) => judgement(name, judge(answers)));
  const shown = end === null ? await caseChecks(hook, cases, asker) : [];
  const hung = shown.find(({ hasHung }) => hasHung);
  return { checks: [...checks, ...judged, ...shown], end: hung === undefined ? end : limitAt(hung.name) };
}

async function caseChecks(hook: Hook, cases: readonly PlacedCase[], asker: Asker): Promise<readonly CaseResult[]> {
  const shown: CaseResult[] = [];
  for (const one of cases) {
    if (shown.at(-1)?.hasHung) break;
    shown.push(await caseCheck(one, hook, asker));
  }
  return shown;
}

function faultOf(problem: HookProblem): Finding {
  const { summary, hint } = explain(problem);
  return fault(summary, hint);
}

const judgement = (name: string, finding: Finding | null): readonly CheckResult[] =>
  finding === null ? [] : [unasked(name, finding)];

const unasked = (name: string, finding: Finding): CheckResult => ({
  ...finding,
  name,
  durationMs: 0,
  caseFile: null,
  printed: [],
});

interface Made {
  readonly checks: readonly CheckResult[];
  /** Why the others of `wanted` were not made. */
  readonly reason: string;
  readonly wanted: readonly { readonly name: string }[];
}

function examined({ name, path, again }: Subject, { checks, reason, wanted }: Made): ExaminedHook {
  const made = new Set(checks.map((check) => check.name));
  const leftOut = wanted.filter((check) => !made.has(check.name)).map((check) => ({ name: check.name, reason }));
  return { name, path, again, checks, leftOut };
}
