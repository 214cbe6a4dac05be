import type { JsonKind } from "../json/scan.ts";
import { didYouMean } from "../text/nearest.ts";
import { truncate } from "../text/text.ts";
import { formatDuration } from "../text/units.ts";
import type { ProblemRows, Texts, UnionOf } from "./row.ts";

interface UnknownName {
  readonly name: string;
  readonly nearest: string | null;
}

interface UnknownPath {
  readonly event: string;
  readonly path: string;
  readonly nearest: string | null;
  /** The known tool whose arguments do not include it. */
  readonly tool: { readonly name: string; readonly takes: readonly string[] } | null;
  /** A tool that has an argument of this name. */
  readonly otherTool: string | null;
}

interface UnknownRun {
  readonly run: string;
  readonly session: string | null;
}

export const USAGE_ROWS = {
  USAGE_UNKNOWN_VERB: ({ verb, nearest }: { verb: string; nearest: string | null }) => [
    unknown("command", verb, nearest),
    "All commands: hookctl --help",
  ],
  USAGE_UNKNOWN_FLAG: ({ flag, nearest, verb }: { flag: string; nearest: string | null; verb: string | null }) => [
    unknown("option", flag, nearest),
    allOptions(verb),
  ],
  USAGE_UNKNOWN_EVENT: ({ name, nearest }: UnknownName) => [
    unknown("event", name, nearest),
    "All events: hookctl payload --help",
  ],
  USAGE_UNKNOWN_PATH: (problem: UnknownPath) => [
    unknown("payload path", problem.path, problem.nearest),
    pathHint(problem),
  ],
  USAGE_UNKNOWN_HOOK: ({ name, nearest }: UnknownName) => [unknown("hook", name, nearest), "All hooks: hookctl list"],
  /** Only the administrator may change it. */
  USAGE_MACHINE_HOOK: ({ name, path }: Texts<"name" | "path">) => [
    `${truncate(name, 80)} belongs to this machine: it needs no approval, and only an administrator can change it.`,
    `As root: ${truncate(path, 200)}`,
  ],
  USAGE_UNKNOWN_SUBJECT: ({ name, nearest }: UnknownName) => [
    unknown("schema", name, nearest),
    "All schemas: hookctl schema",
  ],
  USAGE_UNKNOWN_GUARD: ({ name, nearest }: UnknownName) => [
    unknown("guard", name, nearest),
    "All guards: hookctl guards",
  ],
  USAGE_UNKNOWN_RUN: ({ run, session }: UnknownRun) => [
    unknownRun(run, session),
    run === "" && session === null ? "Connect your agents: hookctl init" : "All runs: hookctl log --last 1000",
  ],
  /** `count` is null for many runs. */
  USAGE_AMBIGUOUS_RUN: ({ run, count, newest }: Texts<"run" | "newest"> & { count: number | null }) => [
    `${count ?? "Many"} recorded runs have an id that begins with "${truncate(run, 60)}".`,
    `Type more of the id: hookctl why ${truncate(newest, 60)}`,
  ],
  USAGE_BAD_HOOK_NAME: ({ name, detail }: Texts<"name" | "detail">) => [
    `Invalid hook name "${truncate(name, 60)}": ${detail}.`,
    "Try: hookctl new guard --event before_tool_call --lang bash",
  ],
  USAGE_HOOK_EXISTS: ({ path }: Texts<"path">) => [
    `${path} already exists and is not this hook; it was not changed.`,
    "Choose another name, or move that file away.",
  ],
  /** Without `next` the path may have been intended as the name of a hook. */
  USAGE_NO_SUCH_PATH: ({ path, next }: { path: string; next?: string }) => [
    `${path} does not exist.`,
    next ?? "A path starts with ./, ../ or /. All hook names: hookctl list",
  ],
  /** `command` has this option; it is missing for an option of every command, or if it is not known. */
  USAGE_BAD_VALUE: ({ flag, value, detail, command }: Texts<"flag" | "value" | "detail"> & { command?: string }) => [
    `Invalid value "${truncate(value, 60)}" for ${flag}: ${detail}`,
    allOptions(command ?? null),
  ],
  USAGE_WRONG_WORDS: ({ detail, tryThis }: Texts<"detail" | "tryThis">) => [detail, `Try: ${tryThis}`],
  USAGE_BAD_OPTION: ({ option, detail }: Texts<"option" | "detail">) => [
    `${option}: ${detail}`,
    "All options: docs/library.md",
  ],
  USAGE_BAD_REQUEST: ({ detail }: Texts<"detail">) => [`Invalid request: ${detail}.`, "All requests: docs/serve.md"],
  USAGE_UNKNOWN_METHOD: ({ name, nearest }: UnknownName) => [
    unknown("method", name, nearest),
    "All requests: docs/serve.md",
  ],
  USAGE_CLOSED: () => ["These hooks are closed, so no call can run.", "Create new hooks with createHooks()."],
} as const satisfies ProblemRows;
export type UsageProblem = UnionOf<typeof USAGE_ROWS>;

const allOptions = (command: string | null): string =>
  `All options: hookctl ${command === null ? "" : `${command} `}--help`;

