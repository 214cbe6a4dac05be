import { NESTED_LEVELS } from "./claude-keys.ts";
import type { ReplyKey } from "./dialect.ts";
import { REPLY_KEYS } from "./dialects.ts";
import { closeDecidingKey } from "./key-spelling.ts";

/**
 * Does a key of a response decide or carry a new value, or may it be meant as one that does? A path such as
 * `hookSpecificOutput.permissionDecision` names a key inside of another one.
 */
export function isDecisive(path: string): boolean {
  const nested = NESTED_LEVELS.find(({ path: before }) => inSmall(path).startsWith(inSmall(before)));
  if (nested !== undefined) {
    const key = path.slice(nested.path.length);
    return isKnown(key, nested.rows) ? decides(key, nested.rows) : nested.closeTo(key) !== null;
  }
  // A member of a new value decides nothing, whatever it is called.
  if (path.includes(".")) return false;
  return isKnown(path, REPLY_KEYS) ? decides(path, REPLY_KEYS) : closeDecidingKey(path, REPLY_KEYS) !== null;
}

const inSmall = (text: string): string => text.slice(0, 64).toLowerCase();

const rowsOf = (key: string, rows: readonly ReplyKey[]): readonly ReplyKey[] =>
  rows.filter((row) => inSmall(row.key) === inSmall(key));
const isKnown = (key: string, rows: readonly ReplyKey[]): boolean => rowsOf(key, rows).length > 0;
const decides = (key: string, rows: readonly ReplyKey[]): boolean =>
  rowsOf(key, rows).some((row) => row.isDeciding || row.isValue === true);
