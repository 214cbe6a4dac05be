import type { Explanation, PayloadProblem, UsageProblem } from "../problem.ts";
import { didYouMean } from "../text/nearest.ts";
import { truncate } from "../text/text.ts";
import { formatDuration } from "../text/units.ts";

export function explainUsage(problem: UsageProblem): Explanation {
  switch (problem.code) {
    case "USAGE_UNKNOWN_VERB":
      return { summary: unknown("command", problem.verb, problem.nearest), hint: "All commands: hookctl --help" };
    case "USAGE_UNKNOWN_FLAG":
      return {
        summary: unknown("option", problem.flag, problem.nearest),
        hint: allOptions(problem.verb),
      };
    case "USAGE_UNKNOWN_EVENT":
      return { summary: unknown("event", problem.name, problem.nearest), hint: "All events: hookctl payload --help" };
    case "USAGE_UNKNOWN_PATH":
      return { summary: unknown("payload path", problem.path, problem.nearest), hint: pathHint(problem) };
    case "USAGE_UNKNOWN_HOOK":
      return { summary: unknown("hook", problem.name, problem.nearest), hint: "All hooks: hookctl list" };
    case "USAGE_MACHINE_HOOK":
      return {
        summary: `${truncate(problem.name, 80)} belongs to this machine: it needs no approval, and only an administrator can change it.`,
        hint: `As root: ${truncate(problem.path, 200)}`,
      };
    case "USAGE_UNKNOWN_SUBJECT":
      return { summary: unknown("schema", problem.name, problem.nearest), hint: "All schemas: hookctl schema" };
    case "USAGE_UNKNOWN_GUARD":
      return { summary: unknown("guard", problem.name, problem.nearest), hint: "All guards: hookctl guards" };
    case "USAGE_UNKNOWN_RUN":
      return {
        summary: unknownRun(problem),
        hint:
          problem.run === "" && problem.session === null
            ? "Connect your agents: hookctl init"
            : "All runs: hookctl log --last 1000",
      };
    case "USAGE_AMBIGUOUS_RUN":
      return {
        summary: `${problem.count ?? "Many"} recorded runs have an id that begins with "${truncate(problem.run, 60)}".`,
        hint: `Type more of the id: hookctl why ${truncate(problem.newest, 60)}`,
      };
    case "USAGE_BAD_HOOK_NAME":
      return {
        summary: `Invalid hook name "${truncate(problem.name, 60)}": ${problem.detail}.`,
        hint: "Try: hookctl new guard --event before_tool_call --lang bash",
      };
    case "USAGE_HOOK_EXISTS":
      return {
        summary: `${problem.path} already exists and is not this hook; it was not changed.`,
        hint: "Choose another name, or move that file away.",
      };
    case "USAGE_NO_SUCH_PATH":
      return {
        summary: `${problem.path} does not exist.`,
        hint: problem.next ?? "A path starts with ./, ../ or /. All hook names: hookctl list",
      };
    case "USAGE_BAD_VALUE":
      return {
        summary: `Invalid value "${truncate(problem.value, 60)}" for ${problem.flag}: ${problem.detail}`,
        hint: allOptions(problem.command ?? null),
      };
    case "USAGE_WRONG_WORDS":
      return { summary: problem.detail, hint: `Try: ${problem.tryThis}` };
    case "USAGE_BAD_OPTION":
      return { summary: `${problem.option}: ${problem.detail}`, hint: "All options: docs/library.md" };
    case "USAGE_BAD_REQUEST":
      return { summary: `Invalid request: ${problem.detail}.`, hint: "All requests: docs/serve.md" };
    case "USAGE_UNKNOWN_METHOD":
      return { summary: unknown("method", problem.name, problem.nearest), hint: "All requests: docs/serve.md" };
    case "USAGE_CLOSED":
      return { summary: "These hooks are closed, so no call can run.", hint: "Create new hooks with createHooks()." };
  }
}

const allOptions = (command: string | null): string =>
  `All options: hookctl ${command === null ? "" : `${command} `}--help`;

function unknownRun({ run, session }: Extract<UsageProblem, { readonly code: "USAGE_UNKNOWN_RUN" }>): string {
  const ofSession = session === null ? "" : ` of session "${truncate(session, 60)}"`;
  if (run !== "") return `No recorded run${ofSession} has an id that begins with "${truncate(run, 60)}".`;
  return session === null ? "No runs recorded yet." : `No run${ofSession} is recorded.`;
}

