import type { JsonObject, JsonSpan } from "../contract/json.ts";
import { editDistance, nearest } from "../contract/nearest.ts";
import { fail, ok, type Result } from "../contract/result.ts";
import type { Warning } from "../contract/warning.ts";
import type { ReplyFault, ReplyKey } from "./dialect.ts";

export interface KnownKey {
  /** As the hook wrote it. */
  readonly written: string;
  readonly value: JsonSpan;
  readonly rows: readonly ReplyKey[];
}

interface Sorted {
  readonly keys: readonly KnownKey[];
  /** The first unknown key that may be meant as a deciding one. */
  readonly misspelt: ReplyFault | null;
  readonly warnings: readonly SpellingWarning[];
}

interface SpellingFault {
  readonly code: "REPLY_DUPLICATE_KEY";
  readonly key: string;
}
type SpellingWarning = Extract<Warning, { code: "UNKNOWN_KEY" | "ODD_CASE" }>;

/** Words by which people say `blocked` when they do not know the key. */
export const SYNONYMS = /block|den(y|ied)|reject|forbid|^allow(ed)?$|^approved?$|veto/;

/** A reply of a megabyte may hold a hundred thousand unknown keys; the first few tell the story. */
const MOST_WARNINGS = 10;

/** Sorts a reply's keys: known, known in odd case, unknown, and so close to a deciding one that it may be a block. */
export function knownKeys(members: JsonObject, table: readonly ReplyKey[]): Result<Sorted, SpellingFault> {
  const keys: KnownKey[] = [];
  const warnings: SpellingWarning[] = [];
  let misspelt: ReplyFault | null = null;
  for (const [written, value] of members) {
    const known = rightSpelling(written, table);
    if (known === null) {
      const close = closeDecidingKey(written, table);
      if (close !== null) misspelt ??= { code: "REPLY_MISSPELT_KEY", key: written, nearest: close };
      if (warnings.length >= MOST_WARNINGS) continue;
      warnings.push({
        code: "UNKNOWN_KEY",
        hook: "",
        key: written,
        nearest: close ?? nearest(written, namesIn(table)),
      });
      continue;
    }
    if (keys.some((other) => other.rows[0]?.key === known)) return fail({ code: "REPLY_DUPLICATE_KEY", key: written });
    if (known !== written && warnings.length < MOST_WARNINGS)
      warnings.push({ code: "ODD_CASE", hook: "", key: written, known });
    keys.push({ written, value, rows: table.filter((row) => row.key === known) });
  }
  return ok({ keys, misspelt, warnings });
}

function rightSpelling(written: string, table: readonly ReplyKey[]): string | null {
  const names = namesIn(table);
  if (names.includes(written)) return written;
  return names.find((name) => name.toLowerCase() === written.toLowerCase()) ?? null;
}

function closeDecidingKey(written: string, table: readonly ReplyKey[]): string | null {
  const word = plain(written);
  if (SYNONYMS.test(word)) return "blocked";
  const deciding = table.filter((row) => row.isDeciding).map((row) => row.key);
  return deciding.find((key) => isClose(word, plain(key))) ?? null;
}

function isClose(word: string, key: string): boolean {
  if (word.length >= 4 && key.startsWith(word)) return true;
  if (Math.abs(word.length - key.length) > 2) return false;
  return editDistance(word, key) <= (key.length >= 7 ? 2 : 1);
}

const namesIn = (table: readonly ReplyKey[]): readonly string[] => table.map((row) => row.key);
const plain = (key: string): string =>
  key
    .slice(0, 64)
    .toLowerCase()
    .replace(/[^a-z]/g, "");
