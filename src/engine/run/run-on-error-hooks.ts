import { failedHookPayload, failedSteps, failedToolCallPayload, withErrorVerdict } from "../../chain/merge-on-error.ts";
import type { Hook } from "../../protocol/hook.ts";
import { stringOf } from "../../protocol/json/read.ts";
import { isFailedToolCall, type Payload } from "../../protocol/payload/payload.ts";
import type { FailureSource, Verdict } from "../../protocol/verdict.ts";
import type { RunContext } from "../run-context.ts";

interface RaisedError {
  readonly failed: FailureSource;
  readonly payload: Payload;
  /** A hook is not told about its own failure. */
  readonly except: Hook | null;
}

/** Runs the `on_error` hooks for a failed tool call and for each failed hook, one failure after another. */
export async function runOnErrorHooks(
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
