import type { CommandResult } from "../../../../src/cli/command-result.ts";
import { COMMON_OPTIONS } from "../../../../src/cli/common-options.ts";
import { unsetOptions } from "../../../../src/cli/options.ts";
import type { Host } from "../../../../src/engine/host.ts";
import { unwrap } from "../../../../src/protocol/result.ts";
import { inbox } from "../../../scripting/commands/session/inbox.ts";
import { state } from "../../../scripting/commands/session/state.ts";
import type { Method } from "../../../sdk/serve/methods.ts";
import { readParams, wrongParams } from "../../../sdk/serve/params.ts";

const STATE = { action: "text", key: "text", value: "json", session: "text", directory: "folder" } as const;
const INBOX = { action: "text", all: "switch", session: "text", directory: "folder" } as const;

/** `state` and `inbox`: the result is the output of the commands with --json, or null if they print nothing. */
export function sessionMethods(host: Host): Readonly<Record<"state" | "inbox", Method>> {
  return {
    state: (call) => {
      const { action, key, value, session, directory } = readParams(STATE, call.params, ["action", "session"]);
      if (value !== null && key === null) throw wrongParams("params.key is missing");
      const args = [action, key, value?.raw].flatMap((word) => word ?? []);
      const unset = unsetOptions(COMMON_OPTIONS);
      const options = { ...unset, session, directory, json: true };
      return outputOf((captured) => state({ command: "state", args, options }, captured), host);
    },
    inbox: (call) => {
      const { action, all: isAll, session, directory } = readParams(INBOX, call.params, ["session"]);
      const unset = unsetOptions(COMMON_OPTIONS);
      const options = { ...unset, session, directory, isAll, json: true };
      const args = [action].flatMap((word) => word ?? []);
      return outputOf((captured) => inbox({ command: "inbox", args, options }, captured), host);
    },
  };
}

/** The stdout of a command. Its warnings go to the server's stderr. */
async function outputOf(command: (host: Host) => Promise<CommandResult>, host: Host): Promise<string> {
  const output = capturedBy(host);
  unwrap(await command(output.host));
  return output.text().trim() || "null";
}

/** A host that collects what a command writes to stdout. */
function capturedBy(host: Host): { readonly host: Host; readonly text: () => string } {
  let text = "";
  const out = (part: string): null => {
    text += part;
    return null;
  };
  return { host: { ...host, out }, text: () => text };
}
