import { closeSync, constants, mkdirSync, renameSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { checksum } from "../../../src/config/load-settings.ts";
import { textAt } from "../../../src/dialects/field-paths.ts";
import type { RunContext } from "../../../src/engine/run-context.ts";
import { disk } from "../../../src/fs/disk.ts";
import { isAlive } from "../../../src/fs/lock.ts";
import { entryNames } from "../../../src/fs/paths.ts";
import { readIfPresent } from "../../../src/fs/read-file.ts";
import { statFields } from "../../../src/process/proc.ts";
import { errnoCode } from "../../../src/protocol/errno.ts";
import { deadlineOf } from "../../agents/agent.ts";
import type { AgentCall } from "./agent-call.ts";

/** How an earlier call of the session ended: with an answer, by a kill that may be the agent's, or by another kill. */
export type EarlierCall = "answered" | "possibly-canceled" | "killed";

export interface OpenCall {
  readonly earlier: EarlierCall;
  /** Removes the note, once the answer is given. */
  readonly close: () => void;
}

/** The note of a call that has no answer yet. Processes are a PID with their start, which is empty without /proc. */
interface CallNote {
  readonly own: string;
  readonly agent: string;
  /** When the agent stops waiting for the answer. */
  readonly endsMs: number;
  readonly callId: string;
}

export const NO_NOTE: OpenCall = { earlier: "answered", close: () => undefined };
const NO_ID = checksum("");
const PROMPTED = "prompted";
/** The file of the last note that was closed. */
const CLOSED = "closed";
const NOTE_BYTES = 128;
const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Writes a note of the call, which stays behind if this process is killed before it answers. An agent that cancels a call
 * may kill this process, too; then a prompt follows, or the agent ends. So the kill was an attack only if the tool ran
 * nevertheless, or if the same agent makes another call without a prompt, in a session whose prompts are registered.
 */
export function openCall(call: AgentCall, { auditFile, nowMs }: RunContext, processId: number): OpenCall {
  const [payload] = call.payloads;
  if (auditFile === null || payload === undefined || payload.session === "") return NO_NOTE;
  const { event, members } = payload;
  const folder = join(dirname(auditFile), "calls");
  // Precedes the names of the notes of this session.
  const session = `${checksum(`${call.agent.name} ${payload.session}`)}-`;
  try {
    const isPrompt = event === "user_message_send";
    if (isPrompt || event === "session_start") forgetCalls(folder, session, isPrompt, nowMs);
    if (event !== "before_tool_call" && event !== "after_tool_call") return NO_NOTE;
    const own = statFields(processId);
    const note: CallNote = {
      own: named(processId, own),
      agent: processOf(parentIn(statFields(parentIn(own)))),
      endsMs: nowMs + deadlineOf(call.row),
      callId: checksum(textAt(members, "tool_user_id")),
    };
    const earlier = earlierCall(folder, session, note, event === "after_tool_call", nowMs);
    const name = `${session}${processId}`;
    writeNote(folder, name, noteText(note));
    return { earlier, close: () => void renamed(join(folder, name), join(folder, CLOSED)) };
  } catch {
    // Only this sign is lost: the call is judged as without it.
    return NO_NOTE;
  }
}

const noteText = ({ own, agent, endsMs, callId }: CallNote): string =>
  [own, agent, endsMs.toString(36), callId].join("/").padEnd(NOTE_BYTES);

function readNote(file: string): CallNote {
  const read = readIfPresent(file);
  const text = read.ok ? read.value?.toString("utf8") : "";
  const [own = "", agent = "", ends = "", callId = ""] = (text ?? "").trimEnd().split("/");
  return { own, agent, endsMs: Number.parseInt(ends, 36), callId };
}

/**
 * The note exists whole or not at all, whenever a kill comes. It is the file of a note that was closed, if there is one: to
 * create a file takes ext4 0.2 ms, a tenth of a call, and to rename one takes 0.01.
 */
function writeNote(folder: string, name: string, text: string): void {
  const file = join(folder, `next-${name}`);
  const isUsedAgain = renamed(join(folder, CLOSED), file);
  if (!isUsedAgain) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const create = isUsedAgain ? 0 : constants.O_CREAT | constants.O_EXCL;
  const descriptor = disk.openSync(file, constants.O_WRONLY | constants.O_NOFOLLOW | create, 0o600);
  try {
    // As long as the note before it, which is not truncated: ext4 writes a truncated file out at once.
    writeSync(descriptor, text, 0);
  } finally {
    closeSync(descriptor);
  }
  renameSync(file, join(folder, name));
}

/** False if there is no such file. */
function renamed(file: string, to: string): boolean {
  try {
    renameSync(file, to);
    return true;
  } catch (error) {
    if (errnoCode(error) === "ENOENT") return false;
    throw error;
  }
}

type StatFields = ReturnType<typeof statFields>;
const parentIn = (fields: StatFields): number => Number(fields[1] ?? 0);
const named = (pid: number, fields: StatFields): string => `${pid} ${fields[19] ?? ""}`;
const processOf = (pid: number): string => named(pid, statFields(pid));

function earlierCall(folder: string, session: string, current: CallNote, isAfter: boolean, nowMs: number): EarlierCall {
  const names = entryNames(folder).filter((name) => name.startsWith(session) && name !== session + PROMPTED);
  const found = names.map((name): EarlierCall => {
    const file = join(folder, name);
    const note = readNote(file);
    // It may have been closed a moment ago.
    if (note.own === "" || isRunning(note.own)) return "answered";
    const hasRun = isAfter && current.callId !== NO_ID && note.callId === current.callId;
    const goesOn = note.agent === current.agent && nowMs < note.endsMs;
    const isReporting = disk.existsSync(join(folder, session + PROMPTED));
    // If several calls come at once, one call takes the note.
    rmSync(file);
    if (!hasRun && !goesOn) return "answered";
    return hasRun || isReporting ? "killed" : "possibly-canceled";
  });
  return found.find((state) => state === "killed") ?? found.find((state) => state !== "answered") ?? "answered";
}

function isRunning(own: string): boolean {
  const pid = Number(own.split(" ", 1)[0]);
  // A zombie keeps its number until its parent reads how it ended.
  return own.endsWith(" ") ? isAlive(pid) : processOf(pid) === own && statFields(pid)[0] !== "Z";
}

/** Removes the notes of the session, because a prompt or a new start explains them, and those older than a day. */
function forgetCalls(folder: string, session: string, isPrompt: boolean, nowMs: number): void {
  for (const name of entryNames(folder)) {
    const file = join(folder, name);
    const isOld = nowMs - (disk.lstatSync(file, { throwIfNoEntry: false })?.mtimeMs ?? nowMs) > DAY_MS;
    if (isOld || name.startsWith(session)) rmSync(file, { force: true });
  }
  if (!isPrompt) return;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, session + PROMPTED), "", { mode: 0o600 });
}
