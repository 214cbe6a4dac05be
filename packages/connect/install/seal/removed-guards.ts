import { parseText } from "../../../../src/config/parse-file.ts";
import { checkConfig } from "../../../../src/config/schema/check-config.ts";
import type { HostProblem } from "../../../../src/protocol/problem.ts";
import { guardsIn } from "../../../../src/trust/store/last-known-guards.ts";
import { acceptDropped, type GuardStore } from "./dropped-guards.ts";

/** The user's settings file before and after a command has written it; null for a file that does not exist. */
export interface WrittenSettings {
  readonly file: string;
  readonly before: string | null;
  readonly after: string | null;
}

/**
 * Forgets the guards that a command of hookctl has just removed from the user's settings, so that no call misses them. What
 * the file lacked before stays missed: the command did not remove it.
 */
export function acceptRemoved({ file, before, after }: WrittenSettings, store: GuardStore): HostProblem | null {
  const held = guardsOf(after, file);
  const removed = guardsOf(before, file).flatMap((name) => (held.includes(name) ? [] : [{ file, name }]));
  return removed.length === 0 ? null : acceptDropped(removed, store);
}

/** None in a text that cannot be used: nothing was recorded of it. */
function guardsOf(text: string | null, file: string): readonly string[] {
  const parsed = parseText(text ?? "", file);
  const checked = parsed.ok ? checkConfig(parsed.value, file, "user") : parsed;
  if (!checked.ok) return [];
  const { hooks: entries, ...settings } = checked.value;
  return guardsIn({ ...settings, entries });
}
