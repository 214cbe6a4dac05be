import { type Redact, redactResult } from "../../audit/redact.ts";
import { isoTimeOf } from "../../audit/run-stamp.ts";
import { runChain, startChain, verdictOf } from "../../chain/advance.ts";
import { failedHookPayload, failedSteps, failedToolCallPayload, withErrorVerdict } from "../../chain/merge-on-error.ts";
import { orderHooks } from "../../chain/order.ts";
import { membersInDialect } from "../../dialects/dialects.ts";
import { workingFolder } from "../../fs/paths.ts";
import {
  envelopeExtras,
  type InvokeContext,
  type PrepareStart,
  preparedStart,
  withMcpServers,
} from "../../invoke/invoke-executable.ts";
import { invokeHook, whyNotInvoked, withPortableNames } from "../../invoke/invoke-hook.ts";
import { EVENT_ROWS, type EventName } from "../../protocol/event.ts";
import { appliesTo, type Hook, hookForEvent } from "../../protocol/hook.ts";
import type { HookResult } from "../../protocol/hook-response.ts";
import { stringOf } from "../../protocol/json/read.ts";
import { isFailedToolCall, type Payload } from "../../protocol/payload/payload.ts";
import { isLostGuard } from "../../protocol/problem.ts";
import type { RunRecord } from "../../protocol/run-record.ts";
import type { FailureSource, Verdict, VerdictDecision } from "../../protocol/verdict.ts";
import { guardWarningsIn, type Warning, warningText } from "../../protocol/warning.ts";
import type { Session } from "../../session/session-folder.ts";
import { approvalChecksFor, hookEnvironments } from "../hook-environment.ts";
import type { HookSet } from "../hooks/resolve-hooks.ts";
import { sandboxFor, startPlace } from "../hooks/sandboxes.ts";
import { deadlineFor, type RunContext } from "../run-context.ts";
import { recordRedactor } from "./known-values.ts";
import { makeRunRecord } from "./run-record.ts";
import {
  applyStatePatch,
  resetTurnLimitOnUserMessage,
  sessionOfPayload,
  storeRequestedInput,
  withRequestedInput,
  withSessionState,
} from "./session-effects.ts";

/** The hooks that handle an event, in run order. */
export function orderedHooks(event: EventName, hookSet: HookSet, context: RunContext): readonly Hook[] {
  const concerned = hookSet.hooks.filter((hook) => appliesTo(hook, event)).map((hook) => hookForEvent(hook, event));
  return orderHooks(concerned, event, context.settings);
}

/** Runs the hooks of one event: orders them, invokes one after another and returns the record of the run. */
export async function runEvent(
  payload: Payload,
  hookSet: HookSet,
  context: RunContext,
  before: readonly Warning[],
): Promise<RunRecord> {
  const startedMs = context.elapsedMs();
  const sinceStartMs = (): number => hookSet.resolveMs + context.elapsedMs() - startedMs;
  const turnWarnings = await resetTurnLimitOnUserMessage(payload, context);
  const hooks = orderedHooks(payload.event, hookSet, context);
  const redact = recordRedactor(hooks, payload.session, context);
  const cwd = hooks.length === 0 ? payload.cwd : workingFolder(payload.cwd, context.cwd);
  const chain: ChainInput = { redact, cwd, recheckTrust: hookSet.recheckTrust, sinceStartMs };

  const session = sessionOfPayload(payload, context);
  const asked = await withRequestedInput(payload, session);
  const ended = hooks.length === 0 ? startChain(asked) : await invokeInOrder(hooks, asked, context, chain);
  const withErrors = await afterErrorHooks(verdictOf(ended), hookSet, context, chain);
  const verdict = await afterDelivery(withErrors, context);
  const storeWarnings = await storeRequestedInput(verdict, session);

  const moved: readonly Warning[] = cwd === payload.cwd ? [] : [{ code: "CWD_MISSING", cwd: payload.cwd, used: cwd }];
  const allWarnings = [...before, ...turnWarnings, ...hookSet.warnings, ...moved, ...storeWarnings];
  return makeRunRecord({
    verdict: {
      ...verdict,
      warnings: [...allWarnings.map(warningText), ...verdict.warnings],
      guardWarnings: [...guardWarningsIn(allWarnings), ...verdict.guardWarnings],
    },
    runId: context.runId,
    durationMs: sinceStartMs(),
    redact,
  });
}

