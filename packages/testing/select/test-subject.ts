import type { HookSet } from "../../../src/engine/hooks/resolve-hooks.ts";
import { type Hook, isTrustRefusal } from "../../../src/protocol/hook.ts";
import { explain } from "../../../src/protocol/problem-messages/explain.ts";
import { quoteHookName } from "../../../src/protocol/text/shell-quote.ts";
import { type Finding, failedCheck, type NotTestedHook } from "../test-report.ts";

/** A hook to test, an entry of a hooks folder that cannot be a hook although it probably should, or all hooks together. */
export type TestSubject = ReadySubject | FaultySubject | ChainSubject;

interface SubjectName {
  readonly name: string;
  readonly path: string;
  /** The command that tests it again. */
  readonly again: string;
}

export interface ReadySubject extends SubjectName {
  readonly kind: "hook" | "guard";
  readonly hook: Hook;
  readonly fault: null;
  readonly namesakes: readonly string[];
  readonly recheckTrust: HookSet["recheckTrust"];
}

interface FaultySubject extends SubjectName {
  readonly kind: "hook";
  readonly hook: null;
  readonly fault: Finding;
}

export interface ChainSubject extends SubjectName {
  readonly kind: "chain";
  readonly hook: null;
  readonly fault: null;
  readonly members: readonly ReadySubject[];
  readonly guards: readonly Hook[];
}

/** Refusals that are a fault of the file, so a failed check; with the others only an approval is missing. */
const ABOUT_THE_FILE = ["HOOK_REFUSED_UNSAFE", "HOOK_REFUSED_LINK"];

/** Why a hook is not tested in this call; null if it is. */
export function testSkipReason(hook: Hook): NotTestedHook | null {
  const { name, path, refusal } = hook;
  const isDeclared = hook.entry !== null;
  if (hook.disabledReason !== null) return { ...notTested(hook, hook.disabledReason), isDeclared };
  if (refusal === null || !isTrustRefusal(refusal) || ABOUT_THE_FILE.includes(refusal.code)) return null;
  const refused = { name, path, isRefused: true, isDeclared };
  // There is no file to read and approve.
  if (hook.lost !== undefined) {
    const { cause, fix } = hook.lost;
    return { ...refused, reason: `it no longer runs: ${cause}`, hint: fix, awaitsApproval: false };
  }
  const { summary: reason, hint } = explain(refusal);
  const isUntrusted = refusal.code === "HOOK_REFUSED_UNTRUSTED";
  return {
    ...refused,
    reason,
    hint: isUntrusted ? `Read it, then: hookctl trust ${quoteHookName(name)}` : hint,
    awaitsApproval: isUntrusted || refusal.code === "HOOK_REFUSED_CHANGED",
  };
}

/** A hook that is not tested, although it may be started. */
export function notTested(
  { name, path }: Pick<NotTestedHook, "name" | "path">,
  reason: string,
  hint = "A run skips it, too.",
): NotTestedHook {
  return { name, path, reason, hint, isRefused: false, awaitsApproval: false, isDeclared: false };
}

/** A hook that the settings require and that is nowhere. */
export function checkMissingHook({ refusal }: Hook): Finding | null {
  if (refusal?.code !== "HOOK_MISSING") return null;
  const { summary, hint } = explain(refusal);
  return failedCheck(summary, hint);
}
