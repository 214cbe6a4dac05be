import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { textAt } from "../../../src/dialects/field-paths.ts";
import type { RunContext } from "../../../src/engine/run-context.ts";
import { disk } from "../../../src/fs/disk.ts";
import { sha256Of } from "../../../src/fs/hash.ts";
import { isAlive } from "../../../src/fs/lock.ts";
import { statFields } from "../../../src/process/proc.ts";
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

interface NotesPlace {
  readonly folder: string;
  /** Precedes the names of the notes of one session. */
  readonly session: string;
}

export const NO_NOTE: OpenCall = { earlier: "answered", close: () => undefined };
const NO_ID = sha256Of("");
const PROMPTED = "prompted";
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
  const session = `${sha256Of(`${call.agent.name} ${payload.session}`).slice(0, 16)}-`;
  const place = { folder: join(dirname(auditFile), "calls"), session };
  const isStart = event === "session_start";
  const isAfter = event === "after_tool_call";
  try {
    if (isStart || event === "user_message_send") forgetCalls(place, !isStart, nowMs);
    if (event !== "before_tool_call" && !isAfter) return NO_NOTE;
    const agent = processOf(parentOf(parentOf(processId)));
    const note = {
      own: processOf(processId),
      agent,
      endsMs: nowMs + deadlineOf(call.row),
      callId: sha256Of(textAt(members, "tool_user_id")),
    };
    const earlier = earlierCall(place, { ...note, isAfter, nowMs });
    const file = join(place.folder, `${session}${processId}`);
    mkdirSync(place.folder, { recursive: true, mode: 0o700 });
    // The target of a link, which is there whole or not at all, whenever a kill comes.
    symlinkSync(JSON.stringify(note), file);
    return { earlier, close: () => rmSync(file, { force: true }) };
  } catch {
    // Only this sign is lost: the call is judged as usual.
    return NO_NOTE;
  }
}

const parentOf = (pid: number): number => Number(statFields(pid)[1] ?? 0);
const processOf = (pid: number): string => `${pid} ${statFields(pid)[19] ?? ""}`;

interface CurrentCall extends CallNote {
  readonly isAfter: boolean;
  readonly nowMs: number;
}

function earlierCall({ folder, session }: NotesPlace, current: CurrentCall): EarlierCall {
  const names = namesIn(folder).filter((name) => name.startsWith(session) && name !== session + PROMPTED);
  const found = names.map((name): EarlierCall => {
    const file = join(folder, name);
    const note: CallNote = Object(JSON.parse(disk.readlinkSync(file)));
    if (isRunning(note.own)) return "answered";
    const hasRun = current.isAfter && current.callId !== NO_ID && note.callId === current.callId;
    const goesOn = note.agent === current.agent && current.nowMs < note.endsMs;
    const isReporting = disk.existsSync(join(folder, session + PROMPTED));
    // One of several calls at once takes it.
    rmSync(file);
    if (!hasRun && !goesOn) return "answered";
    return hasRun || isReporting ? "killed" : "possibly-canceled";
  });
  return found.find((one) => one === "killed") ?? found.find((one) => one !== "answered") ?? "answered";
}

function isRunning(own: string): boolean {
  const pid = Number(own.split(" ", 1)[0]);
  // Of a zombie only the number is left, until its parent reads how it ended.
  return own.endsWith(" ") ? isAlive(pid) : processOf(pid) === own && statFields(pid)[0] !== "Z";
}

/** Removes the notes of the session, because a prompt or a new start explains them, and those older than a day. */
function forgetCalls({ folder, session }: NotesPlace, isPrompt: boolean, nowMs: number): void {
  for (const name of namesIn(folder)) {
    const file = join(folder, name);
    const isOld = nowMs - (disk.lstatSync(file, { throwIfNoEntry: false })?.mtimeMs ?? nowMs) > DAY_MS;
    if (isOld || name.startsWith(session)) rmSync(file, { force: true });
  }
  if (!isPrompt) return;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, session + PROMPTED), "", { mode: 0o600 });
}

const namesIn = (folder: string): readonly string[] => (disk.existsSync(folder) ? disk.readdirSync(folder) : []);