/** Runs the `on_error` hooks for a failed tool call and for each failed hook. Most runs have neither. */
async function afterErrorHooks(
  verdict: Verdict,
  hookSet: HookSet,
  context: RunContext,
  chain: ChainInput,
): Promise<Verdict> {
  const isFailed = isFailedToolCall(verdict.sent) || verdict.steps.some(({ outcome }) => outcome === "failed");
  if (!isFailed) return verdict;
  const listeners = orderedHooks("on_error", hookSet, context).filter(({ events }) => events.includes("on_error"));
  if (listeners.length === 0) return verdict;
  return runOnErrorHooks(verdict, listeners, context, async (hooks, payload) =>
    verdictOf(await invokeInOrder(hooks, payload, context, chain)),
  );
}

/** Delivers the messages of the hooks. Most runs have none, so the code for them is loaded when needed. */
async function afterDelivery(verdict: Verdict, context: RunContext): Promise<Verdict> {
  if (verdict.followUps.length + verdict.pushes.length === 0) return verdict;
  return (await import("./deliver-messages.ts")).deliverMessages(verdict, context);
}

/** What the chain of the event and the chains of its errors have in common. */
interface ChainInput {
  readonly redact: Redact;
  /** The working directory of the hooks. */
  readonly cwd: string;
  readonly recheckTrust: HookSet["recheckTrust"];
  /** How long the run has taken so far. */
  readonly sinceStartMs: () => number;
}

/** Invokes hooks one after another until the chain ends. Each gets the payload as the hooks before it changed it. */
async function invokeInOrder(hooks: readonly Hook[], payload: Payload, context: RunContext, chain: ChainInput) {
  const { redact, cwd, recheckTrust, sinceStartMs } = chain;
  const session = sessionOfPayload(payload, context);
  const environmentOf = hookEnvironments(context, await approvalChecksFor(hooks));
  const prepare: PrepareStart = (hook, current, folder) =>
    preparedStart(
      recheckTrust(hook),
      () => sandboxFor(hook, startPlace(folder, context), context),
      () => (hook.kind === "rule" ? {} : environmentOf(hook, current)),
    );
  const invokeContext = { cwd, prepare, isoTime: isoTimeOf(context.nowMs), interrupt: context.interrupt };
  const membersFor = membersInDialect((current) => envelopeExtras(current, invokeContext.isoTime));
  return withMcpServers((servers) =>
    runChain(hooks, payload, {
      membersFor,
      invoke: async (hook, current) => {
        // A built-in guard judges the call alone, without the session's values.
        const input =
          hook.kind === "guard" ? { payload: current, warnings: [] } : await withSessionState(current, session);
        const hookContext = { ...invokeContext, servers, deadline: deadlineFor(hook, context) };
        const startMs = sinceStartMs();
        const result = await invokeAny(hook, input.payload, { context, session, invoke: hookContext });
        const saved = await applyStatePatch(hook, result, { session, context });
        return redactResult({ ...saved, startMs, warnings: [...input.warnings, ...saved.warnings] }, redact);
      },
    }),
  );
}

interface Invocation {
  readonly context: RunContext;
  readonly session: Session;
  readonly invoke: InvokeContext;
}

/** Invokes a hook of any kind: a built-in guard, a function of the host program, a program or an entry of a settings file. */
async function invokeAny(hook: Hook, payload: Payload, { context, session, invoke }: Invocation): Promise<HookResult> {
  const { functions } = context;
  if (hook.kind === "guard")
    return whyNotInvoked(hook, invoke) ?? (await context.loadGuards()).judge(hook, payload, context);
  if (hook.kind === "function" && functions !== null)
    return (
      whyNotInvoked(hook, invoke) ??
      withPortableNames(hook, payload, await functions.invoke(hook, payload, session, invoke))
    );
  return invokeHook(hook, payload, invoke);
}

