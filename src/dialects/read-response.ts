import { type EventName, eventRow } from "../protocol/event.ts";
import type { Hook } from "../protocol/hook.ts";
import { EMPTY_RESPONSE, type HookResponse, NO_PATCH } from "../protocol/hook-response.ts";
import {
  JSON_DEPTH,
  type JsonFault,
  type JsonSpan,
  readJson,
  readJsonLenient,
  stringOf,
} from "../protocol/json/read.ts";
import type { ReplyProblem } from "../protocol/problem.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import { decodeUtf8Lossy } from "../protocol/text.ts";
import type { Warning } from "../protocol/warning.ts";
import { looksLikeBlock } from "./blocking-words.ts";
import type { ReplyPart, Unread } from "./dialect.ts";
import { DIALECTS, REPLY_KEYS } from "./dialects.ts";
import { objectsIn } from "./find-objects.ts";
import { closeDecidingKey, type Level, MOST_WARNINGS, sortedKeys } from "./key-spelling.ts";
import { joined, readMembers } from "./read-keys.ts";

/** The dialect says whether null is a new value; without one it is not. */
type Speaker = Pick<Hook, "name" | "path"> & Partial<Pick<Hook, "dialect">>;
type At = { readonly hook: string; readonly path: string };

const TOP: Level = {
  path: "",
  rows: REPLY_KEYS,
  isOpen: false,
  closeTo: (written) => closeDecidingKey(written, REPLY_KEYS),
};

/**
 * stdout of a hook -> what it said; null when it said nothing. Whatever can be read counts, and what cannot takes nothing
 * away from it: the response is not valid only where nothing is left that means anything. Never throws.
 */
export function readReply(
  hook: Speaker,
  event: EventName,
  stdout: Uint8Array,
): Result<HookResponse | null, ReplyProblem> {
  const at = { hook: hook.name, path: hook.path };
  const { text, isUtf8 } = decodeUtf8Lossy(stdout);
  if (text.trim() === "") return ok(null);
  const whole = readJson(text, JSON_DEPTH);
  if (whole.ok && isNothing(whole.value)) return ok(null);
  if (whole.ok && whole.value.kind !== "object") {
    return fail({ code: "REPLY_NOT_OBJECT", ...at, found: whole.value.kind });
  }
  const { objects, isWhole } = objectsIn(text);
  // Of a text that is no response as a whole the unknown keys are no news.
  const nullReplaces = hook.dialect !== undefined && DIALECTS[hook.dialect].nullReplaces === true;
  const reading = { level: isWhole ? TOP : { ...TOP, isOpen: true }, row: eventRow(event), event, nullReplaces };
  const said = joined(objects.map((members) => readMembers(members, reading)));
  const broken = isWhole || whole.ok ? [] : [{ fault: textFault(whole.error, text, isUtf8), loss: "guard" } as const];
  const part = { ...said, unread: [...broken, ...(said.unread ?? [])] };
  const reply = replyOf(whole.ok ? part : withLastValues(part), at);
  if (!reply.ok || isUtf8) return reply;
  return ok({ ...reply.value, warnings: [{ code: "NOT_UTF8", hook: at.hook }, ...reply.value.warnings] });
}

/** `null` in any dialect, and AgentHook's bare `"Continue"`. */
const isNothing = (value: JsonSpan): boolean =>
  value.kind === "null" || (value.kind === "string" && stringOf(value) === "Continue");

/**
 * What could be read, with a word about the rest. Where that may have been a block, a question or a change, nothing is
 * allowed by what is left, and a fail-closed hook blocks (`possibleBlock`); where nothing is left, the response is not valid.
 */
function replyOf({ unread = [], isOutOfPlace: _side, isRead, decides, ...said }: ReplyPart, at: At) {
  const reply: HookResponse = {
    ...EMPTY_RESPONSE,
    ...said,
    followUps: (said.followUps ?? []).filter((text) => text !== ""),
  };
  const dropped: readonly Warning[] =
    reply.followUps.length < (said.followUps ?? []).length ? [{ code: "EMPTY_FOLLOW_UP", hook: at.hook }] : [];
  const doubtful = unread.find(({ loss }) => loss === "guard");
  const undecided = unread.find(({ loss }) => loss === "decision");
  const warnings = [...namedWarnings(reply.warnings, at.hook), ...dropped];
  const ignored = (which: readonly Unread[]): HookResponse => ({
    ...reply,
    warnings: [...warnings, ...ignoredWarnings(which, at.hook)],
  });
  if (reply.decision === "block") return ok(ignored(unread));
  if (doubtful !== undefined) {
    if (!acts(reply)) return fail({ ...at, ...doubtful.fault });
    const decision = reply.decision === "ask" ? "ask" : "none";
    const others = ignored(unread.filter((one) => one !== doubtful));
    return ok({ ...others, decision, possibleBlock: { ...at, ...doubtful.fault } } satisfies HookResponse);
  }
  if (undecided !== undefined && !decides && !acts(reply)) return fail({ ...at, ...undecided.fault });
  const [first] = unread;
  return first === undefined || isRead ? ok(ignored(unread)) : fail({ ...at, ...first.fault });
}

/** Does it do anything, beside deciding that the agent may go on? */
const acts = ({ decision, change, context, followUps, pushes, state }: HookResponse): boolean =>
  decision === "ask" ||
  change !== null ||
  state !== null ||
  [context, followUps, pushes].some(({ length }) => length > 0);

const namedWarnings = (warnings: readonly Warning[], hook: string): readonly Warning[] =>
  warnings.map((warning) => ("hook" in warning ? { ...warning, hook } : warning));

/** A misspelt key has its warning already, and what is wrong with the text is told with the failure. */
const ignoredWarnings = (unread: readonly Unread[], hook: string): readonly Warning[] =>
  unread.slice(0, MOST_WARNINGS).flatMap(({ fault }): readonly Warning[] => {
    if (fault.code === "REPLY_MISSPELT_KEY") return [];
    if (fault.code !== "REPLY_WRONG_TYPE") return [{ code: "RESPONSE_BROKEN", hook, detail: detailOf(fault) }];
    const { key, wanted, found } = fault;
    return [{ code: "KEY_IGNORED", hook, key, wanted, found }];
  });

const detailOf = (fault: Unread["fault"]): string => ("detail" in fault ? fault.detail : "it is not UTF-8");

/** Of keys that stand twice in a value that is handed on the last one stays. */
function withLastValues(part: ReplyPart): ReplyPart {
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

/** What is wrong with a text that is not one JSON object. */
export function textFault(fault: JsonFault, text: string, isUtf8: boolean): Unread["fault"] {
  if (!isUtf8) return { code: "REPLY_NOT_UTF8" };
  if (fault.kind === "too-deep") return { code: "REPLY_TOO_DEEP", detail: fault.detail };
  const line = text.split("\n", fault.line)[fault.line - 1] ?? "";
  return { code: "REPLY_NOT_JSON", line: fault.line, detail: fault.detail, text: line };
}

/** Is something in this text a response, or may be a block? Any other is plain text. */
export const mayHoldResponse = (text: string): boolean =>
  looksLikeBlock(text) || objectsIn(text).objects.some((members) => sortedKeys(members, TOP).keys.length > 0);
