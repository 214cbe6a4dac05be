import { NESTED_LEVELS } from "./claude-keys.ts";
import type { ResponseKey } from "./dialect.ts";
import { RESPONSE_KEYS } from "./dialects.ts";
import { closeDecidingKey } from "./key-spelling.ts";

/**
 * Does a key of a response decide or carry a new value, or may it be meant as one that does? A path such as
 * `hookSpecificOutput.permissionDecision` names a key inside of another one.
 */
export function mayDecide(path: string): boolean {
  const nested = NESTED_LEVELS.find(({ path: before }) => lowerCase(path).startsWith(lowerCase(before)));
  if (nested !== undefined) {
    const key = path.slice(nested.path.length);
    return isKnown(key, nested.rows) ? decides(key, nested.rows) : nested.closeTo(key) !== null;
  }
  // A member of a new value decides nothing, whatever it is called.
  if (path.includes(".")) return false;
  return isKnown(path, RESPONSE_KEYS) ? decides(path, RESPONSE_KEYS) : closeDecidingKey(path, RESPONSE_KEYS) !== null;
}

const lowerCase = (text: string): string => text.slice(0, 64).toLowerCase();

const rowsForKey = (key: string, rows: readonly ResponseKey[]): readonly ResponseKey[] =>
  rows.filter((row) => lowerCase(row.key) === lowerCase(key));
const isKnown = (key: string, rows: readonly ResponseKey[]): boolean => rowsForKey(key, rows).length > 0;
const decides = (key: string, rows: readonly ResponseKey[]): boolean =>
  rowsForKey(key, rows).some((row) => row.isDeciding || row.isValue === true);
