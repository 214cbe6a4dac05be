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
  const names = textsAt(members, "event");
  const unknown = names.find((name) => findEvent(name) === null);
  if (unknown !== undefined || names.length === 0) {
    return fail({ code: "HOOK_UNKNOWN_TYPE", ...at, answer: unknown ?? "", nearest: nearestEvent(unknown ?? "") });
  }
  return ok(identityOf(members, names));
}

function identityOf(members: JsonObject, names: readonly string[]): Identity {
  const named = names.map(findEvent).filter((one): one is NamedEvent => one !== null);
  const [word] = textsAt(members, "dialect");
  const timeout = parseDuration(textsAt(members, "timeout")[0] ?? "");
  return {
    events: [...new Set(named.map(({ event }) => event))],
    ...dialectsByEvent(
      named,
      DIALECT_NAMES.find((name) => name === word),
    ),
    priority: numberAt(members, "priority"),
    failOpen: flagAt(members, "fail_open"),
    observe: flagAt(members, "observe"),
    timeoutMs: timeout.ok ? timeout.value : null,
    match: members.has("match") ? (JSON.parse(members.get("match")?.raw ?? "null") as Match) : null,
    outputLimit: sizeAt(members, "output_limit"),
    background: flagAt(members, "background") ?? false,
    readsEnv: textsAt(members, "reads")[0] === "env",
    files: textsAt(members, "files"),
  };
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
    const expected = EXPECTED.get(key);
    if (expected === undefined) return `unknown key "${key}"${suggestion(key)}`;
    if (!expected.fits(value)) return `"${key}" must be ${expected.words}`;
  }
  if (!members.has("event")) return 'the key "event" is missing';
  if (flagAt(members, "observe") === true && flagAt(members, "fail_open") === false) {
    return "an observer cannot decide, so it cannot have fail_open: false";
  }
  return null;
}

interface ExpectedValue {
  readonly words: string;
  readonly fits: (value: JsonSpan) => boolean;
}

const isText = (value: JsonSpan): boolean => value.kind === "string";
const isTextOrTexts = (value: JsonSpan): boolean =>
  isText(value) || (value.kind === "array" && itemsOf(value).every(isText));
const FLAG: ExpectedValue = { words: "true or false", fits: (value) => value.kind === "boolean" };

const EXPECTED: ReadonlyMap<string, ExpectedValue> = new Map(
  Object.entries({
    event: { words: "an event name or a list of them", fits: isTextOrTexts },
    priority: { words: "a number", fits: (value) => value.kind === "number" && Number.isFinite(Number(value.raw)) },
    fail_open: FLAG,
    observe: FLAG,
    background: FLAG,
    reads: {
      words: `one of ${READS.join(", ")}`,
      fits: (value) => isText(value) && READS.some((name) => name === stringOf(value)),
    },
    timeout: { words: "a duration such as 5s", fits: (value) => isText(value) && parseDuration(stringOf(value)).ok },
    output_limit: { words: "a number of bytes or a size such as 64MiB", fits: (value) => sizeOf(value) !== null },
    match: {
      words: "an object of field paths, each with a string or a list of strings that is not empty",
      fits: (value) =>
        value.kind === "object" &&
        [...membersOf(value).values()].every((one) => isTextOrTexts(one) && (isText(one) || itemsOf(one).length > 0)),
    },
    dialect: {
      words: `one of ${DIALECT_NAMES.join(", ")}`,
      fits: (value) => isText(value) && DIALECT_NAMES.some((name) => name === stringOf(value)),
    },
    files: { words: "a list of paths", fits: (value) => value.kind === "array" && isTextOrTexts(value) },
  }),
);

function textsAt(members: JsonObject, key: string): readonly string[] {
  const span = members.get(key);
  if (span === undefined) return [];
  return span.kind === "array" ? itemsOf(span).map(stringOf) : [stringOf(span)];
}

function flagAt(members: JsonObject, key: string): boolean | null {
  const span = members.get(key);
  return span === undefined ? null : span.raw === "true";
}

function numberAt(members: JsonObject, key: string): number | null {
  const span = members.get(key);
  return span === undefined ? null : Number(span.raw);
}

const sizeAt = (members: JsonObject, key: string): number | null => sizeOf(members.get(key));

function sizeOf(span: JsonSpan | undefined): number | null {
  if (span?.kind !== "string" && span?.kind !== "number") return null;
  const size = parseSize(span.kind === "string" ? stringOf(span) : Number(span.raw));
  return size.ok ? size.value : null;
}

function suggestion(key: string): string {
  const near = nearest(key, EXPECTED.keys());
  return near === null ? "" : `. Did you mean "${near}"?`;
}
