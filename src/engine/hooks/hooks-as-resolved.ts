import type { IdentifyContext, IdentifyResult } from "../../discover/identify.ts";
import type { Candidate, Hook } from "../../protocol/hook.ts";
import type { CandidateStatus } from "../../trust/decide/decide-trust.ts";
import { type JoinContext, joinHook } from "./join-hook.ts";
import { plainName, selectHooks } from "./select-hooks.ts";

export interface HooksInOrder {
  readonly known: ReadonlyMap<Candidate, Hook>;
  readonly onIdentified: NonNullable<IdentifyContext["onIdentified"]>;
}

/**
 * Calls `onHook` for each hook, in run order, as soon as it and every hook before it are identified, so that the first can
 * start early. Stops at the first name that two candidates share: `resolveHooks` decides between them when all are known.
 */
export function hooksInOrder(
  judged: readonly CandidateStatus[],
  call: JoinContext,
  onHook: (hook: Hook) => void,
): HooksInOrder {
  const known = new Map<Candidate, Hook>();
  const identified = new Map<Candidate, IdentifyResult>();
  const names = judged.map(({ candidate }) => plainName(candidate));
  const indexOfLast = new Map(names.map((name, index) => [name, index]));
  const shared = new Set(names.filter((name, index) => indexOfLast.get(name) !== index));
  return {
    known,
    onIdentified: (candidate, result) => {
      identified.set(candidate, result);
      // `known` grows in order: its size is the index of the next hook.
      for (let one = judged[known.size]; one !== undefined; one = judged[known.size]) {
        const answer = identified.get(one.candidate);
        const isKnown = answer !== undefined || one.status.problem !== null;
        if (!isKnown || shared.has(plainName(one.candidate))) return;
        const hook = joinHook(one, answer, call);
        known.set(one.candidate, hook);
        for (const selected of selectHooks([hook], call.context).hooks) onHook(selected);
      }
    },
  };
}
