import { type Redact, redactor } from "../../audit/redact.ts";
import { verdictOf } from "../../chain/advance.ts";
import { inOrder } from "../../chain/order.ts";
import { runChain } from "../../chain/run-chain.ts";
import { inWordsOf } from "../../dialects/dialects.ts";
import { workingFolder } from "../../fs/working-folder.ts";
import { envelopeExtras } from "../../invoke/envelope-extras.ts";
import { invokeHook } from "../../invoke/invoke-hook.ts";
import { withMcpServers } from "../../invoke/mcp-servers.ts";
import { serverOf } from "../../protocol/entry.ts";
import type { EventName } from "../../protocol/event.ts";
import { askedAbout, concerns, type Hook } from "../../protocol/hook.ts";
import { isFailedCall, type Payload } from "../../protocol/payload.ts";
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
export function orderedHooks(event: EventName, roster: HookSet, ground: RunContext): readonly Hook[] {
  const concerned = roster.hooks.filter((hook) => concerns(hook, event)).map((hook) => askedAbout(hook, event));
  return inOrder(concerned, event, ground.settings.postOrder);
}

/** The way of one payload through the hooks that were gathered: order, ask, advance. */
export async function runEvent(
  payload: Payload,
  roster: HookSet,
  ground: RunContext,
  before: readonly Warning[],
): Promise<RunRecord> {
  const startedMs = ground.elapsedMs();
  const spoken = await resetTurnLimitOnUserMessage(payload, ground);
  const hooks = orderedHooks(payload.event, roster, ground);
  const redact = redactor({ ...ground.env, ...serverSecrets(hooks) });
  const cwd = hooks.length === 0 ? payload.cwd : workingFolder(payload.cwd, ground.cwd);
  const { mayStillStart } = roster;
  const asking = { redact, cwd, mayStillStart };
  const decided = verdictOf(await askAll(hooks, payload, ground, asking));
  const moved: readonly Warning[] = cwd === payload.cwd ? [] : [{ code: "CWD_MISSING", cwd: payload.cwd, used: cwd }];
  const told = [...before, ...spoken, ...roster.warnings, ...moved];
  const verdict = await settled(await withErrors(decided, roster, ground, asking), ground);
  return makeRunRecord({
    verdict: {
      ...verdict,
      warnings: [...told.map(warningText), ...verdict.warnings],
      guardWarnings: [...guardWarningsIn(told), ...verdict.guardWarnings],
    },
    runId: ground.runId,
    durationMs: roster.gatherMs + ground.elapsedMs() - startedMs,
    redact,
  });
}

/** What the settings hand to MCP servers, under names that no variable of the caller has. */
const serverSecrets = (hooks: readonly Hook[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    hooks.flatMap(({ name, entry }) =>
      Object.entries(serverOf(entry)?.env ?? {}).map(([variable, value]) => [`${name} ${variable}`, value] as const),
    ),
  );

/** The hooks of `on_error` are told of a tool call that failed and of each hook that did. Most runs have neither. */
async function withErrors(verdict: Verdict, roster: HookSet, ground: RunContext, asking: Asking): Promise<Verdict> {
  const isFailed = isFailedCall(verdict.sent) || verdict.steps.some(({ outcome }) => outcome === "failed");
  if (!isFailed) return verdict;
  const listeners = orderedHooks("on_error", roster, ground).filter(({ events }) => events.includes("on_error"));
  if (listeners.length === 0) return verdict;
  const { runOnErrorHooks } = await import("./on-error.ts");
  return runOnErrorHooks(verdict, listeners, ground, async (hooks, payload) =>
    verdictOf(await askAll(hooks, payload, ground, asking)),
  );
}

/** Most runs send nothing on; those that do load what that takes. */
async function settled(verdict: Verdict, ground: RunContext): Promise<Verdict> {
  if (verdict.followUps.length + verdict.pushes.length === 0) return verdict;
  return (await import("./deliver-messages.ts")).deliverMessages(verdict, ground);
}

interface Asking {
  readonly redact: Redact;
  /** Where the hooks run. */
  readonly cwd: string;
  readonly mayStillStart: HookSet["mayStillStart"];
}

function askAll(hooks: readonly Hook[], payload: Payload, ground: RunContext, asking: Asking) {
  const { redact, cwd, mayStillStart } = asking;
  const session = sessionOfPayload(payload, ground);
  const askGround = {
    environmentOf: hookEnvironments(ground),
    cwd,
    isoTime: isoTime(ground.nowMs),
    remainingMs: () => remainingMs(ground),
    interrupt: ground.interrupt,
    mayStillStart,
    askFunction: ground.functions?.askIn(session) ?? null,
  };
  const worded = { ...payload, inWordsOf: inWordsOf((current) => envelopeExtras(current, askGround.isoTime)) };
  return withMcpServers((servers) =>
    runChain(hooks, worded, async (hook, current) => {
      const shown = await withSessionState(current, session);
      const asked = await invokeHook(hook, shown.payload, { ...askGround, servers });
      const kept = await applyStatePatch(hook, asked, { session, ground });
      return redactResult({ ...kept, warnings: [...shown.warnings, ...kept.warnings] }, redact);
    }),
  );
}
