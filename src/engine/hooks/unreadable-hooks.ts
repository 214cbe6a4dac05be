import type { UnreadablePlace } from "../../discover/find-candidates.ts";
import { type EventName, eventRow } from "../../protocol/event.ts";
import { type Hook, isFromProject, UNKNOWN_STAMP } from "../../protocol/hook.ts";
import type { HookProblem } from "../../protocol/problem.ts";
import type { CandidateStatus, TrustStatus } from "../../trust/decide/decide-trust.ts";
import { placeholderHook } from "./select-hooks.ts";

/**
 * The user's own files that cannot be read (EACCES). Any of them may be a guard, so at an event that can be blocked they
 * are in the chain and fail there. At other events, and in a project, they only cause a warning.
 */
export function unreadableFiles(unseen: readonly UnreadablePlace[]): readonly CandidateStatus[] {
  return unseen.flatMap((one): CandidateStatus[] => {
    const { name, path, source, rank } = one;
    if (name === null || isFromProject({ source, entry: null })) return [];
    const known = { name, path, realPath: path, source, projectDir: null, rank };
    const candidate = { ...known, stamp: UNKNOWN_STAMP, entry: null };
    return [{ candidate, status: { trust: "unsafe", problem: unreadableProblem(one, name), approval: null } }];
  });
}

/** Folders that cannot be read. They come first in the chain, because the priorities of their hooks are unknown. */
export function unreadableFolders(unseen: readonly UnreadablePlace[], event: EventName | null): readonly Hook[] {
  if (!canBlockAt(event)) return [];
  return unseen.flatMap((one): Hook[] => {
    const { name, path, source, rank } = one;
    if (name !== null || isFromProject({ source, entry: null })) return [];
    const known = { name: path, path, source, rank, trust: "unsafe", priority: Number.MIN_SAFE_INTEGER } as const;
    return [placeholderHook(known, unreadableProblem(one, path))];
  });
}

export const isUnreadable = ({ problem }: TrustStatus): boolean => problem?.code === "HOOK_REFUSED_UNREADABLE";
export const canBlockAt = (event: EventName | null): boolean => event !== null && eventRow(event).onBlock === "deny";

const unreadableProblem = ({ path, cause }: UnreadablePlace, hook: string): HookProblem => ({
  code: "HOOK_REFUSED_UNREADABLE",
  hook,
  path,
  place: path,
  cause,
});
