import { createRedactor, type Redact } from "../../audit/redact.ts";
import { verdictOf } from "../../chain/advance.ts";
import { sortHooks } from "../../chain/order.ts";
import { runChain } from "../../chain/run-chain.ts";
import { membersInDialect } from "../../dialects/dialects.ts";
import { workingFolder } from "../../fs/working-folder.ts";
import { envelopeExtras } from "../../invoke/envelope-extras.ts";
import { invokeHook } from "../../invoke/invoke-hook.ts";
import { withMcpServers } from "../../invoke/mcp-servers.ts";
import { entryServer } from "../../protocol/entry.ts";
import type { EventName } from "../../protocol/event.ts";
import { appliesTo, type Hook, hookForEvent } from "../../protocol/hook.ts";
import { isFailedToolCall, type Payload } from "../../protocol/payload.ts";
import type { RunRecord } from "../../protocol/run-record.ts";
import type { Verdict } from "../../protocol/verdict.ts";
import type { Warning } from "../../protocol/warning.ts";
import { guardWarningsIn, warningText } from "../../protocol/warning.ts";
import { hookEnvironments } from "../environment.ts";
import type { HookSet } from "../hooks/resolve-hooks.ts";
import { isoTime } from "../iso-time.ts";
import { type RunContext, remainingMs } from "../run-context.ts";
import { redactResult } from "./redact-result.ts";
import { resetTurnLimitOnUserMessage } from "./reset-turn-limit.ts";
import { makeRunRecord } from "./run-record.ts";
import { applyStatePatch, sessionOfPayload, withSessionState } from "./session.ts";

/** The hooks of one event in run order. */
export function orderedHooks(event: EventName, hookSet: HookSet, context: RunContext): readonly Hook[] {
  const concerned = hookSet.hooks.filter((hook) => appliesTo(hook, event)).map((hook) => hookForEvent(hook, event));
  return sortHooks(concerned, event, context.settings.postOrder);
}

/** The way of one payload through the hooks that were gathered: order, ask, advance. */
export async function runEvent(
  payload: Payload,
  hookSet: HookSet,
  context: RunContext,
  before: readonly Warning[],
): Promise<RunRecord> {
  const startedMs = context.elapsedMs();
  const spoken = await resetTurnLimitOnUserMessage(payload, context);
  const hooks = orderedHooks(payload.event, hookSet, context);
  const redact = createRedactor({ ...context.env, ...serverSecrets(hooks) });
  const cwd = hooks.length === 0 ? payload.cwd : workingFolder(payload.cwd, context.cwd);
  const { recheckTrust } = hookSet;
  const asking = { redact, cwd, recheckTrust };
  const decided = verdictOf(await askAll(hooks, payload, context, asking));
  const moved: readonly Warning[] = cwd === payload.cwd ? [] : [{ code: "CWD_MISSING", cwd: payload.cwd, used: cwd }];
  const told = [...before, ...spoken, ...hookSet.warnings, ...moved];
  const verdict = await settled(await withErrors(decided, hookSet, context, asking), context);
  return makeRunRecord({
    verdict: {
      ...verdict,
      warnings: [...told.map(warningText), ...verdict.warnings],
      guardWarnings: [...guardWarningsIn(told), ...verdict.guardWarnings],
    },
    runId: context.runId,
    durationMs: hookSet.resolveMs + context.elapsedMs() - startedMs,
    redact,
  });
}

/** What the settings hand to MCP servers, under names that no variable of the caller has. */
const serverSecrets = (hooks: readonly Hook[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    hooks.flatMap(({ name, entry }) =>
      Object.entries(entryServer(entry)?.env ?? {}).map(([variable, value]) => [`${name} ${variable}`, value] as const),
    ),
  );

/** The hooks of `on_error` are told of a tool call that failed and of each hook that did. Most runs have neither. */
async function withErrors(verdict: Verdict, hookSet: HookSet, context: RunContext, asking: Asking): Promise<Verdict> {
  const isFailed = isFailedToolCall(verdict.sent) || verdict.steps.some(({ outcome }) => outcome === "failed");
  if (!isFailed) return verdict;
  const listeners = orderedHooks("on_error", hookSet, context).filter(({ events }) => events.includes("on_error"));
  if (listeners.length === 0) return verdict;
  const { runOnErrorHooks } = await import("./on-error.ts");
  return runOnErrorHooks(verdict, listeners, context, async (hooks, payload) =>
    verdictOf(await askAll(hooks, payload, context, asking)),
  );
}

/** Most runs send nothing on; those that do load what that takes. */
async function settled(verdict: Verdict, context: RunContext): Promise<Verdict> {
  if (verdict.followUps.length + verdict.pushes.length === 0) return verdict;
  return (await import("./deliver-messages.ts")).deliverMessages(verdict, context);
}

interface Asking {
  readonly redact: Redact;
  /** Where the hooks run. */
  readonly cwd: string;
  readonly recheckTrust: HookSet["recheckTrust"];
}

function askAll(hooks: readonly Hook[], payload: Payload, context: RunContext, asking: Asking) {
  const { redact, cwd, recheckTrust } = asking;
  const session = sessionOfPayload(payload, context);
  const invokeContext = {
    environmentOf: hookEnvironments(context),
    cwd,
    isoTime: isoTime(context.nowMs),
    remainingMs: () => remainingMs(context),
    interrupt: context.interrupt,
    recheckTrust,
    invokeFunction: context.functions?.invokerFor(session) ?? null,
  };
  const worded = {
    ...payload,
    inWordsOf: membersInDialect((current) => envelopeExtras(current, invokeContext.isoTime)),
  };
  return withMcpServers((servers) =>
    runChain(hooks, worded, async (hook, current) => {
      const shown = await withSessionState(current, session);
      const asked = await invokeHook(hook, shown.payload, { ...invokeContext, servers });
      const kept = await applyStatePatch(hook, asked, { session, context });
      return redactResult({ ...kept, warnings: [...shown.warnings, ...kept.warnings] }, redact);
    }),
  );
}
