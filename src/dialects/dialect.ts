import type { DialectName, EventName, EventRow } from "../protocol/event.ts";
import type { HookResponse } from "../protocol/hook-response.ts";
import type { JsonObject, JsonSpan } from "../protocol/json/read.ts";
import type { JsonValue } from "../protocol/json/write.ts";
import type { FieldKind } from "../protocol/payload/field.ts";
import type { Payload } from "../protocol/payload/payload.ts";
import type { Problem } from "../protocol/problem.ts";
import type { Result } from "../protocol/result.ts";
import type { Verdict } from "../protocol/verdict.ts";
import type { DialectTools } from "./tools/dialect-call.ts";

/** A wire format as four conversions, each a table or a small function. A new dialect is a new file with these. */
export interface Dialect {
  readonly name: DialectName;
  /**
   * Payload in: how hookctl's fields are read from the dialect's envelope. `mark` is the key that identifies the
   * dialect.
   */
  readonly envelope: {
    readonly mark: string | null;
    readonly fields: Readonly<Record<string, (members: JsonObject) => JsonSpan | undefined>>;
    /** The types at its paths, so that an error names the path as the caller sent it. */
    readonly kinds: Readonly<Record<string, FieldKind>>;
  };
  /** Names of `extraFields` that are aliases of hookctl's fields, in addition to those in `fieldNames`. */
  readonly aliases: Readonly<Record<string, string>>;
  /** Which of `extraFields` are merged with the object that the caller sent. */
  readonly mergedObjects?: readonly string[];
  /** Payload out: the fields that a hook gets in addition to hookctl's own. */
  readonly extraFields: Readonly<Record<string, (payload: Payload, moment: EnvelopeExtras) => JsonValue | undefined>>;
  /** Payload out: fields that the dialect's agent sent, passed on unless hookctl or `extraFields` set them. */
  readonly passThrough?: (payload: Payload) => JsonObject;
  /** Additional values in a sample payload. */
  readonly sample?: Readonly<Record<string, JsonValue>>;
  /** The dialect's names of tools and arguments; absent: its hooks get the portable names. */
  readonly tools?: DialectTools;
  /** Payload out: fields whose value differs in this dialect; undefined keeps the value. */
  readonly overrides?: Readonly<Record<string, (payload: Payload) => JsonValue | undefined>>;
  /** Response in: a new value of null replaces the old one. In other dialects null means "unchanged". */
  readonly nullReplaces?: true;
  /** Response in: the keys that have a meaning. */
  readonly responseKeys: readonly ResponseKey[];
  /** Response in: the meaning of exit codes and plain text; null if they have the default meaning. */
  readonly readExit?: (ended: ProcessExit, event: EventName, readStdout: () => ParsedResponse) => ParsedResponse | null;
  /** Verdict out. */
  readonly formatVerdict: (verdict: Verdict) => JsonValue;
}

/** The exit and output of a process. */
export interface ProcessExit {
  /** Null if the process was killed. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** True if stdout is plain text that contains no response and no possible block. */
  readonly isPlainText: () => boolean;
}
export type ParsedResponse = Result<HookResponse | null, Problem>;

/** Values of an envelope that are not in the payload. */
export interface EnvelopeExtras {
  readonly isoTime: string;
  /** Called only for a dialect that sends it. */
  readonly checkout: () => { readonly repository: string | null; readonly branch: string | null };
}

/** The meaning of one or more keys of a response. */
export type ResponsePart = Partial<Omit<HookResponse, "possibleBlock">> & {
  /** The key is a change that this event does not have. */
  readonly isOutOfPlace?: boolean;
  /** The keys that cannot be read. */
  readonly unread?: readonly UnreadKey[];
  /** True if at least one key could be read. */
  readonly isRead?: boolean;
  /** True if at least one deciding key could be read. */
  readonly decides?: boolean;
};

/** A part of a response that cannot be read. */
export interface UnreadKey {
  readonly fault: ResponseFault;
  readonly loss: Loss;
}

/**
 * What may be lost: a `detail`; a `decision` that does not look like a block; or a `guard`: a block, an ask or a
 * changed value.
 */
export type Loss = "detail" | "decision" | "guard";

/** A fault of a response, without the name of its hook. */
export type ResponseFault =
  | { readonly code: "REPLY_NOT_UTF8" }
  | { readonly code: "REPLY_NOT_JSON"; readonly line: number; readonly detail: string; readonly text: string }
  | { readonly code: "REPLY_TOO_DEEP"; readonly detail: string }
  | { readonly code: "REPLY_MISSPELT_KEY"; readonly key: string; readonly nearest: string }
  | { readonly code: "REPLY_WRONG_TYPE"; readonly key: string; readonly expected: string; readonly found: string };

export interface ResponseKey {
  readonly key: string;
  /** True if a misspelling of the key may be a lost block. */
  readonly isDeciding: boolean;
  /** The key itself is the decision, so `null` is a wrong type and does not mean "unchanged". */
  readonly isTag?: boolean;
  /** `null` is a new value in the key's dialect. */
  readonly takesNull?: true;
  /** True if it contains a new value. */
  readonly isValue?: true;
  /** A description of the expected value. */
  readonly expected: string;
  /** Returns null if the value has the wrong type. */
  readonly read: (value: JsonSpan, row: EventRow, members: JsonObject, event: EventName) => ResponsePart | null;
}
