import type { Asked } from "../protocol/asked.ts";
import { schemeRow } from "../protocol/entry.ts";
import type { Hook } from "../protocol/hook.ts";
import type { Payload } from "../protocol/payload.ts";
import type { Problem } from "../protocol/problem.ts";
import { fail } from "../protocol/result.ts";
import { askDeclared } from "./ask-declared.ts";
import { type AskGround, askExecutable } from "./ask-executable.ts";

/** Asks one hook, whatever kind it is. One that may not or cannot be asked any more fails without being started. */
export async function askHook(hook: Hook, payload: Payload, ground: AskGround): Promise<Asked> {
  if (hook.hindrance !== null) return unasked(hook.hindrance, true);
  const at = { hook: hook.name, path: hook.path };
  const signal = ground.interrupt.raised();
  if (signal !== null) return unasked({ code: "HOOK_INTERRUPTED", ...at, signal }, false);
  if (ground.remainingMs() <= 0 && !isAtOnce(hook)) return unasked({ code: "HOOK_DEADLINE_PASSED", ...at }, false);
  if (ground.askFunction !== null && hook.kind === "function") return ground.askFunction(hook, payload, ground);
  const refusal = ground.mayStillStart(hook);
  if (refusal !== null) return unasked(refusal, true);
  if (hook.entry !== null) return askDeclared(hook, hook.entry, payload, ground);
  return askExecutable(hook, payload, ground);
}

/** A rule takes no time: it answers after the deadline too. */
const isAtOnce = ({ entry }: Hook): boolean => entry !== null && schemeRow(entry.scheme).kind === "rule";

function unasked(problem: Problem, isHindered: boolean): Asked {
  return { reply: fail(problem), isHindered, exitCode: null, signal: null, durationMs: 0, stderr: "", warnings: [] };
}
