import {
  DEFAULT_PRIORITY,
  DEFAULT_TIMEOUT_MS,
  type Hook,
  type HookLoss,
  isFromProject,
  makeHook,
  RANK,
} from "../../protocol/hook.ts";
import type { HookProblem } from "../../protocol/problem.ts";
import { explain } from "../../protocol/problem-messages/explain.ts";
import { quoteHookName, shellQuote } from "../../protocol/text/shell-quote.ts";

/** Stands in the chain for hooks that cannot be invoked: it fails, so that a guard that cannot decide is not skipped. */
export function placeholderHook(
  known: Pick<Hook, "name" | "path" | "source" | "trust"> & Partial<Omit<Hook, "state" | "refusal">>,
  refusal: HookProblem | null,
): Hook {
  return makeHook({
    kind: "executable",
    projectDir: null,
    rank: RANK.missing,
    events: [],
    mentionedEvents: [],
    dialect: "kodelet",
    priority: DEFAULT_PRIORITY,
    failOpen: false,
    observe: false,
    timeoutMs: DEFAULT_TIMEOUT_MS,
    match: null,
    outputLimit: null,
    background: false,
    readsEnv: false,
    disabledReason: null,
    isWeakenedBySettings: false,
    refusal,
    entry: null,
    hash: null,
    shadows: null,
    ...known,
  });
}

/** A hook that exists and may run, but does not answer: it still has the events that it declared before. */
export function asLost(hook: Hook, fault: HookProblem): Hook {
  if (fault.code === "HOOK_INTERRUPTED") return hook;
  const cause = "cause" in fault ? fault.cause : explain(fault).summary;
  const lost: HookLoss = { cause, fix: `Repair it. ${fixForLost(hook, isFromProject(hook))}` };
  return { ...hook, lost };
}

/** How a person confirms that a hook was removed on purpose: by forgetting it, or by renaming the file. */
export const fixForLost = ({ name, path }: Pick<Hook, "name" | "path">, isForgotten: boolean): string =>
  isForgotten
    ? `If this is intended: hookctl untrust ${quoteHookName(name)}`
    : `If this is intended: mv ${shellQuote(path)} ${shellQuote(`${path}.disable`)}`;
