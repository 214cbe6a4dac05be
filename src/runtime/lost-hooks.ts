import type { EventName } from "../contract/event.ts";
import type { Hook, Skip } from "../contract/hook.ts";
import { isLostGuard } from "../contract/problem.ts";
import { hookWord, shellWord } from "../contract/shell-word.ts";
import type { Warning } from "../contract/warning.ts";
import { claimsOf, mayBeClosed } from "../discover/claims.ts";
import { CANNOT_RUN } from "../discover/find.ts";
import type { Memory } from "../discover/memory.ts";
import { readIdentity } from "../discover/read-identity.ts";
import { firstBytes } from "../disk/first-bytes.ts";
import { isInside } from "../disk/paths.ts";
import { overrideOf } from "../settings/override-of.ts";
import type { Ground } from "./ground.ts";
import { standIn } from "./selection.ts";

/**
 * The user's own files that were hooks, by what they answered before or by their text, and cannot be started now. Whoever took
 * the execute bit away may not have meant the guard.
 */
export function lostUserHooks(skipped: readonly Skip[], ground: Ground, memory: Memory): readonly Hook[] {
  const { homeDir } = ground.scopes;
  if (homeDir === null || ground.choice.hooksDirs.length > 0) return [];
  return skipped
    .filter(({ reason, path }) => CANNOT_RUN.has(reason) && isInside(`${homeDir}/.kodelet`, path))
    .flatMap((skip) => lostHook(skip, ground, memory));
}

function lostHook({ name, path, detail }: Skip, { settings }: Ground, memory: Memory): readonly Hook[] {
  const answer = memory.lastAnswer(path);
  const identity = answer === null ? null : readIdentity({ name, path }, answer);
  const said = identity?.ok ? identity.value : null;
  const events = said?.events ?? (isScript(path) ? claimsOf(path) : []);
  if (events.length === 0) return [];
  const { fail_open, required, enabled } = overrideOf(settings.user, { name });
  const isClosed = required === true || !(fail_open ?? said?.failOpen ?? !mayBeClosed(path));
  return [
    standIn(
      {
        ...{ name, path, source: "user", trust: "trusted", events, failOpen: !isClosed },
        off: settings.user.isEnabled && enabled !== false ? null : "switched off in the settings",
        match: said?.match ?? null,
      },
      { code: "HOOK_NOT_STARTED", hook: name, path, cause: detail },
    ),
  ];
}

/** Notes may speak of events, too. */
const isScript = (path: string): boolean => !path.endsWith(".md") && (firstBytes(path, 2)?.startsWith("#!") ?? false);

/** In a run only closed ones have a place in the chain: the others are told in warnings, at the events that they answered. */
export function withoutOpenOnes(
  lost: readonly Hook[],
  event: EventName | null,
): { readonly hooks: readonly Hook[]; readonly warnings: readonly Warning[] } {
  if (event === null) return { hooks: lost, warnings: [] };
  const open = lost.filter(({ failOpen }) => failOpen);
  const here = open.filter(({ off, events }) => off === null && (events.length === 0 || events.includes(event)));
  return { hooks: lost.filter(({ failOpen }) => !failOpen), warnings: here.map(warningOf) };
}

function warningOf({ name, path, hindrance }: Hook): Warning {
  const isApproved = hindrance !== null && isLostGuard(hindrance);
  const cause = hindrance === null ? "" : "changes" in hindrance ? hindrance.changes.join(", ") : causeOf(hindrance);
  const meant = isApproved
    ? `hookctl untrust ${hookWord(name)}`
    : `mv ${shellWord(path)} ${shellWord(`${path}.disable`)}`;
  return { code: "HOOK_LOST", hook: name, path, cause, fix: `If that is meant: ${meant}` };
}

const causeOf = (hindrance: object): string => ("cause" in hindrance ? String(hindrance.cause) : "");
