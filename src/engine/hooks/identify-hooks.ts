import { createRedactor, redactTexts } from "../../audit/redact.ts";
import {
  cachedIdentity,
  type IdentifyContext,
  type IdentifyResult,
  identify,
  MAX_CLAIM_WAIT_MS,
} from "../../discover/identify.ts";
import type { IdentityCache } from "../../discover/identity-cache.ts";
import { readIdentity } from "../../discover/read-identity.ts";
import { isInside } from "../../fs/paths.ts";
import { remainingMs } from "../../process/process-request.ts";
import type { Approvals } from "../../protocol/approval.ts";
import { type LocatedEntry, schemeRow } from "../../protocol/entry.ts";
import { findEvent } from "../../protocol/event.ts";
import { type Candidate, type Identity, isFromProject } from "../../protocol/hook.ts";
import { fail, ok } from "../../protocol/result.ts";
import type { CandidateStatus } from "../../trust/decide/decide-trust.ts";
import { canonicalEntry } from "../../trust/evidence/canonical-entry.ts";
import { type KnownHook, type KnownHooks, recordKnownHooks } from "../../trust/store/earlier-calls.ts";
import { deadlineFor, deadlineOf, type RunContext } from "../run-context.ts";
import { sandboxFor, startPlace } from "./sandboxes.ts";

type IdentifyInput = Pick<IdentifyContext, "cache" | "recheckTrust" | "environmentOf" | "inTurn" | "onIdentified">;

/** The identity of each hook that may start: from its entry, its approval, the cache, or the hook itself. */
export async function identifyHooks(
  statuses: readonly CandidateStatus[],
  context: RunContext,
  input: IdentifyInput,
): Promise<ReadonlyMap<Candidate, IdentifyResult>> {
  const stored = statuses.flatMap(storedIdentity);
  for (const [candidate, answer] of stored) input.onIdentified?.(candidate, answer);
  const isStored = new Set(stored.map(([candidate]) => candidate));
  const others = statuses
    .filter(({ candidate, status }) => status.problem === null && !isStored.has(candidate))
    .map(({ candidate }) => candidate);
  return new Map([...stored, ...(await cachedOrDeclared(others, context, input))]);
}

/** The identity in the settings entry or in the approval. It is also used for a changed hook, which may not be started. */
function storedIdentity({ candidate, status: { approval } }: CandidateStatus): [Candidate, IdentifyResult][] {
  if (candidate.entry !== null && (approval?.said == null || approval.sha256 === canonicalEntry(candidate.entry)))
    return [[candidate, { identity: ok(declaredIdentity(candidate.entry)), hash: null, answer: null }]];
  if (approval === null || approval.said === null) return [];
  const identity = readIdentity(candidate, approval.said);
  return [[candidate, { identity, hash: approval.sha256, answer: approval.said }]];
}

/** The identity from the cache; a hook that is not in it is started to declare its events. */
async function cachedOrDeclared(
  trusted: readonly Candidate[],
  context: RunContext,
  { onIdentified, ...input }: IdentifyInput,
): Promise<readonly [Candidate, IdentifyResult][]> {
  const { options, nowMs } = context;
  if (!options.mayStart) {
    return trusted.flatMap((candidate) => pairOf(candidate, cachedIdentity(candidate, input.cache), context));
  }
  const answers = await identify(trusted, {
    ...input,
    nowMs,
    cwd: context.cwd,
    sandboxOf: (candidate) => sandboxFor(candidate, startPlace(context.cwd, context), context),
    interrupt: context.interrupt,
    onIdentified: (candidate, answer) => onIdentified?.(candidate, redacted(answer, context)),
    deadlineFor: (candidate) => deadlineFor(candidate, context),
    // In turn, the first hooks are used while later ones are identified: other processes would wait too long for a claim.
    claimTimeoutMs: input.inTurn === undefined ? claimTimeoutMs(context) : null,
  });
  return trusted.flatMap((candidate, index) => pairOf(candidate, answers[index], context));
}

/** The other process may be the one that started this one, as a hook. */
const claimTimeoutMs = (context: RunContext): number =>
  context.depth > 0 ? 0 : Math.min(MAX_CLAIM_WAIT_MS, remainingMs(deadlineOf(context)) / 2);

const pairOf = (
  candidate: Candidate,
  answer: IdentifyResult | null | undefined,
  context: RunContext,
): [Candidate, IdentifyResult][] => (answer == null ? [] : [[candidate, redacted(answer, context)]]);

/** Messages quote an invalid declaration, so its secrets are redacted here, before it is cut. */
function redacted(answer: IdentifyResult, { env }: RunContext): IdentifyResult {
  const { identity } = answer;
  return identity.ok ? answer : { ...answer, identity: fail(redactTexts(identity.error, createRedactor(env))) };
}

/** The identity of a hook that settings declare; it is not started for it. */
function declaredIdentity({ event, on, files, scheme, reads }: LocatedEntry): Identity {
  const dialect = schemeRow(scheme).isReyn ? "reyn" : (findEvent(on)?.dialect ?? "kodelet");
  const open = { priority: null, failOpen: null, observe: null, timeoutMs: null, match: null };
  return { events: [event], dialect, files, ...open, outputLimit: null, background: false, readsEnv: reads === "env" };
}

/** What earlier calls recorded about the user's hooks. */
export interface EarlierAnswers {
  readonly known: KnownHooks;
  readonly cache: IdentityCache;
  readonly approvals: Approvals;
}

/** Returns a test for the user's own hooks; false for all in a call that does not look for them. */
export function userHookTest({ scopes, options }: RunContext): (path: string) => boolean {
  const { homeDir } = scopes;
  return (path) => homeDir !== null && options.hooksDirs.length === 0 && isInside(`${homeDir}/.kodelet`, path);
}

/** Null if the hook never answered. The record outlives the cache. */
export function lastIdentity(at: Pick<Candidate, "name" | "path">, { known, cache }: EarlierAnswers): Identity | null {
  const answer = known.get(at.path)?.said ?? cache.lastAnswer(at.path);
  const identity = answer === null ? null : readIdentity(at, answer);
  return identity?.ok ? identity.value : null;
}

/** Records the answers of the user's own hooks, so that a hook that is lost later is still known. */
export function recordAnswers(
  identities: ReadonlyMap<Candidate, IdentifyResult>,
  known: KnownHooks,
  context: RunContext,
): void {
  const isUsers = userHookTest(context);
  const now = [...identities].flatMap(([candidate, { identity, answer }]): [string, KnownHook][] => {
    const { name, path, entry } = candidate;
    if (entry !== null || isFromProject(candidate) || !isUsers(path) || !identity.ok || answer === null) return [];
    return [[path, { name, said: answer }]];
  });
  recordKnownHooks(new Map(now), known, context);
}
