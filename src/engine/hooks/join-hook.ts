import { createRedactor, redactTexts } from "../../audit/redact.ts";
import {
  cachedIdentity,
  type IdentifyContext,
  type IdentifyResult,
  identify,
  MAX_CLAIM_WAIT_MS,
} from "../../discover/identify.ts";
import {
  declaresFailClosed,
  eventsMentionedIn,
  mayBeFailClosed,
  mentionedEvents,
} from "../../discover/mentioned-events.ts";
import { readIdentity } from "../../discover/read-identity.ts";
import { interpreterFault } from "../../process/outcome-problem.ts";
import { remainingMs } from "../../process/process-request.ts";
import type { EventName } from "../../protocol/event.ts";
import { type Candidate, type Hook, type Identity, isFromProject, ownerOf, withRefusal } from "../../protocol/hook.ts";
import type { HookProblem } from "../../protocol/problem.ts";
import { fail, ok, type Result } from "../../protocol/result.ts";
import type { CandidateStatus, TrustStatus } from "../../trust/decide/decide-trust.ts";
import { canonicalEntry } from "../../trust/evidence/canonical-entry.ts";
import type { HookEnvironment } from "../hook-environment.ts";
import { deadlineFor, deadlineOf, type RunContext } from "../run-context.ts";
import { asLost, type EarlierAnswers, lastIdentity } from "./missing-hooks.ts";
import { canBlockAt, declaredIdentity, isUnreadable, resolveHook } from "./resolve-hook.ts";
import { type Sandboxes, sandboxFor, startPlace } from "./sandboxes.ts";

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

/** What the hooks of one call have in common. */
export interface JoinContext {
  readonly context: RunContext;
  readonly event: EventName | null;
  readonly before: EarlierAnswers;
  readonly environmentOf: HookEnvironment;
  readonly sandboxes: Sandboxes;
}

/** The hook that a candidate is: its declaration, settings and trust status joined. */
export function joinHook(
  { candidate, status }: CandidateStatus,
  identified: IdentifyResult | undefined,
  call: JoinContext,
): Hook {
  const { context, event, before } = call;
  const fault = faultOf(candidate, identified, call);
  const isNeeded = (status.problem !== null || fault !== null) && ownerOf(candidate) === "user";
  const own = isNeeded ? lastIdentity(candidate, before) : null;
  const now = identified?.identity ?? (status.problem !== null && own !== null ? ok(own) : null);
  const answer = identified?.answer ?? "";
  const isGuardByText =
    mayBeGuard(candidate, status, now) && (declaresFailClosed(answer) || mayBeFailClosed(candidate.path));
  const mentioned = now?.ok && !isGuardByText ? [] : eventsMentionedBy(candidate, answer);
  const last = fault === null ? null : now?.ok ? now.value : own;
  const isUnknown = isUnreadable(status) && now === null && canBlockAt(event);
  const hook = resolveHook({
    candidate,
    status,
    identity: last === null ? now : ok(isGuardByText ? asClosed(last, mentioned) : last),
    hash: identified?.hash ?? null,
    mentionedEvents: now?.ok || last !== null ? [] : mentioned,
    isUnidentifiedGuard: isUnknown || isGuardByText,
    event,
    sandbox: call.sandboxes.of(candidate),
    settings: context.settings,
  });
  if (fault === null || last === null) return hook;
  // A run starts a hook that declared its event before, and reports how that fails.
  const isTried = identified?.identity.ok === true && event !== null;
  return withRefusal(asLost(hook, fault), isTried ? hook.refusal : fault);
}

/** Why a trusted hook cannot run: it could not be identified, or its identity is cached and its interpreter is missing. */
function faultOf(
  candidate: Candidate,
  identified: IdentifyResult | undefined,
  { environmentOf, event }: JoinContext,
): HookProblem | null {
  if (identified === undefined || candidate.entry !== null) return null;
  if (!identified.identity.ok) return identified.identity.error;
  const { events } = identified.identity.value;
  // Its file is not opened for an event that it does not handle.
  if (event !== null && !events.includes(event) && !events.includes("on_error")) return null;
  const { name, path } = candidate;
  const cause = interpreterFault(path, () => environmentOf(candidate).PATH ?? "");
  return cause === null ? null : { code: "HOOK_NOT_STARTED", hook: name, path, cause };
}

/** The events that a hook may be meant for: those in its declaration, even an invalid one, else those in its text. */
function eventsMentionedBy({ path }: Candidate, answer: string): readonly EventName[] {
  const mentioned = eventsMentionedIn(answer);
  return mentioned.length > 0 ? mentioned : mentionedEvents(path);
}

/** A hook that declares itself fail-closed is so also for the events that its text mentions now. */
const asClosed = (last: Identity, mentioned: readonly EventName[]): Identity => ({
  ...last,
  events: [...new Set([...last.events, ...mentioned])],
  failOpen: false,
});

/** True if the text of a file may make it a guard: only if it may run or is the user's own, never for an unapproved project file. */
function mayBeGuard(
  candidate: Candidate,
  { problem }: TrustStatus,
  identity: Result<Identity, HookProblem> | null,
): boolean {
  if (candidate.entry !== null) return false;
  if (problem?.code === "HOOK_REFUSED_UNSAFE") return !isFromProject(candidate);
  return identity?.ok === false || problem?.code === "HOOK_REFUSED_SANDBOX";
}
