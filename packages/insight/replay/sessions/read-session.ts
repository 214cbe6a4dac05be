import { closeSync, constants, readFileSync, readSync } from "node:fs";
import { basename, extname } from "node:path";
import { NOT_REGULAR, openRegularFile } from "../../../../src/fs/read-file.ts";
import { errnoCode } from "../../../../src/protocol/errno.ts";
import { isObject, type UncheckedObject } from "../../../../src/protocol/json/read.ts";
import type { Transcript } from "../../../agents/transcripts/transcript.ts";
import { recordedPayload, type SessionCall, transcriptOf } from "../../../agents/transcripts/transcripts.ts";
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

type OpenSession = ReturnType<typeof openRegularFile>;

/** Reads the calls of a session file. The file is hostile text: unreadable lines are counted. */
export function* readSession(source: SessionSource, unread: UnreadCounts): Generator<SessionRecord> {
  const opened = open(source);
  if (typeof opened === "string") {
    unread.files.set(source.path, opened);
    return;
  }
  try {
    yield* recordsIn(entriesOf(source.path, opened, unread), source, unread);
  } finally {
    closeSync(opened.descriptor);
  }
}

function open({ path, namedBy }: SessionSource): OpenSession | string {
  try {
    // A link among an agent's own files could lead anywhere; a user may name one.
    return openRegularFile(path, namedBy === null ? constants.O_NOFOLLOW : 0);
  } catch (error) {
    return errnoCode(error) ?? NOT_REGULAR;
  }
}

function* entriesOf(path: string, opened: OpenSession, unread: UnreadCounts): Generator<UncheckedObject> {
  for (const text of extname(path) === ".json" ? wholeFile(opened, unread) : textLines(opened, unread)) {
    const values = parsedValues(text);
    if (values === null) unread.brokenLines += 1;
    else yield* values;
  }
}

function* textLines({ descriptor }: OpenSession, unread: UnreadCounts): Generator<string> {
  for (const { bytes } of readLines(descriptor)) {
    if (bytes === null) unread.longLines += 1;
    else if (bytes.length > 0) yield bytes.toString("utf8");
  }
}

/** A file with a single JSON value. */
function* wholeFile({ descriptor, stats }: OpenSession, unread: UnreadCounts): Generator<string> {
  if (stats.size > LONGEST_LINE_BYTES) unread.longLines += 1;
  else yield readFileSync(descriptor, "utf8");
}

/** Returns the object of a line or the objects of its list, or null if the line is no such JSON. */
function parsedValues(text: string): readonly UncheckedObject[] | null {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return [value];
    return Array.isArray(value) ? value.filter(isObject) : null;
  } catch {
    return null;
  }
}

/** Values from the entries of a file so far. */
interface SessionState {
  transcript: Transcript | null;
  session: string;
  cwd: string;
  /** The folder in which the session began, which is the project folder. */
  start: string;
}

function* recordsIn(
  entries: Iterable<UncheckedObject>,
  source: SessionSource,
  unread: UnreadCounts,
): Generator<SessionRecord> {
  const { path, folder, transcript } = source;
  const session = basename(path, extname(path));
  const state: SessionState = { transcript, session, cwd: folder ?? "", start: "" };
  let unknownEntries = 0;
  for (const entry of entries) {
    if (entry.schema === CORPUS_SCHEMA) {
      const record = readCorpusLine(entry);
      if (record === null) unread.brokenLines += 1;
      else yield record;
      continue;
    }
    state.transcript ??= transcriptOf(entry);
    if (state.transcript === null) unknownEntries += 1;
    else yield* callsOf(entry, state.transcript, { state, source, unread });
  }
  // The first entries of a session may be such that several agents write them.
  if (state.transcript === null) unread.brokenLines += unknownEntries;
}

interface Reading {
  readonly state: SessionState;
  readonly source: SessionSource;
  readonly unread: UnreadCounts;
}

