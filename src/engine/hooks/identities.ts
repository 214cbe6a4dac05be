import { createRedactor, type Redact } from "../../audit/redact.ts";
import {
  type IdentifyContext,
  type IdentifyResult,
  identify,
  cachedIdentity as recalled,
} from "../../discover/identify.ts";
import { readIdentity } from "../../discover/read-identity.ts";
import type { Candidate } from "../../protocol/hook.ts";
import { fail, ok } from "../../protocol/result.ts";
import type { CandidateStatus } from "../../trust/decide/decide-trust.ts";
import { canonicalEntry } from "../../trust/evidence/entry-evidence.ts";
import { hookEnvironments } from "../environment.ts";
import { redactTexts } from "../run/run-record.ts";
import { type RunContext, remainingMs } from "../run-context.ts";
import { declaredIdentity } from "./resolve-hook.ts";

type Asking = Pick<IdentifyContext, "cache" | "recheckTrust">;

/** What each hook says it is: by its entry, by its approval, from the cache, or asked now. None for one that may not start. */
export async function identifyHooks(
  judged: readonly CandidateStatus[],
  context: RunContext,
  asking: Asking,
): Promise<ReadonlyMap<Candidate, IdentifyResult>> {
  const words = judged.flatMap(wordOf);
  const known = new Set(words.map(([candidate]) => candidate));
  const ready = judged
    .filter(({ status }) => status.problem === null)
    .map(({ candidate }) => candidate)
    .filter((candidate) => !known.has(candidate));
  return new Map([...words, ...(await identified(ready, context, asking))]);
}

/** What an approved hook said it is when it was approved: it is not asked again, and one that changed cannot be. */
function wordOf({ candidate, status: { approval } }: CandidateStatus): [Candidate, IdentifyResult][] {
  if (candidate.entry !== null && (approval?.said == null || approval.sha256 === canonicalEntry(candidate.entry)))
    return [[candidate, { identity: ok(declaredIdentity(candidate.entry)), hash: null, answer: null }]];
  if (approval === null || approval.said === null) return [];
  const identity = readIdentity(candidate, approval.said);
  return [[candidate, { identity, hash: approval.sha256, answer: approval.said }]];
}

async function identified(
  trusted: readonly Candidate[],
  context: RunContext,
  { cache, recheckTrust }: Asking,
): Promise<readonly [Candidate, IdentifyResult][]> {
  const { options, nowMs } = context;
  const redact = createRedactor(context.env);
  if (!options.mayStart) {
    return trusted.flatMap((candidate) => pairOf(candidate, recalled(candidate, cache), redact));
  }
  const answers = await identify(trusted, {
    cache,
    nowMs,
    cwd: context.cwd,
    environmentOf: hookEnvironments(context),
    recheckTrust,
    interrupt: context.interrupt,
    remainingMs: () => remainingMs(context),
  });
  cache.save();
  return trusted.flatMap((candidate, index) => pairOf(candidate, answers[index], redact));
}

/** An answer that is not understood is quoted wherever it is told, so it is redacted here, while it is whole. */
function pairOf(
  candidate: Candidate,
  answer: IdentifyResult | null | undefined,
  redact: Redact,
): [Candidate, IdentifyResult][] {
  if (answer == null) return [];
  const { identity } = answer;
  return [[candidate, identity.ok ? answer : { ...answer, identity: fail(redactTexts(identity.error, redact)) }]];
}