function pathHint(problem: Extract<UsageProblem, { readonly code: "USAGE_UNKNOWN_PATH" }>): string {
  const { event, tool, otherTool, nearest } = problem;
  if (tool !== null && nearest === null) {
    return `${tool.name} takes ${truncate(tool.takes.join(", "), 60)}. For another tool add tool_name=${otherTool ?? "NAME"}`;
  }
  const isOther = otherTool !== null && tool === null && otherTool !== "bash" && nearest?.startsWith("tool_input.");
  return isOther ? `Add tool_name=${otherTool}, or another tool that takes it` : `All fields: hookctl payload ${event}`;
}

const unknown = (what: string, word: string, near: string | null): string =>
  `Unknown ${what} "${truncate(word, 60)}"${near === null ? "." : didYouMean(near)}`;

export function explainPayload(problem: PayloadProblem): Explanation {
  switch (problem.code) {
    case "PAYLOAD_MISSING":
      return {
        summary:
          problem.file === undefined
            ? `No payload on stdin${MISSING[problem.why]}.`
            : `The payload ${truncate(problem.file, 200)} is empty.`,
        hint: `Try: ${problem.tryThis ?? `hookctl payload ${problem.event} | hookctl run ${problem.event}`}`,
      };
    case "PAYLOAD_NOT_READABLE":
      return { summary: `The payload ${problem.place} cannot be read: ${problem.cause}.`, hint: "Check the path." };
    case "PAYLOAD_NOT_ENDED":
      return {
        summary: `The payload on stdin did not end within ${formatDuration(problem.afterMs)}.`,
        hint: "Close stdin after the payload.",
      };
    case "PAYLOAD_TOO_LARGE":
      return {
        summary: `The payload is larger than ${problem.limitBytes / 1_048_576} MiB.`,
        hint: "Send only what the hooks need, not the whole history.",
      };
    case "PAYLOAD_NOT_UTF8":
      return { summary: "The payload is not UTF-8.", hint: "Encode it as UTF-8." };
    case "PAYLOAD_NOT_JSON":
      return {
        summary: `The payload is not valid JSON: line ${problem.line}, ${problem.detail}.`,
        hint: validPayload(problem.event),
      };
    case "PAYLOAD_NOT_OBJECT":
      return { summary: `The payload is a JSON ${problem.found}, not an object.`, hint: validPayload(problem.event) };
    case "PAYLOAD_FIELD_MISSING":
      return {
        summary: `The payload has no "${problem.field}", which ${problem.event} needs.`,
        hint: validPayload(problem.event),
      };
    case "PAYLOAD_FIELD_TYPE":
      return {
        summary: `"${problem.field}" in the payload is a JSON ${problem.found}; it must be ${problem.expected}.`,
        hint: validPayload(problem.event),
      };
    case "PAYLOAD_FIELD_VALUE":
      return {
        summary: `"${problem.field}" in the payload is "${truncate(problem.found, 60)}"; it must be ${problem.values.join(" or ")}.`,
        hint: `Send one of these, or leave "${problem.field}" out.`,
      };
    case "PAYLOAD_EVENT_DIFFERS":
      return {
        summary: `"event" in the payload is "${truncate(problem.found, 60)}", but the command says ${problem.event}.`,
        hint: "Remove it from the payload, or make both the same.",
      };
    case "PAYLOAD_AMBIGUOUS":
      return {
        summary: `The arguments of this ${truncate(problem.tool, 60)} call contradict each other: ${contradiction(problem.keys)}.`,
        hint: "Send each argument once.",
      };
  }
}

const contradiction = (keys: readonly [string, string] | null): string =>
  keys === null
    ? "one key occurs twice"
    : `"${truncate(keys[0], 60)}" and "${truncate(keys[1], 60)}" mean the same and differ`;

/** A payload that cannot be read may not name its event; most hooks handle before_tool_call. */
const validPayload = (event = "before_tool_call"): string => `A valid payload: hookctl payload ${event}`;
const MISSING = { terminal: " (it is a terminal)", empty: "", silent: " (nothing arrived in time)" };
