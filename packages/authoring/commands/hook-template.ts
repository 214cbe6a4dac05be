import { EVENT_ROWS, type EventName, type EventRow } from "../../../src/protocol/event.ts";
import { type JsonRecord, jsonText } from "../../../src/protocol/json/write.ts";
import { type PathValue, withValue } from "../../../src/protocol/payload/sample.ts";

/** The differences between languages; the text itself is in hooks-examples/templates. */
interface Language {
  /** The prefix of a comment line. */
  readonly comment: string;
  readonly ending: string;
  /** The template for an event before a tool call, if it is another one. */
  readonly toolTemplate?: string;
  /** Turns a JSON response into a literal of the language. */
  readonly literal: (json: string) => string;
}

const inScript = (json: string): string =>
  json
    .replace(/"(\w+)":/g, "$1: ")
    .replace(/^\{/, "{ ")
    .replace(/\}$/, " }")
    .replace(/,(\w+: )/g, ", $1");

export const LANGUAGES = {
  bash: { comment: "# ", ending: "", toolTemplate: "bash-tool", literal: (json) => json },
  python: {
    comment: "",
    ending: "",
    literal: (json) => json.replace(/":/g, '": ').replace(/,"/g, ', "').replace(": true", ": True"),
  },
  node: { comment: "// ", ending: "", literal: inScript },
  typescript: {
    comment: "// ",
    ending: ".mts",
    literal: inScript,
  },
} as const satisfies Record<string, Language>;
export type LanguageName = keyof typeof LANGUAGES;

/** The name of the template for an event. */
export function templateName(language: LanguageName, event: EventName): string {
  const { toolTemplate = language }: Language = LANGUAGES[language];
  return watchedField(EVENT_ROWS[event]) === "tool_input" ? toolTemplate : language;
}

/** Fills in a template from the event's row. */
export function filledTemplate(template: string, event: EventName, { comment, literal }: Language): string {
  const row = EVENT_ROWS[event];
  const parts: Readonly<Record<string, string>> = {
    SUMMARY: row.summary,
    NOTES: notesFor(row)
      .map((line) => `${comment}${line}`)
      .join("\n"),
    EVENT: event,
    WATCHED: watchedField(row),
    REPLY: literal(JSON.stringify(sampleReply(row))),
    MATCH:
      "tool_input" in row.fields
        ? '\n  // With match: { tool_name: "bash" }, payload.tool_input.command is a string.'
        : "",
  };
  return template.replace(/@([A-Z]+)@/g, (_all, name: string) => parts[name] ?? "");
}

/** The field that the sample hook checks: the event's target, else a required field. */
function watchedField({ target, fields }: EventRow): string {
  if (target !== null) return typeof target === "string" ? target : (target[0] ?? "");
  const texts = Object.entries(fields).filter(([, field]) => field.kind !== "number");
  return (texts.find(([, field]) => field.isRequired) ?? texts[0])?.[0] ?? "event";
}

/** A payload path with a value that the sample hook blocks, as an argument of `try`. */
export function blockingArgument(row: EventRow): string {
  const [path, value] = blockingValue(row);
  return `${path.join(".")}=${typeof value === "string" ? value : jsonText(value)}`;
}

function blockingValue(row: EventRow): PathValue {
  const field = watchedField(row);
  if (field === "tool_input") return [[field, "command"], "forbidden"];
  const kind = row.fields[field]?.kind;
  return [[field], kind === "list" ? ["forbidden"] : kind === "object" ? { a: "forbidden" } : "forbidden"];
}

const FOLLOW_UP = "Something is forbidden. Please look again.";
const REASON = "Something is forbidden.";

function sampleReply({ onBlock, mayFollowUp }: EventRow): JsonRecord {
  if (mayFollowUp === true) return { follow_up_messages: [FOLLOW_UP] };
  if (onBlock === "ignore") return { system_message: REASON };
  return { blocked: true, reason: REASON };
}

/** The first test cases of a new hook: a payload that it objects to, and the event's sample, which it allows. */
export function caseFile(hook: string, event: EventName): string {
  const row = EVENT_ROWS[event];
  return `# Run them: hookctl test ${hook}   A payload is completed from the sample: hookctl payload ${event}
hook: ${jsonText(hook)}
event: ${event}
cases:
  - name: ${caseName(row)}
    payload: ${jsonText(withValue({}, blockingValue(row)))}
    expect: ${jsonText(expectedOf(row))}
  - name: allows anything else
    expect: {"decision":"allow"}
`;
}

const canBlock = ({ onBlock }: EventRow): boolean => onBlock !== "ignore";

function caseName(row: EventRow): string {
  if (row.mayFollowUp === true) return "asks the agent to look again";
  return canBlock(row) ? "blocks what is forbidden" : "runs on what is forbidden";
}

function expectedOf(row: EventRow): JsonRecord {
  if (row.mayFollowUp === true) return { decision: "allow", follow_ups: [FOLLOW_UP] };
  if (!canBlock(row)) return { decision: "allow", exit_code: 0 };
  return { decision: row.onBlock === "halt" ? "halt" : "block", reason: "forbidden" };
}

/** Comments on the payload and the possible responses. */
function notesFor(row: EventRow): readonly string[] {
  const names = Object.entries(row.fields).map(([name, { isRequired }]) => (isRequired ? name : `${name}?`));
  return [
    `The payload has ${[...names, "event", "conv_id", "cwd", "invoked_by"].join(", ")}.`,
    "Print one JSON object, or nothing to allow; write messages for people to stderr:",
    ...answersFor(row).map(([answer, meaning]) => `  ${answer.padEnd(33)} ${meaning}`),
  ];
}

function answersFor({ onBlock, target, phase, mayFollowUp }: EventRow): readonly (readonly [string, string])[] {
  const block = '{"blocked":true,"reason":"…"}';
  const changeKey = target === "message" ? "message" : phase === "pre" ? "input" : "output";
  return [
    ...(onBlock === "deny" ? [[block, "it does not happen"] as const] : []),
    ...(onBlock === "halt" ? [[block, "the agent is told to stop (the call already ran)"] as const] : []),
    ...(target === null ? [] : [[`{"${changeKey}":…}`, `in place of ${[target].flat().join(" and ")}`] as const]),
    ...(mayFollowUp === true ? [['{"follow_up_messages":["…"]}', "the agent continues with these"] as const] : []),
    ['{"additional_context":["…"]}', 'for the model; {"system_message":"…"}: for the user'],
  ];
}
