import { type EventName, type EventRow, eventRow } from "../contract/event.ts";
import { fits } from "../contract/field.ts";
import type { Hook } from "../contract/hook.ts";
import { type JsonFault, type JsonObject, type JsonSpan, membersOf, readJson, stringOf } from "../contract/json.ts";
import type { Problem } from "../contract/problem.ts";
import { NO_REPLY, type Reply, stricter } from "../contract/reply.ts";
import { fail, ok, type Result } from "../contract/result.ts";
import { decodeUtf8 } from "../contract/utf8.ts";
import type { Warning } from "../contract/warning.ts";
import type { ReplyKey, ReplyPart } from "./dialect.ts";
import { REPLY_KEYS } from "./dialects.ts";
import { type KnownKey, knownKeys } from "./spelling.ts";

export const REPLY_DEPTH = 64;
type Speaker = Pick<Hook, "name" | "path">;
type At = { readonly hook: string; readonly path: string };

/** stdout of a hook that exited 0 -> what it said; null when it said nothing (SPEC 6). Never throws. */
export function readReply(hook: Speaker, event: EventName, stdout: Uint8Array): Result<Reply | null, Problem> {
  const at = { hook: hook.name, path: hook.path };
  const text = decodeUtf8(stdout);
  if (text === null) return fail({ code: "REPLY_NOT_UTF8", ...at });
  if (text.trim() === "") return ok(null);

  const read = readJson(text, REPLY_DEPTH);
  if (!read.ok) return fail(faultProblem(at, read.error, text));
  if (isNothing(read.value)) return ok(null);
  if (read.value.kind !== "object") return fail({ code: "REPLY_NOT_OBJECT", ...at, found: read.value.kind });
  return readObject(at, event, membersOf(read.value));
}

/** `null` in any dialect, and AgentHook's bare `"Continue"`. */
const isNothing = (value: JsonSpan): boolean =>
  value.kind === "null" || (value.kind === "string" && stringOf(value) === "Continue");

function readObject(at: At, event: EventName, members: JsonObject): Result<Reply, Problem> {
  const known = knownKeys(members, REPLY_KEYS);
  if (!known.ok) return fail({ ...at, ...known.error });
  let reply: Reply = { ...NO_REPLY, warnings: known.value.warnings.map((warning) => ({ ...warning, hook: at.hook })) };
  let fault = known.value.misspelt;
  for (const key of known.value.keys) {
    if (key.value.kind === "null" && !key.rows.some((row) => row.isTag)) continue;
    const part = partOf(key, eventRow(event), members);
    if (part === null) {
      return fail({
        code: "REPLY_WRONG_TYPE",
        ...at,
        key: key.written,
        wanted: wantedFor(key.rows),
        found: shown(key.value),
      });
    }
    fault ??= part.fault ?? null;
    reply = withPart(reply, part, { key: key.written, hook: at.hook, event });
  }
  // What may be a lost block fails the reply, but never one that blocks in words we do know.
  if (fault !== null && reply.decision !== "block") return fail({ ...at, ...fault });
  const wanted = reply.change === null ? null : misfit(reply.change, eventRow(event));
  if (wanted !== null)
    return fail({ code: "REPLY_WRONG_TYPE", ...at, key: "the new value", wanted, found: "something else" });
  return ok(reply);
}

/** A key that several dialects have is read by the row that understands its value; the strictest one counts. */
function partOf(key: KnownKey, event: EventRow, members: JsonObject): ReplyPart | null {
  const parts = key.rows.flatMap((row) => row.read(key.value, event, members) ?? []);
  return parts.reduce<ReplyPart | null>((all, part) => (all === null ? part : merged(all, part)), null);
}

function merged(a: ReplyPart, b: ReplyPart): ReplyPart {
  return { ...a, ...b, decision: stricter(a.decision ?? "none", b.decision ?? "none") };
}

/** Where a part was said. */
interface Place {
  readonly key: string;
  readonly hook: string;
  readonly event: EventName;
}

function withPart(reply: Reply, part: ReplyPart, { key, hook, event }: Place): Reply {
  const { isOutOfPlace, fault: _fault, ...said } = part;
  const own = (said.warnings ?? []).map((warning): Warning => ("hook" in warning ? { ...warning, hook } : warning));
  const misplaced: readonly Warning[] = isOutOfPlace ? [{ code: "CHANGE_IGNORED", hook, key, event }] : [];
  const followUps = (said.followUps ?? []).filter((text) => text !== "");
  const dropped: readonly Warning[] =
    followUps.length < (said.followUps ?? []).length ? [{ code: "EMPTY_FOLLOW_UP", hook }] : [];
  return {
    ...reply,
    ...said,
    decision: stricter(reply.decision, said.decision ?? "none"),
    isReplace: reply.isReplace || (said.isReplace ?? false),
    context: [...reply.context, ...(said.context ?? [])],
    followUps: [...reply.followUps, ...followUps],
    pushes: [...reply.pushes, ...(said.pushes ?? [])],
    warnings: [...reply.warnings, ...own, ...misplaced, ...dropped],
  };
}

/** What the target must be, in words, when the new value does not fit it; null when it fits. */
function misfit(change: string, event: EventRow): string | null {
  const read = readJson(change, Number.POSITIVE_INFINITY);
  if (!read.ok || event.target === null) return null;
  if (typeof event.target === "string") {
    const kind = event.fields[event.target]?.kind ?? "json";
    return fits(kind, read.value.kind) ? null : kind === "text" ? "a string" : `a ${kind}`;
  }
  const names = event.target;
  const wanted = `an object of ${names.join(" and ")}`;
  if (read.value.kind !== "object") return wanted;
  const members = [...membersOf(read.value)];
  const fitting = members.every(
    ([key, span]) => names.includes(key) && fits(event.fields[key]?.kind ?? "json", span.kind),
  );
  return fitting ? null : wanted;
}

export function faultProblem(at: At, fault: JsonFault, text: string): Problem {
  if (fault.kind === "duplicate-key") return { code: "REPLY_DUPLICATE_KEY", ...at, key: fault.detail };
  if (fault.kind === "too-deep") return { code: "REPLY_TOO_DEEP", ...at, detail: fault.detail };
  const line = text.split("\n", fault.line)[fault.line - 1] ?? "";
  return { code: "REPLY_NOT_JSON", ...at, line: fault.line, detail: fault.detail, text: line };
}

const wantedFor = (rows: readonly ReplyKey[]): string => rows.map((row) => row.wanted).join(", or ");
export const shown = (value: JsonSpan): string => (value.raw.length <= 40 ? value.raw : value.kind);
