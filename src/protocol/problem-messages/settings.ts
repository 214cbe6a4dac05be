import { didYouMean } from "../text/nearest.ts";
import { shellQuote } from "../text/shell-quote.ts";
import { truncate } from "../text/text.ts";
import type { ProblemRows, Texts, UnionOf, Words } from "./row.ts";

/** `file` is the path of the settings file, `entry` the key in it: `overrides.guard.timeout`. */
export const CONFIG_ROWS = {
  CONFIG_NOT_READABLE: ({ file, cause }: Texts<"file" | "cause">) => [
    `${file} cannot be read: ${cause}`,
    "Check its path and permissions.",
  ],
  CONFIG_NOT_PARSED: ({ file, cause }: Texts<"file" | "cause">) => [
    `${file} cannot be parsed: ${cause}`,
    "Settings are JSON or YAML.",
  ],
  CONFIG_UNKNOWN_KEY: ({ file, entry, key, nearest }: Texts<"file" | "entry" | "key"> & { nearest: string | null }) => [
    `${file}: unknown key "${truncate(key, 60)}" in ${entry}${didYouMean(nearest)}`,
    "Remove it, or correct the name.",
  ],
  CONFIG_BAD_VALUE: ({ file, entry, detail }: Texts<"file" | "entry" | "detail">) => [
    `${file}: ${entry} is not valid: ${detail}`,
    "All keys: docs/configuration.md",
  ],
  CONFIG_TEMPLATE: ({ file, entry, cause }: Texts<"file" | "entry" | "cause">) => [
    `${file}: the template in ${entry} cannot be compiled: ${truncate(cause, 200)}`,
    "Templates are Jinja2: docs/templates.md",
  ],
  /** `userFile` is the user's settings file, or the path that it would have. */
  CONFIG_USER_ONLY: ({ file, entry, userFile }: Texts<"file" | "entry" | "userFile">) => [
    `${file}: ${entry} is only allowed in your user settings`,
    `Move it to ${userFile}`,
  ],
  CONFIG_SECOND_FILE: ({ file, second }: Texts<"file" | "second">) => [
    `two settings files: ${file} and ${second}, and only one is allowed`,
    `Move everything to one of them and delete the other. See both: ls -l ${shellQuote(file)} ${shellQuote(second)}`,
  ],
  CONFIG_CONTRADICTION: ({ file, entry, detail }: Texts<"file" | "entry" | "detail">) => [
    `${file}: ${entry}: ${detail}`,
    "Choose one of the two.",
  ],
} as const satisfies ProblemRows;
export type ConfigProblem = UnionOf<typeof CONFIG_ROWS>;

export const configWords = (problem: ConfigProblem): Words =>
  (CONFIG_ROWS[problem.code] as (problem: ConfigProblem) => Words)(problem);

/** A file with test cases. */
interface CaseFile {
  readonly file: string;
  /** Counts from 1. */
  readonly line: number | null;
}
/** A key in the file: `cases[1].expect`. */
type CasePlace = CaseFile & Texts<"place">;

export const CASE_ROWS = {
  CASE_NOT_READABLE: ({ cause, ...at }: CaseFile & Texts<"cause">) => [
    `${casesIn(at)} cannot be read: ${cause}`,
    "Check its path and permissions.",
  ],
  CASE_NOT_WRITTEN: ({ file, cause }: CaseFile & Texts<"cause">) => [
    `The snapshots in ${file} cannot be written: ${cause}`,
    "Check its path and permissions.",
  ],
  CASE_NOT_PARSED: ({ cause, ...at }: CaseFile & Texts<"cause">) => [
    `${casesIn(at)} cannot be parsed: ${cause}`,
    "Test cases are JSON or YAML.",
  ],
  CASE_UNKNOWN_KEY: ({ place, key, nearest, ...at }: CasePlace & Texts<"key"> & { nearest: string | null }) => [
    `${casesIn(at)}: unknown key "${truncate(key, 60)}" in ${place}${didYouMean(nearest)}`,
    "Remove it, or correct the name.",
  ],
  CASE_BAD_VALUE: ({ place, detail, ...at }: CasePlace & Texts<"detail">) => [
    `${casesIn(at)}: ${place} is not valid: ${detail}`,
    "All keys of a test case: hookctl schema case",
  ],
  CASE_UNKNOWN_HOOK: ({ kind, hook, nearest, ...at }: CaseFile & UnknownHook) => [
    `${casesIn(at)}: there is no ${kind} ${hook}${didYouMean(nearest)}`,
    "Correct the name, or delete the test cases.",
  ],
} as const satisfies ProblemRows;
export type CaseProblem = UnionOf<typeof CASE_ROWS>;

interface UnknownHook {
  readonly kind: "hook" | "rule";
  readonly hook: string;
  readonly nearest: string | null;
}

const casesIn = ({ file, line }: CaseFile): string => `Test cases in ${file}${line === null ? "" : `:${line}`}`;