function* callsOf(
  entry: UncheckedObject,
  transcript: Transcript,
  { state, source, unread }: Reading,
): Generator<SessionRecord> {
  const { session, cwd, calls = [], unreadableCalls = 0 } = transcript.read(entry);
  state.session = session ?? state.session;
  state.cwd = cwd ?? state.cwd;
  state.start ||= state.cwd;
  unread.unreadableCalls += unreadableCalls;
  for (const call of calls) {
    const own: SessionCall = { ...call, session: state.session, cwd: call.cwd ?? state.cwd };
    const likeness = likenessOf(transcript, own);
    if (own.cwd === "") unread.callsWithoutFolder += 1;
    else if (likeness === null) unread.brokenLines += 1;
    else yield { ...recordOf(transcript, own, likeness), madeIn: placeOf(own.cwd, state.start, source) };
  }
}

const recordOf = (transcript: Transcript, call: SessionCall, likeness: string): Omit<SessionRecord, "madeIn"> => ({
  id: `${call.session}#${call.id}`,
  callId: call.id,
  session: call.session,
  cwd: call.cwd,
  likeness,
  agent: transcript.agent,
  time: timeText(call.time),
  recorded: () => recordedPayload(transcript, call),
});

const FIRST_IN_MS = 1e11;

/** The time in ISO 8601, or null. */
function timeText(time: SessionCall["time"]): string | null {
  const date = new Date(typeof time === "number" && time < FIRST_IN_MS ? time * 1000 : time);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

/** Returns null if the arguments are nested too deeply. */
function likenessOf({ agent }: Transcript, { tool, input, cwd, isSubagent }: SessionCall): string | null {
  try {
    return JSON.stringify([agent, tool, cwd, isSubagent ?? false, input]);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

const placeOf = (cwd: string, start: string, { namedBy }: SessionSource): SessionRecord["madeIn"] =>
  namedBy === null ? null : { home: homeOf(cwd, namedBy.home), project: start };

/** The home directory of the person in whose folder a call was made. */
const homeOf = (folder: string, own: string): string =>
  folder === own || folder.startsWith(`${own}/`)
    ? own
    : (/^\/(?:home|Users)\/[^/]+|^\/root(?=\/|$)/.exec(folder)?.[0] ?? own);

/** One line of a file, or a marker for a line that was too long. */
type FileLine = { readonly number: number; readonly bytes: Buffer | null };

const CHUNK_BYTES = 1024 * 1024;
/** Agents that write a session as a single JSON value have one long line. */
const LONGEST_LINE_BYTES = 64 * 1024 * 1024;
const NEWLINE = 0x0a;

/** Reads a file line by line in bounded memory. The bytes of a line are valid only until the next one is read. */
export function* readLines(descriptor: number, longest = LONGEST_LINE_BYTES): Generator<FileLine> {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  let rest: Buffer[] = [];
  let restBytes = 0;
  let number = 1;
  for (;;) {
    const count = readSync(descriptor, chunk, 0, CHUNK_BYTES, null);
    if (count === 0) break;
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1 && end < count; end = chunk.indexOf(NEWLINE, start)) {
      const part = chunk.subarray(start, end);
      yield { number: number++, bytes: joined(rest, part, restBytes, longest) };
      rest = [];
      restBytes = 0;
      start = end + 1;
    }
    restBytes += count - start;
    // A line that is too long is discarded.
    if (restBytes > longest) rest = [];
    else if (start < count) rest.push(Buffer.from(chunk.subarray(start, count)));
  }
  if (restBytes > 0) yield { number, bytes: joined(rest, Buffer.alloc(0), restBytes, longest) };
}

const joined = (rest: readonly Buffer[], last: Buffer, restBytes: number, longest: number): Buffer | null =>
  restBytes + last.length > longest ? null : rest.length === 0 ? last : Buffer.concat([...rest, last]);
