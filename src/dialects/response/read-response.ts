import { EVENT_ROWS, type EventName } from "../../protocol/event.ts";
import type { Hook } from "../../protocol/hook.ts";
import { EMPTY_RESPONSE, type HookResponse, NO_PATCH } from "../../protocol/hook-response.ts";
import {
  JSON_DEPTH,
  type JsonFault,
  type JsonSpan,
  readJson,
  readJsonLenient,
  stringOf,
} from "../../protocol/json/read.ts";
import type { ReplyProblem } from "../../protocol/problem.ts";
import { fail, ok, type Result } from "../../protocol/result.ts";
import { decodeUtf8Lossy } from "../../protocol/text/text.ts";
import type { Warning } from "../../protocol/warning.ts";
import type { ResponsePart, UnreadKey } from "../dialect.ts";
import { DIALECTS, RESPONSE_KEYS } from "../dialects.ts";
import { findObjects } from "./find-objects.ts";
import { closeDecidingKey, looksLikeBlock, MAX_KEY_WARNINGS, type ResponseLevel, sortKeys } from "./key-spelling.ts";
import { mergeParts, readKeys } from "./response-keys.ts";

/** The dialect decides whether null is a new value; without a dialect it is not. */
type RespondingHook = Pick<Hook, "name" | "path"> & Partial<Pick<Hook, "dialect">>;
type HookPath = { readonly hook: string; readonly path: string };

const TOP: ResponseLevel = {
  path: "",
  rows: RESPONSE_KEYS,
  isOpen: false,
  closeTo: (written) => closeDecidingKey(written, RESPONSE_KEYS),
};

/**
 * Reads a response from a hook's stdout; null if it is empty. Every readable part counts: the response is invalid only
 * if nothing meaningful is left. Never throws.
 */
export function readResponse(
  hook: RespondingHook,
  event: EventName,
  stdout: Uint8Array,
): Result<HookResponse | null, ReplyProblem> {
  const at = { hook: hook.name, path: hook.path };
  const { text, isUtf8 } = decodeUtf8Lossy(stdout);
  if (text.trim() === "") return ok(null);
  const nullReplaces = hook.dialect !== undefined && DIALECTS[hook.dialect].nullReplaces === true;
  const read = readText({ text, isUtf8, event, nullReplaces });
  if (read.kind === "empty") return ok(null);
  if (read.kind === "not-object") return fail({ code: "REPLY_NOT_OBJECT", ...at, found: read.found });
  const reply = toResponse(read.part, at);
  if (!reply.ok || isUtf8) return reply;
  return ok({ ...reply.value, warnings: [{ code: "NOT_UTF8", hook: at.hook }, ...reply.value.warnings] });
}

/** Everything that the meaning of a response depends on. */
interface Printed {
  readonly text: string;
  readonly isUtf8: boolean;
  readonly event: EventName;
  readonly nullReplaces: boolean;
}

type ReadText =
  | { readonly kind: "empty" }
  | { readonly kind: "not-object"; readonly found: JsonSpan["kind"] }
  | { readonly kind: "part"; readonly part: ResponsePart };

const MAX_KEPT = 256;
let last: (Printed & { readonly read: ReadText }) | null = null;

/** The hooks of a chain often answer the same, so the last short answer is not read again. */
function readText(printed: Printed): ReadText {
  const { text, isUtf8, event, nullReplaces } = printed;
  const isSame = last?.text === text && last.isUtf8 === isUtf8 && last.event === event;
  if (last !== null && isSame && last.nullReplaces === nullReplaces) return last.read;
  const read = readAnew(printed);
  if (text.length <= MAX_KEPT) last = { ...printed, read };
  return read;
}

function readAnew({ text, isUtf8, event, nullReplaces }: Printed): ReadText {
  const whole = readJson(text, JSON_DEPTH);
  if (whole.ok && isEmptyResponse(whole.value)) return { kind: "empty" };
  if (whole.ok && whole.value.kind !== "object") return { kind: "not-object", found: whole.value.kind };
  const { objects, isWhole } = findObjects(text);
  // If other text surrounds the response, unknown keys are not reported.
  const reading = { level: isWhole ? TOP : { ...TOP, isOpen: true }, row: EVENT_ROWS[event], event, nullReplaces };
  const merged = mergeParts(objects.map((members) => readKeys(members, reading)));
  const broken = isWhole || whole.ok ? [] : [{ fault: jsonFault(whole.error, text, isUtf8), loss: "guard" } as const];
  const part = { ...merged, unread: [...broken, ...(merged.unread ?? [])] };
  return { kind: "part", part: whole.ok ? part : withLastValues(part) };
}

/** `null` in any dialect, and AgentHook's bare `"Continue"`. */
const isEmptyResponse = (value: JsonSpan): boolean =>
  value.kind === "null" || (value.kind === "string" && stringOf(value) === "Continue");

