import type { IdentifyResult } from "../../discover/identify.ts";
import {
  declaresFailClosed,
  eventsMentionedIn,
  mayBeFailClosed,
  mentionedEvents,
} from "../../discover/mentioned-events.ts";
import { interpreterFault } from "../../process/outcome-problem.ts";
import type { EventName } from "../../protocol/event.ts";
import { type Candidate, type Hook, type Identity, isFromProject, ownerOf, withRefusal } from "../../protocol/hook.ts";
import type { HookProblem } from "../../protocol/problem.ts";
import { ok, type Result } from "../../protocol/result.ts";
import type { CandidateStatus, TrustStatus } from "../../trust/decide/decide-trust.ts";
import type { HookEnvironment } from "../hook-environment.ts";
import type { RunContext } from "../run-context.ts";
import { applySettings, canBlockAt } from "./apply-settings.ts";
import { type EarlierAnswers, lastIdentity } from "./earlier-answers.ts";
import { asLost } from "./lost-hook.ts";
import type { Sandboxes } from "./wanted-sandbox.ts";

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
  const isUnknown = status.problem?.code === "HOOK_REFUSED_UNREADABLE" && now === null && canBlockAt(event);
  const hook = applySettings({
    candidate,
    status,
    identity: last === null ? now : ok(isGuardByText ? asClosed(last, mentioned) : last),
    hash: identified?.hash ?? null,
    mentionedEvents: now?.ok || last !== null ? [] : mentioned,
    isUnidentifiedGuard: isUnknown || isGuardByText,
    event,
    sandbox: call.sandboxes.get(candidate.path)?.sandbox ?? null,
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
