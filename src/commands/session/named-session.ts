import type { CommandLine } from "../../cli/command-table.ts";
import { NO_SESSION_FOLDER } from "../../engine/run/session-effects.ts";
import { callerOf, findCallerScopes, findUserPaths } from "../../engine/user-paths.ts";
import type { Host } from "../../host.ts";
import type { Problem } from "../../protocol/problem.ts";
import { fail, ok, type Result } from "../../protocol/result.ts";
import { quoteHookNames } from "../../protocol/text/shell-quote.ts";
import type { Warning } from "../../protocol/warning.ts";
import { warningText } from "../../protocol/warning.ts";
import { warningLine } from "../../report/problem-text.ts";
import { PLAIN_STYLE } from "../../report/text-style.ts";
import { sessionFolder } from "../../session/session-folder.ts";

export interface NamedSession {
  readonly id: string;
  readonly folder: string;
}

/** Returns the session of `--session`, or the one of the hook that calls this command. */
export function namedSession(line: CommandLine<"state" | "inbox">, host: Host): Result<NamedSession, Problem> {
  const id = line.options.session ?? host.env.HOOKCTL_SESSION ?? "";
  if (id === "") {
    const detail = "Missing --session: this is not called by a hook of a session.";
    return fail({
      code: "USAGE_WRONG_WORDS",
      detail,
      tryThis: `hookctl ${line.command} --session ID ${quoteHookNames(line.args)}`.trimEnd(),
    });
  }
  const directory = line.options.directory;
  const caller = callerOf(host, directory);
  const scopes = findCallerScopes(caller);
  if (!scopes.ok) return scopes;
  const root = findUserPaths(scopes.value, caller).sessionsDir;
  if (root === null) return fail({ code: "SESSION_NOT_USABLE", session: id, cause: NO_SESSION_FOLDER });
  return ok({ id, folder: sessionFolder(root, id) });
}

/** Writes a warning at once, because these commands have no other report. */
export const warnTo =
  (host: Host) =>
  (warning: Warning): void =>
    host.err(warningLine(warningText(warning), PLAIN_STYLE));
