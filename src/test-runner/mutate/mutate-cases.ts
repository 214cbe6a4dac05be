import { EVENTS } from "../../protocol/event.ts";
import type { VerdictDecision } from "../../protocol/verdict.ts";
import type { CaseResult } from "../cases/run-case.ts";
import type { TestCase } from "../cases/test-case.ts";
import type { HookMutation, MutatedCase, Survivor } from "../test-report.ts";
import { caseCommand, withCommand } from "./case-command.ts";
import { type Respelling, respell } from "./respell.ts";

/** What a hook decided about a case. */
export interface CaseDecision {
  /** Null: it has no valid payload. */
  readonly decision: VerdictDecision | null;
  readonly wasCutShort: boolean;
}

export type DecideCase = (one: TestCase) => Promise<CaseDecision>;

/** Starts a task once there is a place to run cases in. Null: the call ended before. */
export type StartTask = <T>(task: (decide: DecideCase) => Promise<T>) => Promise<T | null>;

/** Called with how many more respellings there are to try, and how many more are done. */
export type OnMutants = (more: { readonly planned: number; readonly done: number }) => void;

const MOST_RESPELLINGS = 200;

/** A case that passed, and what the hook decided. */
export interface PassedCase {
  readonly one: TestCase;
  readonly decision: VerdictDecision;
}

/** Null: it did not pass, or the hook decides when the command has run. */
export function passedCase(one: TestCase, result: CaseResult | null): PassedCase | null {
  if (result?.passed !== true || result.run === null) return null;
  const { payload, verdict } = result.run;
  return EVENTS[payload.event].phase === "pre" ? { one, decision: verdict.decision } : null;
}

/** Runs the cases that are about a shell command again, with other spellings of it. Null: there is no such case. */
export async function mutateCases(
  cases: readonly PassedCase[],
  start: StartTask,
  onProgress: OnMutants,
): Promise<HookMutation | null> {
  const mutants = cases.flatMap((one) => mutantsOf(one));
  const planned = mutants.reduce((sum, { respellings }) => sum + respellings.length, 0);
  onProgress({ planned, done: 0 });
  const mutated = await Promise.all(mutants.map((one) => mutate(one, start, onProgress)));
  return mutated.length === 0 ? null : { cases: mutated };
}

interface Mutants {
  readonly one: TestCase;
  readonly expects: MutatedCase["expects"];
  readonly respellings: readonly Respelling[];
}

function mutantsOf({ one, decision }: PassedCase): readonly Mutants[] {
  const command = caseCommand(one);
  if (command === null) return [];
  const expects = decision === "continue" ? "allow" : "stop";
  const respellings = respell(command, { most: MOST_RESPELLINGS, isHarmless: expects === "allow" });
  return respellings.length === 0 ? [] : [{ one, expects, respellings }];
}

async function mutate(
  { one, expects, respellings }: Mutants,
  start: StartTask,
  onProgress: OnMutants,
): Promise<MutatedCase> {
  let stopped: MutatedCase["stopped"] = null;
  const tryOne = async (respelling: Respelling, decide: DecideCase): Promise<readonly Tried[]> => {
    if (stopped !== null) return [];
    const { decision, wasCutShort } = await decide(withCommand(one, respelling.command));
    onProgress({ planned: 0, done: 1 });
    // The others may hang, too, and each would take a whole timeout.
    if (wasCutShort) stopped = "timeout";
    return wasCutShort || decision === null ? [] : [{ ...respelling, isAllowed: decision === "continue" }];
  };
  const done = await Promise.all(respellings.map((respelling) => start((decide) => tryOne(respelling, decide))));
  if (done.includes(null)) stopped ??= "interrupt";
  const tried = done.flatMap((some) => some ?? []);
  const survivors = tried.filter(({ isAllowed }) => isAllowed !== (expects === "allow"));
  const { name, file, line } = one;
  const untried = respellings.length - tried.length;
  return {
    name,
    file,
    line,
    expects,
    respellings: tried.length,
    untried,
    survivors: survivors.map(survivorOf),
    stopped,
  };
}

interface Tried extends Respelling {
  readonly isAllowed: boolean;
}

const survivorOf = ({ kinds, command }: Tried): Survivor => ({ kinds, command });