function unknownRun(run: string, session: string | null): string {
  const ofSession = session === null ? "" : ` of session "${truncate(session, 60)}"`;
  if (run !== "") return `No recorded run${ofSession} has an id that begins with "${truncate(run, 60)}".`;
  return session === null ? "No runs recorded yet." : `No run${ofSession} is recorded.`;
}

function pathHint({ event, tool, otherTool, nearest }: UnknownPath): string {
  if (tool !== null && nearest === null) {
    return `${tool.name} takes ${truncate(tool.takes.join(", "), 60)}. For another tool add tool_name=${otherTool ?? "NAME"}`;
  }
  const isOther = otherTool !== null && tool === null && otherTool !== "bash" && nearest?.startsWith("tool_input.");
  return isOther ? `Add tool_name=${otherTool}, or another tool that takes it` : `All fields: hookctl payload ${event}`;
}

const unknown = (what: string, word: string, near: string | null): string =>
  `Unknown ${what} "${truncate(word, 60)}"${near === null ? "." : didYouMean(near)}`;

interface MissingPayload {
  readonly why: keyof typeof MISSING;
  readonly event: string;
  /** The empty file; missing if the payload was expected on stdin. */
  readonly file?: string;
  /** A command that sends a payload, for readers of another format. */
  readonly tryThis?: string;
}

const MISSING = { terminal: " (it is a terminal)", empty: "", silent: " (nothing arrived in time)" };

/** `event` is missing if the payload cannot be read, so that it names none. */
export const PAYLOAD_ROWS = {
  PAYLOAD_MISSING: ({ why, event, file, tryThis }: MissingPayload) => [
    file === undefined ? `No payload on stdin${MISSING[why]}.` : `The payload ${truncate(file, 200)} is empty.`,
    `Try: ${tryThis ?? `hookctl payload ${event} | hookctl run ${event}`}`,
  ],
  PAYLOAD_NOT_READABLE: ({ place, cause }: Texts<"place" | "cause">) => [
    `The payload ${place} cannot be read: ${cause}.`,
    "Check the path.",
  ],
  PAYLOAD_NOT_ENDED: ({ afterMs }: { afterMs: number }) => [
    `The payload on stdin did not end within ${formatDuration(afterMs)}.`,
    "Close stdin after the payload.",
  ],
  PAYLOAD_TOO_LARGE: ({ limitBytes }: { limitBytes: number }) => [
    `The payload is larger than ${limitBytes / 1_048_576} MiB.`,
    "Send only what the hooks need, not the whole history.",
  ],
  PAYLOAD_NOT_UTF8: () => ["The payload is not UTF-8.", "Encode it as UTF-8."],
  PAYLOAD_NOT_JSON: ({ line, detail, event }: { line: number; detail: string; event?: string }) => [
    `The payload is not valid JSON: line ${line}, ${detail}.`,
    validPayload(event),
  ],
  PAYLOAD_NOT_OBJECT: ({ found, event }: { found: JsonKind; event?: string }) => [
    `The payload is a JSON ${found}, not an object.`,
    validPayload(event),
  ],
  PAYLOAD_FIELD_MISSING: ({ field, event }: Texts<"field" | "event">) => [
    `The payload has no "${field}", which ${event} needs.`,
    validPayload(event),
  ],
  PAYLOAD_FIELD_TYPE: ({
    field,
    event,
    expected,
    found,
  }: Texts<"field" | "event" | "expected"> & { found: JsonKind }) => [
    `"${field}" in the payload is a JSON ${found}; it must be ${expected}.`,
    validPayload(event),
  ],
  PAYLOAD_FIELD_VALUE: ({
    field,
    found,
    values,
  }: Texts<"field" | "event" | "found"> & { values: readonly string[] }) => [
    `"${field}" in the payload is "${truncate(found, 60)}"; it must be ${values.join(" or ")}.`,
    `Send one of these, or leave "${field}" out.`,
  ],
  PAYLOAD_EVENT_DIFFERS: ({ found, event }: Texts<"found" | "event">) => [
    `"event" in the payload is "${truncate(found, 60)}", but the command says ${event}.`,
    "Remove it from the payload, or make both the same.",
  ],
  /** `keys` are two of the agent's arguments for the same thing; null if a key occurs twice. */
  PAYLOAD_AMBIGUOUS: ({ tool, keys }: Texts<"event" | "tool"> & { keys: readonly [string, string] | null }) => [
    `The arguments of this ${truncate(tool, 60)} call contradict each other: ${contradiction(keys)}.`,
    "Send each argument once.",
  ],
} as const satisfies ProblemRows;
export type PayloadProblem = UnionOf<typeof PAYLOAD_ROWS>;

const contradiction = (keys: readonly [string, string] | null): string =>
  keys === null
    ? "one key occurs twice"
    : `"${truncate(keys[0], 60)}" and "${truncate(keys[1], 60)}" mean the same and differ`;

/** A payload that cannot be read may not name its event; most hooks handle before_tool_call. */
const validPayload = (event = "before_tool_call"): string => `A valid payload: hookctl payload ${event}`;
