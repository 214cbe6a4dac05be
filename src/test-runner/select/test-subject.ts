import type { HookSet } from "../../engine/hooks/resolve-hooks.ts";
import { type Hook, isTrustRefusal, type SkippedFile } from "../../protocol/hook.ts";
import { explain } from "../../protocol/problem-messages/explain.ts";
import { quoteHookName } from "../../protocol/text/shell-quote.ts";
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
  if (hook.disabledReason !== null) return { ...NOT_RUN, name, path, reason: hook.disabledReason, isDeclared };
  if (refusal === null || !isTrustRefusal(refusal) || ABOUT_THE_FILE.includes(refusal.code)) {
    return null;
  }
  const { summary, hint } = explain(refusal);
  // There is no file to read and approve.
  if (hook.lost !== undefined) {
    const { cause, fix } = hook.lost;
    return {
      name,
      path,
      reason: `it no longer runs: ${cause}`,
      hint: fix,
      isRefused: true,
      awaitsApproval: false,
      isDeclared,
    };
  }
  const isUntrusted = refusal.code === "HOOK_REFUSED_UNTRUSTED";
  const next = isUntrusted ? `Read it, then: hookctl trust ${quoteHookName(name)}` : hint;
  const awaitsApproval = isUntrusted || refusal.code === "HOOK_REFUSED_CHANGED";
  return { name, path, reason: summary, hint: next, isRefused: true, awaitsApproval, isDeclared };
}

/** An entry that is not a hook for a good reason; reported only if an argument names it. */
export const skippedEntry = ({ name, path, detail }: Pick<SkippedFile, "name" | "path" | "detail">): NotTestedHook => ({
  ...NOT_RUN,
  name,
  path,
  reason: detail,
});

const NOT_RUN = {
  ...{ hint: "A run skips it, too.", isRefused: false, awaitsApproval: false, isDeclared: false },
};

/** A hook that the settings require and that is nowhere. */
export function checkMissingHook({ refusal }: Hook): Finding | null {
  if (refusal?.code !== "HOOK_MISSING") return null;
  const { summary, hint } = explain(refusal);
  return failedCheck(summary, hint);
}
