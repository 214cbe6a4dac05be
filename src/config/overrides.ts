import type { Candidate } from "../protocol/hook.ts";
import type { Override } from "../protocol/settings.ts";
import type { HookSettings, Settings } from "./settings.ts";

type Named = Pick<Candidate, "name" | "baseName">;

/**
 * What settings say about one hook. Settings for `guard` count for the guards of that name in all project folders, key by key
 * after those for the one that is called `web/guard`: a hook must not get out of its settings because of another one's name.
 */
export function overrideIn({ overrides }: Pick<HookSettings, "overrides">, { name, baseName }: Named): Override {
  const own = Object.hasOwn(overrides, name) ? overrides[name] : {};
  const base = baseName !== undefined && Object.hasOwn(overrides, baseName) ? overrides[baseName] : {};
  return { ...base, ...own };
}

/** Did the user say that a failure of this hook blocks? */
export const isUserFailClosed = (hook: Named, { user }: Pick<Settings, "user">): boolean =>
  isClosed(overrideIn(user, hook));

const isClosed = ({ fail_open, required }: Override): boolean => fail_open === false || required === true;

/**
 * What a project's settings and the user's together say about a hook of the project. Key by key the user's go first.
 * Whether a hook that the user closed is invoked and heard, no project decides.
 */
export function projectOverride(hook: Named, project: HookSettings, user: HookSettings): Override {
  const [theirs, ours] = [overrideIn(project, hook), overrideIn(user, hook)];
  if (isClosed(ours)) {
    const { enabled, match, observe, fail_open, output_limit, ...others } = theirs;
    return { enabled: true, ...others, ...ours, fail_open: false };
  }
  // To close a hook that decides is to ask for more, which a project may.
  const closed = theirs.fail_open === false && ours.observe !== true ? { fail_open: false } : {};
  return { ...theirs, ...ours, ...closed };
}