/**
 * The response from everything that could be read, with warnings about the rest. If the rest may be a block, an ask or a
 * change, `allow` is dropped and a fail-closed hook blocks (`possibleBlock`). If nothing is left, the response is invalid.
 */
function toResponse({ unread = [], isOutOfPlace: _side, isRead, decides, ...merged }: ResponsePart, at: HookPath) {
  const reply: HookResponse = {
    ...EMPTY_RESPONSE,
    ...merged,
    followUps: (merged.followUps ?? []).filter((text) => text !== ""),
  };
  const dropped: readonly Warning[] =
    reply.followUps.length < (merged.followUps ?? []).length ? [{ code: "EMPTY_FOLLOW_UP", hook: at.hook }] : [];
  const doubtful = unread.find(({ loss }) => loss === "guard");
  const undecided = unread.find(({ loss }) => loss === "decision");
  const warnings = [...withHookName(reply.warnings, at.hook), ...dropped];
  const ignored = (which: readonly UnreadKey[]): HookResponse => ({
    ...reply,
    warnings: [...warnings, ...ignoredWarnings(which, at.hook)],
  });
  if (reply.decision === "block") return ok(ignored(unread));
  if (doubtful !== undefined) {
    if (!hasEffect(reply)) return fail({ ...at, ...doubtful.fault });
    const decision = reply.decision === "ask" ? "ask" : "none";
    const others = ignored(unread.filter((one) => one !== doubtful));
    return ok({ ...others, decision, possibleBlock: { ...at, ...doubtful.fault } } satisfies HookResponse);
  }
  if (undecided !== undefined && !decides && !hasEffect(reply)) return fail({ ...at, ...undecided.fault });
  const [first] = unread;
  return first === undefined || isRead ? ok(ignored(unread)) : fail({ ...at, ...first.fault });
}

/** True if the response has an effect other than allowing. */
const hasEffect = ({ decision, change, context, followUps, pushes, state }: HookResponse): boolean =>
  decision === "ask" ||
  change !== null ||
  state !== null ||
  [context, followUps, pushes].some(({ length }) => length > 0);

const withHookName = (warnings: readonly Warning[], hook: string): readonly Warning[] =>
  warnings.map((warning) => ("hook" in warning ? { ...warning, hook } : warning));

/** A misspelt key has its own warning already. */
const ignoredWarnings = (unread: readonly UnreadKey[], hook: string): readonly Warning[] =>
  unread.slice(0, MAX_KEY_WARNINGS).flatMap(({ fault }): readonly Warning[] => {
    if (fault.code === "REPLY_MISSPELT_KEY") return [];
    if (fault.code !== "REPLY_WRONG_TYPE") return [{ code: "RESPONSE_BROKEN", hook, detail: faultDetail(fault) }];
    const { key, expected, found } = fault;
    return [{ code: "KEY_IGNORED", hook, key, expected, found }];
  });

const faultDetail = (fault: UnreadKey["fault"]): string => ("detail" in fault ? fault.detail : "it is not UTF-8");

/** In values that are passed on, the last of duplicate keys wins. */
function withLastValues(part: ResponsePart): ResponsePart {
  const { change, metadata, pushes = [], state } = part;
  const [changed, kept] = [change ?? null, metadata ?? null].map((raw) => (raw === null ? null : lastValues(raw)));
  const set = state == null ? null : [...state.set].flatMap(([key, raw]) => [[key, lastValues(raw)] as const]);
  return {
    ...part,
    change: changed ?? null,
    metadata: kept ?? null,
    pushes: pushes.flatMap((raw) => lastValues(raw) ?? []),
    ...(set === null ? {} : { state: { ...NO_PATCH, ...state, set: new Map(set.filter(isThere)) } }),
  };
}

const isThere = (entry: readonly [string, string | null]): entry is readonly [string, string] => entry[1] !== null;

function lastValues(raw: string): string | null {
  const read = readJsonLenient(raw);
  return read.ok ? read.value.raw : null;
}

/** The fault of a text that is not one JSON object. */
export function jsonFault(fault: JsonFault, text: string, isUtf8: boolean): UnreadKey["fault"] {
  if (!isUtf8) return { code: "REPLY_NOT_UTF8" };
  if (fault.kind === "too-deep") return { code: "REPLY_TOO_DEEP", detail: fault.detail };
  const line = text.split("\n", fault.line)[fault.line - 1] ?? "";
  return { code: "REPLY_NOT_JSON", line: fault.line, detail: fault.detail, text: line };
}

/** True if the text contains a response or a possible block. Any other text is plain. */
export const mayHoldResponse = (text: string): boolean =>
  looksLikeBlock(text) || findObjects(text).objects.some((members) => sortKeys(members, TOP).keys.length > 0);
