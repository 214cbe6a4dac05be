import { rmSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import type { RunContext } from "../../src/engine/run-context.ts";
import { entryNames, foldersAbove, pathExists, statOrNull } from "../../src/fs/paths.ts";
import { createFile } from "../../src/fs/write-file.ts";
import { type Interrupt, processRequest } from "../../src/process/process-request.ts";
import { runProcess } from "../../src/process/run-process.ts";
import type { Payload } from "../../src/protocol/payload/payload.ts";
import type { Problem } from "../../src/protocol/problem.ts";
import { shellQuote } from "../../src/protocol/text/shell-quote.ts";
import { truncateEscaped } from "../../src/protocol/text/text.ts";
import type { Warning } from "../../src/protocol/warning.ts";
import { effectiveCage } from "./cage-settings.ts";
import { agentAbove, isRunning, processKey } from "./cage-shell.ts";
import { namedShell, type TranscriptCall } from "./named-shell.ts";
import {
  type CageContext,
  cageFolder,
  cageOf,
  prepareCage,
  prepareNothing,
  recordOf,
  startError,
} from "./prepare-cage.ts";
import { takeRefusals } from "./session-network.ts";
import { noteBefore, undoChanges } from "./undo-changes.ts";

/** A tool call of an agent. */
export interface CagedCall {
  readonly processId: number;
  readonly payload: Payload;
  /** The variable that names the agent's shell, if hooks get it; null if they do not. */
  readonly shellVariable: string | null;
  /** Where the call may name another shell; null if it cannot. */
  readonly named: TranscriptCall | null;
  readonly context: RunContext;
}

/** What the cage has to say about a call. */
export interface CageNote {
  /** Blocks the call. */
  readonly problem: Problem | null;
  readonly warnings: readonly Warning[];
  /** For the model. */
  readonly context: string | null;
}

export const NO_NOTE: CageNote = { problem: null, warnings: [], context: null };

/** Prepares the cage of a shell call that an agent is about to make. */
export async function beforeShellCall(call: CagedCall): Promise<CageNote> {
  const { processId, payload, shellVariable, named, context } = call;
  const key = processKey(agentAbove(processId));
  const folder = ownRecord(key, context);
  // Of two calls at the same time, the second must not take for given what the first one made.
  const undone = await undoChanges(folder, statOrNull(join(folder, USED)), context.interrupt);
  const cage = await cageOf(key, context);
  if (cage === null) return NO_NOTE;
  if (!pathExists(join(folder, "start"))) await forgetEnded(join(folder, ".."), context.interrupt);
  if (cage.settings.mode === "observe") {
    prepareNothing(folder);
    const { predicted } = await import("./file-calls.ts");
    return { ...NO_NOTE, warnings: await predicted(payload, cage, context) };
  }
  const isRequired = cage.settings.mode === "require";
  const script = await prepareCage(cage, key, context);
  if (!script.ok) return absent(script.error, isRequired, folder);
  const isOther = shellVariable !== null && dirname(context.env[shellVariable] ?? "") !== shellsFolder(context);
  if (isRequired && (isOther || pathExists(join(folder, OUTSIDE)))) return absent(NOT_STARTED, isRequired, folder);
  const other = named === null ? null : namedShell(named);
  // An argument of the call must not open the cage, where nothing is required either.
  if (other !== null && (other.isKnown || isRequired)) return absent(other.why, true, folder);
  createFile(join(folder, ASKED));
  noteBefore(cage, folder, undone);
  return NO_NOTE;
}

/** A call without a cage is blocked where one is required; else the person is told once. */
function absent(cause: string, isRequired: boolean, folder: string): CageNote {
  if (isRequired) return { ...NO_NOTE, problem: { code: "CAGE_UNAVAILABLE", cause } };
  return createFile(join(folder, "absent")) ? { ...NO_NOTE, warnings: [{ code: "CAGE_ABSENT", cause }] } : NO_NOTE;
}

const ASKED = "asked";
const USED = "used";
/** The file in the record of a session whose calls ran without the shell of the cage. */
export const OUTSIDE = "outside";
const NOT_STARTED =
  "the agent does not start the shell of the cage: its own sandbox runs the calls, other settings name another shell, or the session is older than the cage";

const shellsFolder = (context: CageContext): string => join(cageFolder(context) ?? "", "shells");
const ownRecord = (key: string, context: CageContext): string => recordOf(key, cageFolder(context) ?? "");

/**
 * Takes away what a finished call changed in spite of the cage, and notes what the cage refused. A call that ran without the
 * shell of the cage, which marks each start, is noted.
 */
export async function afterShellCall({ processId, payload, context }: CagedCall): Promise<CageNote> {
  const settings = effectiveCage(context);
  if (settings === null || settings.mode === "observe") return NO_NOTE;
  const folder = ownRecord(processKey(agentAbove(processId)), context);
  const asked = statOrNull(join(folder, ASKED));
  const used = statOrNull(join(folder, USED));
  if (asked !== null && (used === null || used.mtimeMs < asked.mtimeMs)) {
    createFile(join(folder, OUTSIDE));
    return absent(NOT_STARTED, false, folder);
  }
  rmSync(join(folder, ASKED), { force: true });
  const undone = await undoChanges(folder, used, context.interrupt);
  const refused = refusedPaths(payload.members.get("tool_output")?.raw ?? "");
  const error = startError(folder);
  const texts = [
    ...(error === "" ? [] : [`did not start: ${truncateEscaped(error, LONGEST_ERROR)}`]),
    ...(undone.length === 0 ? [] : [undoneText(undone)]),
    ...(refused.length === 0 ? [] : [refusalText(refused, payload.cwd)]),
    ...takeRefusals(folder).map((why) => `refused a connection: ${why}`),
  ];
  const warnings = texts.map((what) => ({ code: "CAGE_REFUSED", what }) as const);
  return {
    problem: null,
    warnings,
    context: texts.length === 0 ? null : texts.map((text) => `hookctl's cage ${text}`).join("\n"),
  };
}

const undoneText = (undone: readonly string[]): string =>
  `undid changes, because they would start programs outside it: ${undone.join("; ")}. Only the person can make them.`;

const refusalText = (paths: readonly string[], cwd: string): string =>
  `refused to write ${paths.join(", ")}: shell calls may write the project, temporary files and caches. Only the person can allow more: hookctl cage allow ${shellQuote(toAllow(paths[0] ?? "", cwd))} --here`;

/** A path, or the folder above it that is missing: it is created when a person allows it. */
function toAllow(path: string, cwd: string): string {
  const whole = path.startsWith("~") ? path : resolve(cwd, path);
  const missing = foldersAbove(whole).findLast((folder) => isAbsolute(folder) && !pathExists(folder));
  return missing === undefined ? path : `${missing}/`;
}

/** Removes the records and temporary files of agents that have ended. */
async function forgetEnded(records: string, interrupt: Interrupt): Promise<void> {
  const ended = entryNames(records).filter((key) => !isRunning(key));
  if (ended.length === 0) return;
  // rm follows no link, whatever a process that is left does meanwhile.
  const args = ["-rf", "--", ...ended.map((key) => join(records, key))];
  const start = { file: "/bin/rm", args, cwd: "/", env: {}, timeoutMs: LONGEST_REMOVAL_MS, interrupt };
  await runProcess(processRequest({ ...start, stdoutLimitBytes: Number.POSITIVE_INFINITY }));
}

const LONGEST_REMOVAL_MS = 10_000;

/** The paths in messages of programs that could not write there. The output may be text, or JSON with texts. */
export function refusedPaths(output: string): readonly string[] {
  const text = output.slice(0, LONGEST_OUTPUT).replaceAll(/\\u201[89]/gi, "'");
  const lines = text.split(/\n|\\n/);
  // The first path in a message may be that of the program that writes it.
  const paths = lines.flatMap((line) =>
    /Read-only file system|EROFS/.test(line)
      ? (QUOTED.exec(line)?.[1] ?? [...line.matchAll(PATH_IN)].at(-1)?.[1] ?? [])
      : [],
  );
  return [...new Set(paths)].slice(0, MOST_PATHS);
}

const LONGEST_ERROR = 200;
const LONGEST_OUTPUT = 200_000;
const MOST_PATHS = 5;
/** A path with spaces, as most programs write it. */
const QUOTED = /['‘"]((?:\/|~\/|\.\.?\/)[^'’"\\]+)['’"]: Read-only/;
const PATH_IN = /(?:^|[\s'"‘(:])((?:\/|~\/|\.\.?\/)[^'"’:\s\\]+)/g;
