import { type CommandResult, print } from "../../../../src/cli/command-result.ts";
import type { CommandLine } from "../../../../src/cli/command-table.ts";
import type { Host } from "../../../../src/engine/host.ts";
import { callerOf, findCallerScopes, findUserPaths } from "../../../../src/engine/user-paths.ts";
import { EXIT } from "../../../../src/protocol/exit-code.ts";
import { readJson, stringOf } from "../../../../src/protocol/json/read.ts";
import { printableJson, rawJson } from "../../../../src/protocol/json/write.ts";
import type { Problem } from "../../../../src/protocol/problem.ts";
import { fail, ok, ProblemError, type Result, unwrap } from "../../../../src/protocol/result.ts";
import { nearest } from "../../../../src/protocol/text/nearest.ts";
import { quoteHookNames } from "../../../../src/protocol/text/shell-quote.ts";
import { escapeControls } from "../../../../src/protocol/text/text.ts";
import { type Warning, warningText } from "../../../../src/protocol/warning.ts";
import { warningLine } from "../../../../src/report/problem-text.ts";
import { PLAIN_STYLE } from "../../../../src/report/text-style.ts";
import { NO_SESSION_FOLDER, sessionFolder } from "../../../../src/session/session-folder.ts";
import { openState, type SessionState, stateText } from "../../../../src/session/state.ts";

type Words = readonly [key: string, value: string | undefined];
/** Returns a value as raw JSON, an empty text if there is nothing to print, and null if there is no such value. */
type Action = (state: SessionState, words: Words) => Promise<Result<string | null, string>>;

interface ActionRow {
  readonly least: number;
  readonly most: number;
  readonly usage: string;
  readonly carryOut: Action;
}

const VALUE_DEPTH = 64;

const ACTIONS: Readonly<Record<string, ActionRow>> = {
  get: { least: 0, most: 1, usage: "get [KEY]", carryOut: (state, [key]) => state.get(key) },
  set: {
    least: 2,
    most: 2,
    usage: "set KEY VALUE",
    carryOut: async (state, [key, text = ""]) => silent(await state.set(key, rawOf(text))),
  },
  // Prints the new value, because a hook that counts usually needs it.
  incr: { least: 1, most: 2, usage: "incr KEY [BY]", carryOut: (state, [key, by]) => state.increment(key, by) },
  unset: {
    least: 1,
    most: 1,
    usage: "unset KEY",
    carryOut: async (state, [key]) => silent(await state.delete(key)),
  },
};

/** `hookctl state get|set|incr|unset`: reads and changes the values of a session, for hooks in any language. */
export async function state(line: CommandLine<"state">, host: Host): Promise<CommandResult> {
  const [action = "", key = "", value] = line.args;
  const row = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
  if (row === undefined) return fail(unknownAction(action));
  const problem = wrongWords(row, line.args.length - 1, value);
  if (problem !== null) return fail(problem);
  const { id, folder } = namedSession(line, host);
  const opened = openState(folder, warnTo(host));
  const isAll = action === "get" && line.args.length === 1;
  const answer = isAll ? await all(opened) : await row.carryOut(opened, [key, value]);
  if (!answer.ok) return fail({ code: "SESSION_NOT_USABLE", session: id, cause: answer.error });
  if (answer.value === null) {
    return action === "incr" ? fail({ code: "STATE_NOT_NUMBER", key }) : ok(EXIT.checkFailed);
  }
  if (answer.value === "") return ok(EXIT.ok);
  if (line.options.json) {
    const raw = rawJson(answer.value);
    const content = isAll ? { values: raw } : { key, value: raw };
    return print(`${printableJson({ schema: "hookctl.state/1", ...content })}\n`, host);
  }
  // A script gets the value unchanged; on a terminal control characters are escaped.
  const text = isAll ? escapeControls(answer.value) : bare(answer.value);
  return print(`${host.isStdoutTerminal() ? safeLines(text) : text}\n`, host);
}

async function all(opened: SessionState): Promise<Result<string, string>> {
  const values = await opened.all();
  return values.ok ? ok(stateText(values.value)) : values;
}

/** A string without its quotes, anything else as JSON. */
function bare(raw: string): string {
  const read = readJson(raw, Number.POSITIVE_INFINITY);
  return read.ok && read.value.kind === "string" ? stringOf(read.value) : raw;
}

/** A value is JSON if it parses, else a string; numbers keep every digit. */
function rawOf(text: string): string {
  const read = readJson(text, VALUE_DEPTH);
  return read.ok ? read.value.raw : JSON.stringify(text);
}

const silent = (result: Result<null, string>): Result<string, string> => (result.ok ? ok("") : result);

function wrongWords(row: ActionRow, count: number, value: string | undefined): Problem | null {
  const tryThis = `hookctl state ${row.usage}`;
  if (count < row.least || count > row.most)
    return { code: "USAGE_WRONG_WORDS", detail: "state: wrong arguments.", tryThis };
  if (row !== ACTIONS.incr || value === undefined) return null;
  const read = readJson(value, 1);
  const isNumber = read.ok && read.value.kind === "number";
  return isNumber ? null : { code: "USAGE_WRONG_WORDS", detail: "state incr: BY must be a number.", tryThis };
}

function unknownAction(action: string): Problem {
  const near = nearest(action, Object.keys(ACTIONS));
  const detail = `Unknown action "${escapeControls(action).slice(0, 60)}".${near === null ? "" : ` Did you mean ${near}?`}`;
  return { code: "USAGE_WRONG_WORDS", detail, tryThis: "hookctl state --help" };
}

const safeLines = (text: string): string => text.split("\n").map(escapeControls).join("\n");

export interface NamedSession {
  readonly id: string;
  readonly folder: string;
}

/** Returns the session of `--session`, or the session of the hook that calls this command. */
export function namedSession(line: CommandLine<"state" | "inbox">, host: Host): NamedSession {
  const id = line.options.session ?? host.env.HOOKCTL_SESSION ?? "";
  if (id === "") {
    const detail = "Missing --session: this is not called by a hook of a session.";
    const tryThis = `hookctl ${line.command} --session ID ${quoteHookNames(line.args)}`.trimEnd();
    throw new ProblemError({ code: "USAGE_WRONG_WORDS", detail, tryThis });
  }
  const directory = line.options.directory;
  const caller = callerOf(host, directory);
  const scopes = unwrap(findCallerScopes(caller));
  const root = findUserPaths(scopes, caller).sessionsDir;
  if (root === null) throw new ProblemError({ code: "SESSION_NOT_USABLE", session: id, cause: NO_SESSION_FOLDER });
  return { id, folder: sessionFolder(root, id) };
}

/** Writes a warning at once, because these commands have no other report. */
export const warnTo =
  (host: Host) =>
  (warning: Warning): void =>
    host.err(warningLine(warningText(warning), PLAIN_STYLE));