/** One event with its payload and hooks; one agent event may raise several. */
export interface EventRun {
  readonly payload: Payload;
  readonly hookSet: HookSet;
  readonly context: RunContext;
}

/** Runs several events one after another; a failed tool call, for example, is also an error. */
export async function runEvents(
  raises: readonly EventRun[],
  before: readonly Warning[],
): Promise<readonly RunRecord[]> {
  const records: RunRecord[] = [];
  for (const { payload, hookSet, context } of raises) {
    records.push(await runEvent(payload, hookSet, context, records.length === 0 ? before : []));
  }
  return records;
}

const STRICTNESS: readonly VerdictDecision[] = ["continue", "ask", "halt", "block"];

/** Combines verdicts: the strictest decides, additions are concatenated, and only the first event's value can change. */
export function combineVerdicts([first, ...others]: readonly [Verdict, ...Verdict[]]): Verdict {
  const all = [first, ...others];
  const strictness = ({ decision }: Verdict): number => STRICTNESS.indexOf(decision);
  const decider = all.reduce((found, other) => (strictness(other) > strictness(found) ? other : found));
  const { decision, reason, decidedBy } = decider;
  return {
    ...first,
    decision,
    reason,
    decidedBy,
    change: decision === "continue" || decision === "ask" ? first.change : null,
    isAllowed: first.isAllowed && decision === "continue",
    context: all.flatMap(({ context }) => context),
    followUps: all.flatMap(({ followUps }) => followUps),
    systemMessage: all.flatMap(({ systemMessage }) => systemMessage ?? []).join("\n") || null,
  };
}

/** True if a hook may block the event. `match` is not considered, because there is no payload to match. */
export const couldBlock = (event: EventName, hookSet: HookSet, context: RunContext): boolean =>
  EVENT_ROWS[event].onBlock === "deny" && orderedHooks(event, hookSet, context).some(isGuard);

/** Schemes that only add something and never block. */
const HARMLESS: readonly string[] = ["inject", "template_push", "shell_exec", "shell_push"];

/** True if the hook, or its absence, may block. */
export function isGuard({ observe, state, entry, refusal, failOpen }: Hook): boolean {
  if (observe || state === "disabled" || HARMLESS.includes(entry?.scheme ?? "")) return false;
  return refusal === null || !failOpen || isLostGuard(refusal);
}

interface RaisedError {
  readonly failed: FailureSource;
  readonly payload: Payload;
  /** A hook is not told about its own failure. */
  readonly except: Hook | null;
}

/** Runs the `on_error` hooks for a failed tool call and for each failed hook, one failure after another. */
async function runOnErrorHooks(
  verdict: Verdict,
  listeners: readonly Hook[],
  context: RunContext,
  invoke: (hooks: readonly Hook[], payload: Payload) => Promise<Verdict>,
): Promise<Verdict> {
  let joined = verdict;
  for (const { failed, payload, except } of errorsIn(verdict, context)) {
    // A hook has one record for each dialect of its events.
    const others = listeners.filter(({ name, path }) => name !== except?.name || path !== except.path);
    if (others.length === 0 || context.interrupt.raised() !== null) continue;
    joined = withErrorVerdict(joined, await invoke(others, payload), failed);
  }
  return joined;
}

function errorsIn(verdict: Verdict, { isErrorRaised }: RunContext): readonly RaisedError[] {
  const ofHooks = failedSteps(verdict).map((step): RaisedError => {
    const failed = { kind: "hook", name: step.hook.name } as const;
    return { failed, payload: failedHookPayload(step, verdict.payload), except: step.hook };
  });
  if (isErrorRaised || !isFailedToolCall(verdict.sent)) return ofHooks;
  const name = verdict.sent.members.get("tool_name");
  const failed = { kind: "tool", name: name?.kind === "string" ? stringOf(name) : "" } as const;
  return [{ failed, payload: failedToolCallPayload(verdict.payload), except: null }, ...ofHooks];
}
