import { closeSync, constants, readFileSync } from "node:fs";
import { basename, extname } from "node:path";
import { readLines } from "../../../../src/audit/log-files.ts";
import { NOT_REGULAR, openRegularFile } from "../../../../src/fs/read-file.ts";
import { errnoCode } from "../../../../src/protocol/errno.ts";
import { isObject, parsedOrUndefined, type UncheckedObject } from "../../../../src/protocol/json/read.ts";
import type { SessionCall, Transcript } from "../../../agents/transcripts/transcript.ts";
import { recordedPayload, transcriptOf } from "../../../agents/transcripts/transcripts.ts";
import { CORPUS_SCHEMA, readCorpusLine, type SessionRecord, type UnreadCounts } from "./session-record.ts";

/** A file with calls, and facts from outside its text. */
export interface SessionSource {
  readonly path: string;
  /** The format of the file; null if its lines show which agent wrote it. */
  readonly transcript: Transcript | null;
  /** The folder of calls for which the file names no folder; if this is null too, these calls are not judged. */
  readonly folder: string | null;
  /** Set for a file named by the user: it may come from another machine. */
  readonly namedBy: { readonly home: string } | null;
}

/** Reads the calls of a session file. The file is hostile text: unreadable lines are counted. */
export function* readSession(source: SessionSource, unread: UnreadCounts): Generator<SessionRecord> {
  const { path, namedBy } = source;
  let opened: ReturnType<typeof openRegularFile>;
  try {
    // A link among an agent's own files could lead anywhere; a user may name one.
    opened = openRegularFile(path, namedBy === null ? constants.O_NOFOLLOW : 0);
  } catch (error) {
    unread.files.set(path, errnoCode(error) ?? NOT_REGULAR);
    return;
  }
  try {
    const { descriptor, stats } = opened;
    // A `.json` file has a single JSON value, on one line or several.
    const texts = extname(path) === ".json" ? [wholeText(descriptor, stats.size)] : linesOf(descriptor);
    yield* recordsIn(entriesOf(texts, unread), source, unread);
  } finally {
    closeSync(opened.descriptor);
  }
}

/** Agents that write a session as a single JSON value have one long line. */
const LONGEST_LINE_BYTES = 64 * 1024 * 1024;

function* linesOf(descriptor: number): Generator<string | null> {
  for (const { bytes } of readLines(descriptor, LONGEST_LINE_BYTES))
    if (bytes === null || bytes.length > 0) yield bytes?.toString("utf8") ?? null;
}

const wholeText = (descriptor: number, size: number): string | null =>
  size > LONGEST_LINE_BYTES ? null : readFileSync(descriptor, "utf8");

/** The objects in texts: each is an object or a list of objects, or null for one that is too long. */
function* entriesOf(texts: Iterable<string | null>, unread: UnreadCounts): Generator<UncheckedObject> {
  for (const text of texts) {
    const value = text === null ? null : parsedOrUndefined(text);
    if (text === null) unread.longLines += 1;
    else if (isObject(value)) yield value;
    else if (Array.isArray(value)) yield* value.filter(isObject);
    else unread.brokenLines += 1;
  }
}

function* recordsIn(
  entries: Iterable<UncheckedObject>,
  source: SessionSource,
  unread: UnreadCounts,
): Generator<SessionRecord> {
  const { path, folder } = source;
  let { transcript } = source;
  let session = basename(path, extname(path));
  let cwd = folder ?? "";
  // The folder in which the session began, which is the project folder.
  let start = "";
  let unknownEntries = 0;
  for (const entry of entries) {
    if (entry.schema === CORPUS_SCHEMA) {
      const record = readCorpusLine(entry);
      if (record === null) unread.brokenLines += 1;
      else yield record;
      continue;
    }
    transcript ??= transcriptOf(entry);
    if (transcript === null) {
      unknownEntries += 1;
      continue;
    }
    const { calls = [], unreadableCalls = 0, ...named } = transcript.read(entry);
    session = named.session ?? session;
    cwd = named.cwd ?? cwd;
    start ||= cwd;
    unread.unreadableCalls += unreadableCalls;
    for (const call of calls) {
      const record = recordOf(transcript, { ...call, session, cwd: call.cwd ?? cwd });
      if ((call.cwd ?? cwd) === "") unread.callsWithoutFolder += 1;
      else if (record === null) unread.brokenLines += 1;
      else yield { ...record, madeIn: placeOf(record.cwd, start, source) };
    }
  }
  // Several agents write entries like the first ones of a session.
  if (transcript === null) unread.brokenLines += unknownEntries;
}

/** Returns null if the arguments are nested too deeply. */
function recordOf(transcript: Transcript, call: SessionCall): Omit<SessionRecord, "madeIn"> | null {
  const { id, session, cwd, tool, input, isSubagent = false, time } = call;
  const { agent } = transcript;
  try {
    const likeness = JSON.stringify([agent, tool, cwd, isSubagent, input]);
    const recorded = () => recordedPayload(transcript, call);
    return { id: `${session}#${id}`, callId: id, session, cwd, likeness, agent, time: timeText(time), recorded };
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

const FIRST_IN_MS = 1e11;

/** The time in ISO 8601, or null. */
function timeText(time: SessionCall["time"]): string | null {
  const date = new Date(typeof time === "number" && time < FIRST_IN_MS ? time * 1000 : time);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

const placeOf = (cwd: string, start: string, { namedBy }: SessionSource): SessionRecord["madeIn"] =>
  namedBy === null ? null : { home: homeOf(cwd, namedBy.home), project: start };

/** The home directory of the person in whose folder a call was made. */
const homeOf = (folder: string, own: string): string =>
  folder === own || folder.startsWith(`${own}/`)
    ? own
    : (/^\/(?:home|Users)\/[^/]+|^\/root(?=\/|$)/.exec(folder)?.[0] ?? own);
