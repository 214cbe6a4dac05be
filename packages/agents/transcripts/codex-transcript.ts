import { arrayOr, objectOr, stringOr, type UncheckedObject } from "../../../src/protocol/json/read.ts";
import { shellQuote } from "../../../src/protocol/text/shell-quote.ts";
import { parsedArguments, said, type TranscriptCall, type TranscriptEntry, timeOf } from "./transcript.ts";

const CALL_TYPES: readonly unknown[] = ["function_call", "custom_tool_call", "local_shell_call", "web_search_call"];
const SHELL_TOOLS: readonly string[] = ["exec_command", "shell_command", "shell", "container.exec", "local_shell"];
/** Programs written by the model that call tools themselves. The commands in them are not recorded as calls. */
const CODE_MODE: readonly string[] = ["exec", "code_mode"];

/** Reads a line of `sessions/YYYY/MM/DD/rollout-*.jsonl`. In files from before September 2025 an item is the line itself. */
export function readCodexEntry(entry: UncheckedObject): TranscriptEntry {
  const payload = objectOr(entry.payload);
  const time = timeOf(entry.timestamp);
  switch (entry.type) {
    case "session_meta":
      return said(payload.id, payload.cwd);
    case "turn_context":
      return said("", payload.cwd);
    case "response_item":
      return itemEntry(payload, time);
    case "event_msg":
      return payload.type === "exec_command_end" ? { calls: [executed(payload, time)] } : {};
    default:
      return CALL_TYPES.includes(entry.type) ? itemEntry(entry, time) : said(entry.id, "");
  }
}

function itemEntry(item: UncheckedObject, time: TranscriptCall["time"]): TranscriptEntry {
  if (item.type === "custom_tool_call" && CODE_MODE.includes(stringOr(item.name))) return { unreadableCalls: 1 };
  if (!CALL_TYPES.includes(item.type)) return {};
  return { calls: [{ ...calledTool(item), id: stringOr(item.call_id), time }] };
}

/** The tool and its input as Codex sends them to a hook: shell calls and patches have a text under `command`. */
function calledTool(item: UncheckedObject): Pick<TranscriptCall, "tool" | "input"> {
  const name = stringOr(item.name);
  if (item.type === "local_shell_call") return shellCall(objectOr(item.action));
  if (item.type === "web_search_call") return { tool: "web_search", input: item.action };
  if (name === "apply_patch") {
    const given = item.type === "custom_tool_call" ? item.input : objectOr(parsedArguments(item.arguments)).input;
    return { tool: "apply_patch", input: { command: stringOr(given) } };
  }
  const input = item.type === "custom_tool_call" ? { input: item.input } : parsedArguments(item.arguments);
  if (SHELL_TOOLS.includes(name)) return shellCall(objectOr(input));
  return { tool: stringOr(item.namespace) + name, input };
}

const shellCall = (input: UncheckedObject): Pick<TranscriptCall, "tool" | "input"> => ({
  tool: "Bash",
  input: { command: commandText(input.cmd ?? input.command) },
});

/** A list of arguments as the shell line that has the same meaning. */
const commandText = (command: unknown): string =>
  typeof command === "string"
    ? command
    : arrayOr(command)
        .map((word) => shellQuote(stringOr(word)))
        .join(" ");

/** A command that ran, also one that a program of the model has started. */
const executed = (event: UncheckedObject, time: TranscriptCall["time"]): TranscriptCall => ({
  ...shellCall(event),
  ...(stringOr(event.cwd) === "" ? {} : { cwd: stringOr(event.cwd) }),
  id: stringOr(event.call_id),
  time,
});
