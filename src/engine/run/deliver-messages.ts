import type { EventName } from "../../protocol/event.ts";
import type { Hook } from "../../protocol/hook.ts";
import { type HookResponse, pushFromRaw, withoutWake } from "../../protocol/hook-response.ts";
import type { Verdict, VerdictDecision } from "../../protocol/verdict.ts";
import { type Warning, warningText } from "../../protocol/warning.ts";
import type { InboxMessage } from "../../session/inbox.ts";
import { sessionById } from "../../session/session-folder.ts";
import { deliverToSession, type SentMessages } from "../../session/turn-limit.ts";
import { lockTimeoutMs, type RunContext } from "../run-context.ts";

/** Named as the decider when the turn limit is exceeded: the setting that holds it. */
const VALVE_NAME = "max_hook_driven_turns";

const ON_LIMIT: Readonly<Record<RunContext["settings"]["onLimit"], VerdictDecision>> = {
  warn: "continue",
  ask_user: "ask",
  abort: "halt",
};

/**
 * Delivers the messages of hooks and counts the turns that they start. Over the limit, messages wait in the inbox
 * without waking the agent, and the verdict says so.
 */
export async function deliverMessages(verdict: Verdict, context: RunContext): Promise<Verdict> {
  const own = verdict.payload.session;
  let settled = verdict;
  for (const [session, sent] of bySession(verdict, own)) {
    const { warnings, turns } = await delivered(session, sent, context);
    const { isOver, count } = turns ?? { isOver: false, count: null };
    const limit = context.settings.maxHookDrivenTurns;
    const over: readonly Warning[] =
      isOver && count !== null
        ? [{ code: "TURNS_OVER_LIMIT", session: session === own ? "" : session, turns: count, limit }]
        : [];
    settled = { ...settled, warnings: [...settled.warnings, ...[...warnings, ...over].map(warningText)] };
    if (session !== own || count === null) continue;
    settled = { ...settled, turns: { count, limit, isOver } };
    if (isOver) settled = closed(settled, context);
  }
  return settled;
}

/** The verdict over the turn limit. A decision that already stops the agent stays. */
function closed(verdict: Verdict, { settings }: RunContext): Verdict {
  const quiet: Verdict = { ...verdict, followUps: [], pushes: verdict.pushes.map(withoutWake) };
  const decision = ON_LIMIT[settings.onLimit];
  if (verdict.decision !== "continue" || decision === "continue") return quiet;
  const reason = quiet.warnings.at(-1) ?? null;
  return { ...quiet, decision, reason, decidedBy: VALVE_NAME, isAllowed: false };
}

interface Delivered {
  readonly warnings: readonly Warning[];
  readonly turns: { readonly count: number; readonly isOver: boolean } | null;
}

async function delivered(session: string, sent: SentMessages, context: RunContext): Promise<Delivered> {
  const { folder, why } = sessionById(session, context);
  if (folder === null) return { turns: null, warnings: session === "" ? [] : lost(sent, why) };
  const done = await deliverToSession(folder, sent, {
    turns: context.settings.maxHookDrivenTurns,
    patienceMs: lockTimeoutMs(context),
  });
  if (!done.ok) return { turns: null, warnings: lost(sent, done.error) };
  const { value, warnings } = done.value;
  return { warnings, turns: { count: value.count.turns, isOver: value.isOverLimit } };
}

function lost({ followUps, pushes }: SentMessages, cause: string): readonly Warning[] {
  const uncounted: readonly Warning[] = followUps.length > 0 ? [{ code: "TURNS_NOT_COUNTED", cause }] : [];
  return [...uncounted, ...pushes.map(({ hook }): Warning => ({ code: "PUSH_NOT_KEPT", hook, cause }))];
}

const TURN_ENDS: readonly EventName[] = ["turn_end", "turn_error", "agent_stop"];

/** Messages by session: a push may name another one, follow-ups belong to the session of the payload. */
function bySession({ steps, event }: Verdict, own: string): ReadonlyMap<string, SentMessages> {
  const sent = new Map<string, SentMessages & { followUps: InboxMessage[]; pushes: InboxMessage[] }>();
  const of = (session: string) => {
    const ended = session === own && TURN_ENDS.includes(event) ? event : null;
    const found = sent.get(session) ?? { followUps: [], pushes: [], ended };
    sent.set(session, found);
    return found;
  };
  for (const { hook, result, outcome } of steps) {
    const reply: HookResponse | null = result?.response.ok && outcome !== "observed" ? result.response.value : null;
    if (reply === null) continue;
    const from = attribution(hook);
    for (const text of reply.followUps) of(own).followUps.push({ hook: from, text, wake: true });
    for (const push of reply.pushes.map(pushFromRaw))
      of(push.session ?? own).pushes.push({ hook: from, text: push.message, wake: push.wake });
  }
  return sent;
}

/** The sender of a message. An entry without a name is called EVENT#N; its messages name the event alone. */
function attribution({ name, kind, entry }: Hook): string {
  // The hook's name may have its file in front, the entry's name has not.
  const unnumbered = (entry?.name ?? name).replace(/#\d+$/, "");
  const isNameless = entry === null ? kind === "function" : unnumbered === entry.on;
  return isNameless ? unnumbered : name;
}
