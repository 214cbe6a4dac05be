import { EVENT_ROWS, type EventName } from "../../protocol/event.ts";
import type { Hook } from "../../protocol/hook.ts";
import { EMPTY_RESPONSE, type HookResponse } from "../../protocol/hook-response.ts";
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
 * Reads a response from a hook's stdout; null if it is empty. Every readable part is used: the response is invalid only
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
  const whole = readJson(text, JSON_DEPTH);
  if (whole.ok && isEmptyResponse(whole.value)) return ok(null);
  if (whole.ok && whole.value.kind !== "object")
    return fail({ code: "REPLY_NOT_OBJECT", ...at, found: whole.value.kind });
  const { objects, isWhole } = findObjects(text);
  // If other text surrounds the response, unknown keys are not reported.
  const level = isWhole ? TOP : { ...TOP, isOpen: true };
  const nullReplaces = hook.dialect !== undefined && DIALECTS[hook.dialect].nullReplaces === true;
  const reading = { level, row: EVENT_ROWS[event], event, nullReplaces };
  const merged = mergeParts(objects.map((members) => readKeys(members, reading)));
  const broken = isWhole || whole.ok ? [] : [{ fault: jsonFault(whole.error, text, isUtf8), loss: "guard" } as const];
  const part = { ...merged, unread: [...broken, ...(merged.unread ?? [])] };
  const response = toResponse(whole.ok ? part : withLastValues(part), at);
  if (!response.ok || isUtf8) return response;
  return ok({ ...response.value, warnings: [{ code: "NOT_UTF8", hook: at.hook }, ...response.value.warnings] });
}

/** `null` in any dialect, and AgentHook's bare `"Continue"`. */
const isEmptyResponse = (value: JsonSpan): boolean =>
  value.kind === "null" || (value.kind === "string" && stringOf(value) === "Continue");

/**
 * The response from everything that could be read, with warnings about the rest. If the rest may be a block, an ask or a
 * change, `allow` is dropped and a fail-closed hook blocks (`possibleBlock`). If nothing is left, the response is invalid.
 */
function toResponse({ unread = [], isOutOfPlace: _side, isRead, decides, ...merged }: ResponsePart, at: HookPath) {
  const followUps = (merged.followUps ?? []).filter((text) => text !== "");
  const reply: HookResponse = { ...EMPTY_RESPONSE, ...merged, followUps };
  const isDropped = followUps.length < (merged.followUps ?? []).length;
  const warnings = [
    ...withHookName(reply.warnings, at.hook),
    ...(isDropped ? [{ code: "EMPTY_FOLLOW_UP", hook: at.hook } as const] : []),
  ];
  const without = (ignored: readonly UnreadKey[]): HookResponse => ({
    ...reply,
    warnings: [...warnings, ...ignoredWarnings(ignored, at.hook)],
  });
  if (reply.decision === "block") return ok(without(unread));
  const doubtful = unread.find(({ loss }) => loss === "guard");
  if (doubtful !== undefined) {
    const problem = { ...at, ...doubtful.fault };
    if (!hasEffect(reply)) return fail(problem);
    const decision = reply.decision === "ask" ? "ask" : "none";
    const others = without(unread.filter((one) => one !== doubtful));
    return ok({ ...others, decision, possibleBlock: problem } satisfies HookResponse);
  }
  const undecided = unread.find(({ loss }) => loss === "decision");
  if (undecided !== undefined && !decides && !hasEffect(reply)) return fail({ ...at, ...undecided.fault });
  const [first] = unread;
  return first === undefined || isRead ? ok(without(unread)) : fail({ ...at, ...first.fault });
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
  const set = [...(state?.set ?? [])].flatMap(([key, raw]) => {
    const value = lastValues(raw);
    return value === null ? [] : [[key, value] as const];
  });
  return {
    ...part,
    change: lastValues(change),
    metadata: lastValues(metadata),
    pushes: pushes.flatMap((raw) => lastValues(raw) ?? []),
    ...(state == null ? {} : { state: { ...state, set: new Map(set) } }),
  };
}

function lastValues(raw: string | null | undefined): string | null {
  const read = raw == null ? null : readJsonLenient(raw);
  return read?.ok ? read.value.raw : null;
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
