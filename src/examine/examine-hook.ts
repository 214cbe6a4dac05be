import type { CheckResult, ExaminedHook, Finding } from "../contract/examined.ts";
import type { Ground } from "../runtime/ground.ts";
import { ANSWER_CHECKS } from "./answer-checks.ts";
import { askerOn } from "./ask-in-scratch.ts";
import { FILE_CHECKS } from "./file-checks.ts";
import { PAYLOAD_CHECKS } from "./payload-checks.ts";
import { EVENT_CHECK, eventCheck, payloadChecks } from "./start-checks.ts";
import type { Subject } from "./subject.ts";

/** Every check by its name, in the order in which they are made. */
export const CHECKS: readonly { readonly name: string; readonly about: string }[] = [
  ...FILE_CHECKS,
  EVENT_CHECK,
  ...PAYLOAD_CHECKS,
  ...ANSWER_CHECKS,
];

/** All checks of one hook. What needs a start is left out once it is known that there is none, or that it hangs. */
export async function examineHook(subject: Subject, ground: Ground): Promise<ExaminedHook> {
  const { hook } = subject;
  const [entryCheck] = FILE_CHECKS;
  if (hook === null) return whole(subject, [unasked(entryCheck?.name ?? "", subject.fault)], "it is not started");
  const scene = { hook, namesakes: subject.namesakes, searchPath: ground.env.PATH ?? "" };
  const asker = askerOn(ground, subject.mayStillStart);
  const looked = FILE_CHECKS.map(({ name, look }) => unasked(name, look(scene)));
  const stopper = looked.find(({ passed }) => !passed);
  if (stopper !== undefined) return whole(subject, looked, `it is not started: “${stopper.name}” failed`);
  const said = await eventCheck(hook, asker);
  if (!said.passed) return whole(subject, [...looked, said], "it did not say its event");
  const { checks, answers, end } = await payloadChecks(hook, asker);
  const judged = ANSWER_CHECKS.flatMap(({ name, judge }) => judgement(name, judge(answers)));
  return whole(subject, [...looked, said, ...checks, ...judged], end ?? "there is no answer to judge");
}

const judgement = (name: string, finding: Finding | null): readonly CheckResult[] =>
  finding === null ? [] : [unasked(name, finding)];

const unasked = (name: string, finding: Finding): CheckResult => ({ ...finding, name, durationMs: 0, printed: [] });

function whole({ name, path, again }: Subject, checks: readonly CheckResult[], reason: string): ExaminedHook {
  const made = new Set(checks.map((check) => check.name));
  const leftOut = CHECKS.filter((check) => !made.has(check.name)).map((check) => ({ name: check.name, reason }));
  return { name, path, again, checks, leftOut };
}
