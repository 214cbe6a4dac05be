import type { JsonRecord } from "./json/write.ts";
import { pluralize } from "./text/count.ts";

/** The parts of a response beside its decision and its change, with their names in reports. */
export const ADDITIONS = {
  context: "context",
  follow_ups: "follow-ups",
  pushes: "pushes",
  system_message: "system message",
  state: "session values",
} as const;
export type AdditionKind = keyof typeof ADDITIONS;
export const ADDITION_KINDS = Object.keys(ADDITIONS) as readonly AdditionKind[];

/** The texts of one kind that a hook added to a run. */
export interface Addition {
  readonly count: number;
  /** The UTF-8 length of the texts, joined by line breaks. */
  readonly bytes: number;
  /** SHA-256 of the same in hex. */
  readonly hash: string;
}
export type Additions = Readonly<Partial<Record<AdditionKind, Addition>>>;

const entriesIn = (added: Additions): readonly (readonly [AdditionKind, Addition])[] =>
  ADDITION_KINDS.flatMap((kind) => {
    const addition = added[kind];
    return addition === undefined ? [] : [[kind, addition]];
  });

export const additionNames = (added: Additions): string =>
  entriesIn(added)
    .map(([kind]) => ADDITIONS[kind])
    .join(", ");

/** `context (2 texts, 120 bytes, 3f2a…)`, with the start of the hash. */
export const additionsText = (added: Additions): string =>
  entriesIn(added)
    .map(([kind, { count, bytes, hash }]) => {
      const size = `${pluralize(count, "text")}, ${pluralize(bytes, "byte")}`;
      return `${ADDITIONS[kind]} (${size}, ${hash.slice(0, 4)}…)`;
    })
    .join(", ");

export const hasAdditions = (added: Additions): boolean => entriesIn(added).length > 0;

/** Undefined, and so left out of the JSON, if a hook added nothing. */
export const additionsJson = (added: Additions): JsonRecord | undefined =>
  hasAdditions(added)
    ? Object.fromEntries(Object.entries(added).map(([kind, addition]) => [kind, { ...addition }]))
    : undefined;
