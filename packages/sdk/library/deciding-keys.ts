import type { ResponseKey } from "../../../src/dialects/dialect.ts";
import { RESPONSE_KEYS } from "../../../src/dialects/dialects.ts";
import { NESTED_LEVELS } from "../../../src/dialects/response/claude-keys.ts";
import { closeDecidingKey } from "../../../src/dialects/response/key-spelling.ts";

/**
 * True if a response key decides or has a new value, or may be a misspelling of such a key. The path
 * `hookSpecificOutput.permissionDecision` names a nested key.
 */
export function mayDecide(path: string): boolean {
  const nested = NESTED_LEVELS.find(({ path: before }) => lowerCase(path).startsWith(lowerCase(before)));
  if (nested !== undefined) {
    const key = path.slice(nested.path.length);
    return isKnown(key, nested.rows) ? decides(key, nested.rows) : nested.closeTo(key) !== null;
  }
  // A key inside a new value never decides.
  if (path.includes(".")) return false;
  return isKnown(path, RESPONSE_KEYS) ? decides(path, RESPONSE_KEYS) : closeDecidingKey(path, RESPONSE_KEYS) !== null;
}

const lowerCase = (text: string): string => text.slice(0, 64).toLowerCase();

const rowsForKey = (key: string, rows: readonly ResponseKey[]): readonly ResponseKey[] =>
  rows.filter((row) => lowerCase(row.key) === lowerCase(key));
const isKnown = (key: string, rows: readonly ResponseKey[]): boolean => rowsForKey(key, rows).length > 0;
const decides = (key: string, rows: readonly ResponseKey[]): boolean =>
  rowsForKey(key, rows).some((row) => row.isDeciding || row.isValue === true);
