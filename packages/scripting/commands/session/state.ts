import { type CommandResult, print } from "../../../../src/cli/command-result.ts";
import type { CommandLine } from "../../../../src/cli/command-table.ts";
import type { Host } from "../../../../src/engine/host.ts";
import { callerOf, findCallerScopes, findUserPaths } from "../../../../src/engine/user-paths.ts";
import { EXIT } from "../../../../src/protocol/exit-code.ts";
import { readJson, stringOf } from "../../../../src/protocol/json/read.ts";
import { printableJson, rawJson } from "../../../../src/protocol/json/write.ts";
import { ownValue } from "../../../../src/protocol/own-value.ts";
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

interface ActionRow {
  readonly usage: string;
  /** The least and the most arguments. */
  readonly counts: readonly [number, number];
  /** Returns a value as raw JSON, or null: `get` found none, or that of `incr` is no number. */
  carryOut(state: SessionState, key: string, value: string | undefined): Promise<Result<string | null, string>>;
}

const VALUE_DEPTH = 64;

const ACTIONS: Readonly<Record<string, ActionRow>> = {
  get: { usage: "get [KEY]", counts: [0, 1], carryOut: (state, key) => state.get(key) },
  set: {
    usage: "set KEY VALUE",
    counts: [2, 2],
    carryOut: async (state, key, text = "") => silent(await state.set(key, rawOf(text))),
  },
  // Prints the new value, because a hook that counts usually needs it.
  incr: { usage: "incr KEY [BY]", counts: [1, 2], carryOut: (state, key, by) => state.increment(key, by) },
  unset: { usage: "unset KEY", counts: [1, 1], carryOut: async (state, key) => silent(await state.delete(key)) },
};

/** Nothing is printed. */
const silent = (result: Result<null, string>): Result<string, string> => (result.ok ? ok("") : result);

/** `hookctl state get|set|incr|unset`: reads and changes the values of a session, for hooks in any language. */
export async function state(line: CommandLine<"state">, host: Host): Promise<CommandResult> {
  const [action = "", key = "", value] = line.args;
  checkArguments(action, line.args.length - 1, value);
  const { id, folder } = namedSession(line, host);
  const opened = openState(folder, warnTo(host));
  const isAll = action === "get" && line.args.length === 1;
  const answer = isAll ? await opened.all() : await ownValue(ACTIONS, action)?.carryOut(opened, key, value);
  if (answer?.ok === false) return fail({ code: "SESSION_NOT_USABLE", session: id, cause: answer.error });
  const found = answer?.value ?? null;
  if (found === null) return action === "incr" ? fail({ code: "STATE_NOT_NUMBER", key }) : ok(EXIT.checkFailed);
  if (found === "") return ok(EXIT.ok);
  const raw = typeof found === "string" ? found : stateText(found);
  if (line.options.json) {
    const content = isAll ? { values: rawJson(raw) } : { key, value: rawJson(raw) };
    return print(`${printableJson({ schema: "hookctl.state/1", ...content })}\n`, host);
  }
  // A script gets the value unchanged; on a terminal control characters are escaped.
  const text = isAll ? escapeControls(raw) : bare(raw);
  const shown = host.isStdoutTerminal() ? text.split("\n").map(escapeControls).join("\n") : text;
  return print(`${shown}\n`, host);
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

function checkArguments(action: string, count: number, value: string | undefined): void {
  const row = ownValue(ACTIONS, action);
  if (row === undefined) throw new ProblemError(unknownAction(action));
  const [least, most] = row.counts;
  const by = action === "incr" && value !== undefined ? readJson(value, 1) : null;
  const isNumber = by === null || (by.ok && by.value.kind === "number");
  if (count >= least && count <= most && isNumber) return;
  const isCount = count < least || count > most;
  const detail = isCount ? "state: wrong arguments." : "state incr: BY must be a number.";
  throw new ProblemError({ code: "USAGE_WRONG_WORDS", detail, tryThis: `hookctl state ${row.usage}` });
}

function unknownAction(action: string): Problem {
  const near = nearest(action, Object.keys(ACTIONS));
  const detail = `Unknown action "${escapeControls(action).slice(0, 60)}".${near === null ? "" : ` Did you mean ${near}?`}`;
  return { code: "USAGE_WRONG_WORDS", detail, tryThis: "hookctl state --help" };
}

export interface NamedSession {
  readonly id: string;
  readonly folder: string;
}

/** Returns the session of `--session`, or the session of the hook that calls this command. */
export function namedSession(line: CommandLine<"state" | "inbox">, host: Host): NamedSession {
  const id = line.options.session ?? host.env.HOOKCTL_SESSION ?? "";
  if (id === "") {
    const detail = "Missing --session: this was not called by a hook of a session.";
    const tryThis = `hookctl ${line.command} --session ID ${quoteHookNames(line.args)}`.trimEnd();
    throw new ProblemError({ code: "USAGE_WRONG_WORDS", detail, tryThis });
  }
  const caller = callerOf(host, line.options.directory);
  const root = findUserPaths(unwrap(findCallerScopes(caller)), caller).sessionsDir;
  if (root === null) throw new ProblemError({ code: "SESSION_NOT_USABLE", session: id, cause: NO_SESSION_FOLDER });
  return { id, folder: sessionFolder(root, id) };
}

/** Writes a warning at once, because these commands have no other report. */
export const warnTo =
  (host: Host) =>
  (warning: Warning): void =>
    host.err(warningLine(warningText(warning), PLAIN_STYLE));
