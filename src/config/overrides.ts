import type { Candidate } from "../protocol/hook.ts";
import type { Override } from "../protocol/setting-rows.ts";
import type { HookSettings, Settings } from "./merge-settings.ts";

type Named = Pick<Candidate, "name" | "baseName">;

/**
 * Returns the override of one hook. An override of `guard` applies to the hooks of that name in all project folders; one of
 * `web/guard` takes precedence key by key. So a hook keeps its override when another hook gets the same name.
 */
export function overrideIn({ overrides }: Pick<HookSettings, "overrides">, { name, baseName }: Named): Override {
  const own = Object.hasOwn(overrides, name) ? overrides[name] : {};
  const base = baseName !== undefined && Object.hasOwn(overrides, baseName) ? overrides[baseName] : {};
  return { ...base, ...own };
}

/** True if the user's settings say that a failure of this hook blocks. */
export const isUserFailClosed = (hook: Named, { user }: Pick<Settings, "user">): boolean =>
  isClosed(overrideIn(user, hook));

const isClosed = ({ fail_open, required }: Override): boolean => fail_open === false || required === true;

/**
 * Merges a project's override of its hook with the user's, which takes precedence key by key. A project cannot disable or
 * mute a hook that the user made fail-closed.
 */
export function projectOverride(hook: Named, project: HookSettings, user: HookSettings): Override {
  const [theirs, ours] = [overrideIn(project, hook), overrideIn(user, hook)];
  if (isClosed(ours)) {
    const { enabled, match, observe, fail_open, output_limit, ...others } = theirs;
    return { enabled: true, ...others, ...ours, fail_open: false };
  }
  // A project may make a deciding hook fail-closed, which is stricter.
  const closed = theirs.fail_open === false && ours.observe !== true ? { fail_open: false } : {};
  return { ...theirs, ...ours, ...closed };
}
