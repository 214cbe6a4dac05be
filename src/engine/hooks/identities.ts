import { createRedactor, type Redact, redactTexts } from "../../audit/redact.ts";
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
import { deadlineFor, type RunContext } from "../run-context.ts";
import { declaredIdentity } from "./resolve-hook.ts";
import { sandboxFor, startPlace } from "./sandboxes.ts";

type Asking = Pick<IdentifyContext, "cache" | "recheckTrust" | "environmentOf" | "inTurn" | "onIdentified">;

/** The identity of each hook that may start: from its entry, its approval, the cache, or the hook itself. */
export async function identifyHooks(
  judged: readonly CandidateStatus[],
  context: RunContext,
  asking: Asking,
): Promise<ReadonlyMap<Candidate, IdentifyResult>> {
  const words = judged.flatMap(wordOf);
  const known = new Set(words.map(([candidate]) => candidate));
  for (const [candidate, answer] of words) asking.onIdentified?.(candidate, answer);
  const ready = judged
    .filter(({ status }) => status.problem === null)
    .map(({ candidate }) => candidate)
    .filter((candidate) => !known.has(candidate));
  return new Map([...words, ...(await identified(ready, context, asking))]);
}

/** The identity that was stored with the approval. It also stands for a changed hook, which may not be started. */
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
  { onIdentified, ...asking }: Asking,
): Promise<readonly [Candidate, IdentifyResult][]> {
  const { options, nowMs } = context;
  const redact = createRedactor(context.env);
  if (!options.mayStart) {
    return trusted.flatMap((candidate) => pairOf(candidate, recalled(candidate, asking.cache), redact));
  }
  const answers = await identify(trusted, {
    ...asking,
    nowMs,
    cwd: context.cwd,
    sandboxOf: (candidate) => sandboxFor(candidate, startPlace(context.cwd, context), context),
    interrupt: context.interrupt,
    onIdentified: (candidate, answer) => onIdentified?.(candidate, redacted(answer, redact)),
    deadlineFor: (candidate) => deadlineFor(candidate, context),
  });
  asking.cache.save();
  return trusted.flatMap((candidate, index) => pairOf(candidate, answers[index], redact));
}

const pairOf = (
  candidate: Candidate,
  answer: IdentifyResult | null | undefined,
  redact: Redact,
): [Candidate, IdentifyResult][] => (answer == null ? [] : [[candidate, redacted(answer, redact)]]);

/** Messages quote an invalid declaration, so its secrets are redacted here, before it is cut. */
function redacted(answer: IdentifyResult, redact: Redact): IdentifyResult {
  const { identity } = answer;
  return identity.ok ? answer : { ...answer, identity: fail(redactTexts(identity.error, redact)) };
}
