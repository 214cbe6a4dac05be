import type { DialectName, EventName, EventRow } from "../protocol/event.ts";
import type { FieldKind } from "../protocol/field.ts";
import type { HookResponse } from "../protocol/hook-response.ts";
import type { JsonObject, JsonSpan } from "../protocol/json/read.ts";
import type { JsonValue } from "../protocol/json/write.ts";
import type { Payload } from "../protocol/payload.ts";
import type { Problem } from "../protocol/problem.ts";
import type { Result } from "../protocol/result.ts";
import type { Verdict } from "../protocol/verdict.ts";

/** One wire format: four conversions, each a table or one expression. A new dialect is a new file with these. */
export interface Dialect {
  readonly name: DialectName;
  /** Payload in: where the kodelet fields stand in this dialect's envelope. `mark` is the key that gives it away. */
  readonly envelope: {
    readonly mark: string | null;
    readonly fields: Readonly<Record<string, (members: JsonObject) => JsonSpan | undefined>>;
    /** What stands at a path of it must be, so that a fault is named as the caller sent it. */
    readonly kinds: Readonly<Record<string, FieldKind>>;
  };
  /** Which of `added` say a field of ours in other words: theirs -> ours. The names of `fieldNames` are such too. */
  readonly aliases: Readonly<Record<string, string>>;
  /** Which of `added` are objects that keep what else the caller put into them. */
  readonly mergedObjects?: readonly string[];
  /** Payload out: what a hook of this dialect gets beside the kodelet fields. */
  readonly extraFields: Readonly<Record<string, (payload: Payload, moment: EnvelopeExtras) => JsonValue | undefined>>;
  /** Payload out: what the agent of this dialect sent itself. A hook gets it as it came where neither we nor `added` say it. */
  readonly passThrough?: (payload: Payload) => JsonObject;
  /** Values in a sample payload for a hook of this dialect, beside those of the event's fields. */
  readonly sample?: Readonly<Record<string, JsonValue>>;
  /** Members that are called otherwise there; undefined: this one is not. */
  readonly overrides?: Readonly<Record<string, (payload: Payload) => JsonValue | undefined>>;
  /** Reply in: does a new value of null replace? Elsewhere null means that nothing is said. */
  readonly nullReplaces?: true;
  /** Reply in: the keys it gives a meaning to. */
  readonly responseKeys: readonly ResponseKey[];
  /** Reply in, where more than JSON at exit 0 has a meaning. Null: this end means what it means for every hook. */
  readonly readExit?: (ended: ProcessExit, event: EventName, said: () => ParsedResponse) => ParsedResponse | null;
  /** Verdict out. */
  readonly formatVerdict: (verdict: Verdict) => JsonValue;
}

/** How a process ended, and what it left. */
export interface ProcessExit {
  /** Null: it did not end by itself. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Is stdout valid text in which nothing is a response, or may be one? */
  readonly isPlainText: () => boolean;
}
export type ParsedResponse = Result<HookResponse | null, Problem>;

/** The little that is not in the payload. */
export interface EnvelopeExtras {
  readonly isoTime: string;
  /** Asked only for a hook whose dialect tells it. */
  readonly checkout: () => { readonly repository: string | null; readonly branch: string | null };
}

/** What one key of a response contributes to its meaning. */
export type ResponsePart = Partial<Omit<HookResponse, "possibleBlock">> & {
  /** The key names a change, but this event has no such side. */
  readonly isOutOfPlace?: boolean;
  /** What of it cannot be read. */
  readonly unread?: readonly UnreadKey[];
  /** At least one of its keys could be read. */
  readonly isRead?: boolean;
  /** At least one of its deciding keys could be read. */
  readonly decides?: boolean;
};

/** Something in a response that cannot be read. */
export interface UnreadKey {
  readonly fault: ResponseFault;
  readonly loss: Loss;
}

/**
 * What may be lost with it: a `detail`; a `decision`, although nothing in it sounds like a block; or a `guard`, which is
 * a block, a question or a changed value.
 */
export type Loss = "detail" | "decision" | "guard";

/** What is wrong with a reply, without the hook that gave it. */
export type ResponseFault =
  | { readonly code: "REPLY_NOT_UTF8" }
  | { readonly code: "REPLY_NOT_JSON"; readonly line: number; readonly detail: string; readonly text: string }
  | { readonly code: "REPLY_TOO_DEEP"; readonly detail: string }
  | { readonly code: "REPLY_MISSPELT_KEY"; readonly key: string; readonly nearest: string }
  | { readonly code: "REPLY_WRONG_TYPE"; readonly key: string; readonly wanted: string; readonly found: string };

export interface ResponseKey {
  readonly key: string;
  /** A misspelling of it may be a lost block. */
  readonly isDeciding: boolean;
  /** The key itself is the decision: `null` does not mean "unchanged", it is a value of the wrong type. */
  readonly isTag?: boolean;
  /** In the dialect that has this key, `null` is a value like any other. */
  readonly takesNull?: true;
  /** It carries a new value. */
  readonly isValue?: true;
  /** What the value must be, in words. */
  readonly wanted: string;
  /** Null: the value is of the wrong type. */
  readonly read: (value: JsonSpan, row: EventRow, members: JsonObject, event: EventName) => ResponsePart | null;
}
