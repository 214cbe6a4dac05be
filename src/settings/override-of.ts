import type { Override } from "../contract/config.ts";
import type { Candidate } from "../contract/hook.ts";
import type { HookSettings } from "./settings.ts";

/**
 * What settings say about one hook. Settings for `guard` count for the guards of that name in all project folders, key by key
 * after those for the one that is called `web/guard`: a hook must not get out of its settings because of another one's name.
 */
export function overrideOf(
  { overrides }: HookSettings,
  { name, baseName }: Pick<Candidate, "name" | "baseName">,
): Override {
  const own = overrides[name] ?? {};
  return baseName === undefined ? own : { ...overrides[baseName], ...own };
}
