import type { IdentifyResult } from "../../discover/identify.ts";
import type { IdentityCache } from "../../discover/identity-cache.ts";
import { readIdentity } from "../../discover/read-identity.ts";
import { isInside } from "../../fs/paths.ts";
import type { Approvals } from "../../protocol/approval.ts";
import { type Candidate, type Identity, isFromProject } from "../../protocol/hook.ts";
import { type KnownHook, type KnownHooks, recordKnownHooks } from "../../trust/store/known-hooks.ts";
import type { RunContext } from "../run-context.ts";

/** What earlier calls recorded about the user's hooks. */
export interface EarlierAnswers {
  readonly known: KnownHooks;
  readonly cache: IdentityCache;
  readonly approvals: Approvals;
}

/** Returns a test for the user's own hooks; false for all in a call that does not look for them. */
export function userHookTest({ scopes, options }: RunContext): (path: string) => boolean {
  const { homeDir } = scopes;
  return (path) => homeDir !== null && options.hooksDirs.length === 0 && isInside(`${homeDir}/.kodelet`, path);
}

/** Null if the hook never answered. The record outlives the cache. */
export function lastIdentity(at: Pick<Candidate, "name" | "path">, { known, cache }: EarlierAnswers): Identity | null {
  const answer = known.get(at.path)?.said ?? cache.lastAnswer(at.path);
  const identity = answer === null ? null : readIdentity(at, answer);
  return identity?.ok ? identity.value : null;
}

/** Records the answers of the user's own hooks, so that a hook that is lost later is still known. */
export function recordAnswers(
  identities: ReadonlyMap<Candidate, IdentifyResult>,
  known: KnownHooks,
  context: RunContext,
): void {
  const isUsers = userHookTest(context);
  const now = [...identities].flatMap(([candidate, { identity, answer }]): [string, KnownHook][] => {
    const { name, path, entry } = candidate;
    if (entry !== null || isFromProject(candidate) || !isUsers(path) || !identity.ok || answer === null) return [];
    return [[path, { name, said: answer }]];
  });
  recordKnownHooks(new Map(now), known, context);
}
