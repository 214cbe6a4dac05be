import type { Settings } from "../../config/settings.ts";
import { nearest } from "../../protocol/nearest.ts";
import type { Warning } from "../../protocol/warning.ts";

/** An override for a hook of another project is fine; one that is nearly a hook's name is a slip that opens a guard. */
export function unmatchedOverrides(names: readonly string[], { projects, user }: Settings): readonly Warning[] {
  const overridden = new Set([...projects, user].flatMap(({ overrides }) => Object.keys(overrides)));
  const stray = [...overridden].filter((name) => !names.includes(name));
  return stray.flatMap((name): readonly Warning[] => {
    const near = nearest(name, names);
    return near === null ? [] : [{ code: "NO_SUCH_OVERRIDE", name, nearest: near }];
  });
}
