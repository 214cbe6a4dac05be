import type { HookSet } from "../../../src/engine/hooks/resolve-hooks.ts";
import { type Hook, isTrustRefusal } from "../../../src/protocol/hook.ts";
import { canBeApproved } from "../../../src/protocol/problem.ts";
import { explain } from "../../../src/protocol/problem-messages/explain.ts";
import { quoteHookName } from "../../../src/protocol/text/shell-quote.ts";
import type { Finding, SkippedHook } from "../test-report.ts";

interface SubjectName {
  readonly name: string;
  readonly path: string;
  /** The command that tests it again. */
  readonly again: string;
}

export interface ReadySubject extends SubjectName {
  readonly kind: "hook" | "guard";
  readonly hook: Hook;
  /** Other files that have the hook's name. */
  readonly namesakes: readonly string[];
  readonly recheckTrust: HookSet["recheckTrust"];
}

/** All hooks together. */
export interface ChainSubject extends SubjectName {
  readonly kind: "chain";
  readonly hook: null;
  readonly members: readonly ReadySubject[];
  readonly guards: readonly Hook[];
}

/** An entry of a hooks folder that cannot be a hook although it probably should. */
interface FaultySubject extends SubjectName {
  readonly kind: "faulty";
  readonly hook: null;
  readonly fault: Finding;
}

export type TestSubject = ReadySubject | FaultySubject | ChainSubject;

export type NotTestedHook = Omit<SkippedHook, "checks">;

/** A hook that is not tested, although it may be started. */
export const notTested = (
  { name, path }: Pick<NotTestedHook, "name" | "path">,
  reason: string,
  hint = "A run skips it, too.",
): NotTestedHook => ({ name, path, reason, hint, why: "skipped", isDeclared: false });

/** Refusals that are a fault of the file, so a failed check; with the others only an approval is missing. */
const ABOUT_THE_FILE = ["HOOK_REFUSED_UNSAFE", "HOOK_REFUSED_LINK"];

/** Why a hook is not tested in this call; null if it is. */
export function testSkipReason(hook: Hook): NotTestedHook | null {
  const { name, path, refusal } = hook;
  const isDeclared = hook.entry !== null;
  if (hook.disabledReason !== null) return { ...notTested(hook, hook.disabledReason), isDeclared };
  if (refusal === null || !isTrustRefusal(refusal) || ABOUT_THE_FILE.includes(refusal.code)) return null;
  const refused = { name, path, why: "refused", isDeclared } as const;
  // There is no file to read and approve.
  if (hook.lost !== undefined)
    return { ...refused, reason: `it no longer runs: ${hook.lost.cause}`, hint: hook.lost.fix };
  const { summary: reason, hint } = explain(refusal);
  if (refusal.code === "HOOK_REFUSED_UNTRUSTED")
    return { ...refused, why: "unapproved", reason, hint: `Read it, then: hookctl trust ${quoteHookName(name)}` };
  return { ...refused, ...(canBeApproved(refusal) ? { why: "unapproved" } : {}), reason, hint };
}
