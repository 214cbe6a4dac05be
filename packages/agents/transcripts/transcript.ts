import type { AgentName } from "../../../src/protocol/agent-names.ts";
import { arrayOr, isObject, objectOr, stringOr, type UncheckedObject } from "../../../src/protocol/json/read.ts";
import { globMatches } from "../../../src/protocol/match.ts";

/** How an agent records its sessions: the location of its files, and the tool calls in one of their entries. */
export interface Transcript {
  readonly agent: AgentName;
  /** The version whose files or code the table was compared with. */
  readonly seenIn: string;
  /** Its session files; none if hookctl cannot read them, and `unreadable` says why. */
  readonly places: readonly SessionPlace[];
  /** Why its session files cannot be read, and what to do; null if they can. */
  readonly unreadable: string | null;
  /** True for an entry that only this agent writes: a file is recognized by the first that fits. */
  readonly isOwn: (entry: UncheckedObject) => boolean;
  /** Reads one line of a session file, or the whole of one that is a single JSON value. */
  readonly read: (entry: UncheckedObject) => TranscriptEntry;
}

export interface SessionPlace {
  /** The folder: the variable that replaces it, and where it is below the home directory otherwise. */
  readonly variable: string | null;
  readonly folder: string;
  /** Names below it; `**` matches any folders, `*` any text in a name. */
  readonly path: readonly string[];
  /** A file beside the session's folder whose text is the folder of the project. */
  readonly projectFile?: string;
}

/** The data of one entry. Absent fields keep the value of an earlier entry of the file. */
export interface TranscriptEntry {
  readonly session?: string;
  readonly cwd?: string;
  readonly calls?: readonly TranscriptCall[];
  /** Calls without a record of their arguments. */
  readonly unreadableCalls?: number;
}

export interface TranscriptCall {
  /** The agent's id of the call; empty if it has none. */
  readonly id: string;
  readonly tool: string;
  readonly input: unknown;
  /** ISO 8601, or seconds or milliseconds since 1970; empty: not recorded. */
  readonly time: string | number;
  /** Its folder, if the call itself names one. */
  readonly cwd?: string;
  readonly isSubagent?: true;
}

/** What the values at these paths are; a list has patterns for a text. */
type Conditions = Readonly<Record<string, keyof typeof KINDS | readonly string[]>>;

const KINDS = {
  text: (value: unknown) => typeof value === "string",
  object: isObject,
  list: Array.isArray,
  "no list": (value: unknown) => !Array.isArray(value),
  present: (value: unknown) => value !== undefined,
  absent: (value: unknown) => value === undefined,
};

interface CallsJson {
  /** The paths of the calls in an entry; `[]` stands for each item of a list. */
  readonly in: readonly string[];
  readonly if?: Conditions;
  readonly id: string;
  readonly tool: string;
  readonly input: string;
  /** Paths in the `call`, in the `message` that has the list of calls, or in the `entry`. */
  readonly time: readonly string[];
  /** Paths in the entry: one of them is true or a text if a subagent made the calls. */
  readonly subagentIf?: readonly string[];
}

interface EntryJson {
  readonly if?: Conditions;
  readonly session?: string;
  readonly cwd?: readonly string[];
  readonly calls?: CallsJson;
}

/** A row of `transcripts.json`. Of the entries the first that fits is used. */
export interface TranscriptJson extends Pick<Transcript, "seenIn" | "places"> {
  readonly unreadable?: string;
  /** An entry is the agent's if it fulfils all conditions of an object. */
  readonly own: readonly Conditions[];
  readonly entries: readonly EntryJson[];
}

/** A transcript by its row, and by a function where a row cannot say how to read an entry. */
export const transcriptFrom = (
  agent: AgentName,
  { own, entries, ...row }: TranscriptJson,
  read = (entry: UncheckedObject): TranscriptEntry => readEntry(entry, entries),
): Transcript => ({
  ...row,
  agent,
  unreadable: row.unreadable ?? null,
  isOwn: (entry) => own.some((conditions) => isFit(entry, conditions)),
  read,
});

const valueAt = (value: unknown, path: string): unknown =>
  path === "" ? value : path.split(".").reduce((inner, key) => objectOr(inner)[key], value);

const isFit = (entry: UncheckedObject, conditions: Conditions = {}): boolean =>
  Object.entries(conditions).every(([path, condition]) => {
    const value = valueAt(entry, path);
    return typeof condition === "string"
      ? KINDS[condition](value)
      : typeof value === "string" && condition.some((pattern) => globMatches(pattern, value));
  });

function readEntry(entry: UncheckedObject, rows: readonly EntryJson[]): TranscriptEntry {
  const row = rows.find((one) => isFit(entry, one.if));
  const folders = (row?.cwd ?? []).map((path) => valueAt(entry, path));
  return {
    ...said(
      row?.session === undefined ? "" : valueAt(entry, row.session),
      folders.find((folder) => stringOr(folder) !== ""),
    ),
    ...(row?.calls === undefined ? {} : { calls: callsIn(entry, row.calls) }),
  };
}

/** Session and folder of an entry, left out where they are empty. */
export const said = (session: unknown, cwd: unknown): Pick<TranscriptEntry, "session" | "cwd"> => ({
  ...(stringOr(session) === "" ? {} : { session: stringOr(session) }),
  ...(stringOr(cwd) === "" ? {} : { cwd: stringOr(cwd) }),
});

function callsIn(entry: UncheckedObject, row: CallsJson): readonly TranscriptCall[] {
  const found = row.in.flatMap((path) => objectsAt({ call: entry, message: entry }, path.split("[]")));
  const isSubagent = (row.subagentIf ?? [])
    .map((path) => valueAt(entry, path))
    .some((value) => value === true || stringOr(value) !== "");
  return found
    .filter(({ call }) => isFit(call, row.if))
    .map(({ call, message }) => ({
      id: stringOr(valueAt(call, row.id)),
      tool: stringOr(valueAt(call, row.tool)),
      input: parsedArguments(valueAt(call, row.input)),
      time: row.time.map((path) => timeOf(valueAt({ call, message, entry }, path))).find((time) => time !== "") ?? "",
      ...(isSubagent ? { isSubagent } : {}),
    }));
}

interface FoundCall {
  readonly call: UncheckedObject;
  /** The object that has the list of calls. */
  readonly message: UncheckedObject;
}

/** The objects at a path, which is cut where it goes through each item of a list. */
function objectsAt({ call, message }: FoundCall, [path = "", ...inner]: readonly string[]): readonly FoundCall[] {
  const value = valueAt(call, path.replace(/^\./, ""));
  if (inner.length === 0) return isObject(value) ? [{ call: value, message }] : [];
  return arrayOr(value).flatMap((item) => (isObject(item) ? objectsAt({ call: item, message: call }, inner) : []));
}

/** A time in any format of the files: ISO 8601, or seconds or milliseconds since 1970; empty: none. */
export const timeOf = (value: unknown): TranscriptCall["time"] =>
  typeof value === "number" && Number.isFinite(value) ? value : stringOr(value);

/** Parses arguments that are JSON in a string. */
export function parsedArguments(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
