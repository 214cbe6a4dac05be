import type { CommandResult } from "../../cli/command-result.ts";
import { COMMON_OPTIONS } from "../../cli/common-options.ts";
import { unsetOptions } from "../../cli/options.ts";
import type { Host } from "../../host.ts";
import type { Problem } from "../../protocol/problem.ts";
import { fail, ok, type Result } from "../../protocol/result.ts";
import type { Method } from "../../serve/methods.ts";
import { readParams } from "../../serve/params.ts";
import { badRequest } from "../../serve/request.ts";
import { inbox } from "../session/inbox.ts";
import { state } from "../session/state.ts";

const STATE = { action: "text", key: "text", value: "json", session: "text", directory: "folder" } as const;
const INBOX = { action: "text", all: "switch", session: "text", directory: "folder" } as const;

/** `state` and `inbox`: the result is what the commands print with --json; null: they print nothing. */
export function sessionMethods(host: Host): Readonly<Record<"state" | "inbox", Method>> {
  return {
    state: async (call) => {
      const params = readParams(STATE, call.params, ["action", "session"]);
      if (!params.ok) return params;
      const { action, key, value, session, directory } = params.value;
      if (value !== null && key === null) return fail(badRequest("params.key is missing"));
      const args = [action, key, value?.raw].flatMap((word) => word ?? []);
      const options = {
        ...unsetOptions(COMMON_OPTIONS),
        session,
        directory,
        json: true,
      };
      return printed((captured) => state({ command: "state", args, options }, captured), host);
    },
    inbox: async (call) => {
      const params = readParams(INBOX, call.params, ["session"]);
      if (!params.ok) return params;
      const { action, all, session, directory } = params.value;
      const options = { ...unsetOptions(COMMON_OPTIONS), session, directory, isAll: all, json: true };
      const args = [action].flatMap((word) => word ?? []);
      return printed((captured) => inbox({ command: "inbox", args, options }, captured), host);
    },
  };
}

/** The stdout of a command. Its warnings go to the server's stderr. */
async function printed(command: (host: Host) => Promise<CommandResult>, host: Host): Promise<Result<string, Problem>> {
  let text = "";
  const out = (part: string): null => {
    text += part;
    return null;
  };
  const ended = await command({ ...host, out });
  return ended.ok ? ok(text.trim() || "null") : ended;
}
