import { DIALECT_NAMES, type DialectName, findEvent, type NamedEvent, nearestEvent } from "../protocol/event.ts";
import { type Candidate, type Identity, type Match, READS } from "../protocol/hook.ts";
import {
  faultText,
  itemsOf,
  type JsonObject,
  type JsonSpan,
  membersOf,
  readJson,
  stringOf,
} from "../protocol/json/read.ts";
import type { HookProblem } from "../protocol/problem.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import { nearest } from "../protocol/text/nearest.ts";
import { parseDuration, parseSize } from "../protocol/text/units.ts";

const PLAIN: Omit<Identity, "events" | "dialect"> = {
  priority: null,
  failOpen: null,
  observe: null,
  timeoutMs: null,
  match: null,
  outputLimit: null,
  background: false,
  readsEnv: false,
  files: [],
};

type At = Pick<Candidate, "name" | "path">;

/** Reads the declaration of a hook: one event name, or one JSON object. */
export function readIdentity(candidate: At, answer: string): Result<Identity, HookProblem> {
  const at = { hook: candidate.name, path: candidate.path };
  if (!answer.startsWith("{")) {
    const named = findEvent(answer);
    if (named !== null) return ok({ ...PLAIN, events: [named.event], dialect: named.dialect });
    return fail({ code: "HOOK_UNKNOWN_TYPE", ...at, answer, nearest: nearestEvent(answer) });
  }
  const read = readJson(answer, 8);
  if (!read.ok) return fail({ code: "HOOK_BAD_ANSWER", ...at, detail: faultText(read.error) });
  const members = membersOf(read.value);
  const detail = firstFault(members);
  if (detail !== null) return fail({ code: "HOOK_BAD_ANSWER", ...at, detail });
  const names = valueAt(members, "event") ?? [];
  const named = names.flatMap((name) => findEvent(name) ?? []);
  if (named.length < names.length || names.length === 0) {
    const answer = names.find((name) => findEvent(name) === null) ?? "";
    return fail({ code: "HOOK_UNKNOWN_TYPE", ...at, answer, nearest: nearestEvent(answer) });
  }
  return ok({
    events: [...new Set(named.map(({ event }) => event))],
    ...dialectsByEvent(named, valueAt(members, "dialect")),
    priority: valueAt(members, "priority") ?? null,
    failOpen: valueAt(members, "fail_open") ?? null,
    observe: valueAt(members, "observe") ?? null,
    timeoutMs: valueAt(members, "timeout") ?? null,
    match: valueAt(members, "match") ?? null,
    outputLimit: valueAt(members, "output_limit") ?? null,
    background: valueAt(members, "background") ?? false,
    readsEnv: valueAt(members, "reads") === "env",
    files: valueAt(members, "files") ?? [],
  });
}

/** The dialect of each event follows from its name, unless the declaration has a `dialect`. */
export function dialectsByEvent(
  named: readonly NamedEvent[],
  word: DialectName | undefined,
): Pick<Identity, "dialect" | "dialects"> {
  const first = word ?? named[0]?.dialect ?? "kodelet";
  if (word !== undefined || named.every(({ dialect }) => dialect === first)) return { dialect: first };
  return {
    dialect: first,
    dialects: Object.fromEntries([...named].reverse().map(({ event, dialect }) => [event, dialect])),
  };
}

/** The first fault of a declaration, in words. */
function firstFault(members: JsonObject): string | null {
  for (const [key, value] of members) {
    if (!isKey(key)) return `unknown key "${key}"${suggestion(key)}`;
    if (KEYS[key].read(value) === undefined) return `"${key}" must be ${KEYS[key].words}`;
  }
  if (!members.has("event")) return 'the key "event" is missing';
  if (valueAt(members, "observe") === true && valueAt(members, "fail_open") === false) {
    return "an observer cannot decide, so it cannot have fail_open: false";
  }
  return null;
}

interface Key<T> {
  /** Describes a valid value. */
  readonly words: string;
  /** Undefined if the value is not valid. */
  readonly read: (value: JsonSpan) => T | undefined;
}

const key = <T>(words: string, read: Key<T>["read"]): Key<T> => ({ words, read });
const flagKey = key("true or false", ({ kind, raw }) => (kind === "boolean" ? raw === "true" : undefined));
const wordKey = <T extends string>(words: readonly T[]): Key<T> =>
  key(`one of ${words.join(", ")}`, (value) => words.find((word) => word === textOf(value)));

const KEYS = {
  event: key("an event name or a list of them", textsOf),
  priority: key("a number", ({ kind, raw }) =>
    kind === "number" && Number.isFinite(Number(raw)) ? Number(raw) : undefined,
  ),
  fail_open: flagKey,
  observe: flagKey,
  background: flagKey,
  reads: wordKey(READS),
  timeout: key("a duration such as 5s", (value) => okValue(parseDuration(textOf(value) ?? ""))),
  output_limit: key("a number of bytes or a size such as 64MiB", (value) =>
    okValue(parseSize(value.kind === "number" ? Number(value.raw) : (textOf(value) ?? ""))),
  ),
  match: key("an object of field paths, each with a string or a list of strings that is not empty", matchOf),
  dialect: wordKey(DIALECT_NAMES),
  files: key("a list of paths", (value) => (value.kind === "array" ? textsOf(value) : undefined)),
};

const isKey = (name: string): name is keyof typeof KEYS => Object.hasOwn(KEYS, name);

/** The value of a key; undefined if the declaration does not have it. */
function valueAt<Name extends keyof typeof KEYS>(
  members: JsonObject,
  name: Name,
): ReturnType<(typeof KEYS)[Name]["read"]> | undefined;
function valueAt(members: JsonObject, name: keyof typeof KEYS): unknown {
  const span = members.get(name);
  return span === undefined ? undefined : KEYS[name].read(span);
}

const textOf = (value: JsonSpan): string | undefined => (value.kind === "string" ? stringOf(value) : undefined);

function textsOf(value: JsonSpan): readonly string[] | undefined {
  const items = value.kind === "array" ? itemsOf(value) : [value];
  return items.every(({ kind }) => kind === "string") ? items.map(stringOf) : undefined;
}

function matchOf(value: JsonSpan): Match | undefined {
  if (value.kind !== "object") return undefined;
  const isFit = [...membersOf(value).values()].every((accepted) => (textsOf(accepted) ?? []).length > 0);
  return isFit ? JSON.parse(value.raw) : undefined;
}

const okValue = <T>(result: Result<T, string>): T | undefined => (result.ok ? result.value : undefined);

function suggestion(key: string): string {
  const near = nearest(key, Object.keys(KEYS));
  return near === null ? "" : `. Did you mean "${near}"?`;
}
