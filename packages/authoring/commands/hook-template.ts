import { readBundled } from "../../../src/fs/read-bundled.ts";
import { EVENT_ROWS, type EventName, type EventRow } from "../../../src/protocol/event.ts";
import { readJson } from "../../../src/protocol/json/read.ts";
import { type JsonRecord, jsonText } from "../../../src/protocol/json/write.ts";
import { type PathValue, withValue } from "../../../src/protocol/payload/sample.ts";
import samples from "./samples.json" with { type: "json" };

/** The differences between languages; the text itself is in hooks-examples/templates. */
interface Language {
  /** The prefix of a comment line. */
  readonly comment: string;
  readonly ending: string;
  /** The template for an event before a tool call, if it is another one. */
  readonly toolTemplate?: string;
  /** Turns a JSON response into a literal of the language. */
  readonly literal: (json: string) => string;
  /** A literal of the text that the hook looks for, in quotes that take most texts as they are. */
  readonly quoted: (text: string) => string;
  /** The value in which it looks. */
  readonly value: (field: string) => string;
  /** Makes a hook that can block fail-closed, after its event. */
  readonly closed: string;
}

const inScript = (json: string): string =>
  json
    .replace(/"(\w+)":/g, "$1: ")
    .replace(/^\{/, "{ ")
    .replace(/\}$/, " }")
    .replace(/,(\w+: )/g, ", $1");

const inShell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const rawInScript = (text: string): string =>
  /`|\$\{|\\$/.test(text) ? JSON.stringify(text) : `String.raw\`${text}\``;
const rawInPython = (text: string): string => (/'''|['\\]$/.test(text) ? JSON.stringify(text) : `r'''${text}'''`);

const ofScript = (field: string): string => `payload.${field === "tool_input" ? "tool_input?.command" : field}`;
const ofPython = (field: string): string =>
  field === "tool_input"
    ? 'payload["tool_input"].get("command", "") if isinstance(payload.get("tool_input"), dict) else ""'
    : `payload.get("${field}", "")`;

const IN_JSON = ',"fail_open":false';

const SCRIPT = { comment: "// ", literal: inScript, quoted: rawInScript, value: ofScript } as const;

const inPython = (json: string): string => json.replace(/":/g, '": ').replace(/,"/g, ', "').replace(": true", ": True");

export const LANGUAGES = {
  bash: {
    ...{ comment: "# ", ending: "", toolTemplate: "bash-tool" },
    ...{ literal: inShell, quoted: inShell, value: () => "", closed: IN_JSON },
  },
  python: { comment: "", ending: "", literal: inPython, quoted: rawInPython, value: ofPython, closed: IN_JSON },
  node: { ...SCRIPT, ending: "", closed: IN_JSON },
  typescript: { ...SCRIPT, ending: ".mts", closed: "\n  failOpen: false," },
} as const satisfies Record<string, Language>;
export type LanguageName = keyof typeof LANGUAGES;

/** The response of a sample hook to what it objects to, and the first case of the hook. */
interface Sample {
  readonly reply: JsonRecord;
  readonly caseName: string;
  readonly expect: JsonRecord;
  /** A response that the comments of the hook explain. */
  readonly answer?: { readonly response: string; readonly meaning: string };
}

/** By what a block does at an event. */
const SAMPLES: Readonly<Record<EventRow["onBlock"] | "follow up", Sample>> = samples;

const sampleOf = ({ onBlock, mayFollowUp }: EventRow): Sample => SAMPLES[mayFollowUp === true ? "follow up" : onBlock];

/** A new hook: its language, the event that it handles, and the text that it looks for. */
export interface HookOrder {
  readonly name: string;
  readonly event: EventName;
  readonly language: LanguageName;
  readonly text: string;
}

/** The text of a new hook. */
export function hookText({ event, language, text }: HookOrder): string {
  const row = EVENT_ROWS[event];
  const { comment, literal, quoted, value, closed, toolTemplate = language }: Language = LANGUAGES[language];
  const watched = watchedField(row);
  return filled(watched === "tool_input" ? toolTemplate : language, {
    SUMMARY: row.summary,
    NOTES: [...notesFor(row), ...(row.onBlock === "deny" ? [noteOn(closed)] : [])]
      .map((line) => `${comment}${line}`)
      .join("\n"),
    EVENT: event,
    CLOSED: row.onBlock === "deny" ? closed : "",
    TEXT: quoted(text),
    WATCHED: watched,
    VALUE: value(watched),
    REPLY: literal(JSON.stringify(sampleOf(row).reply)),
    MATCH: "tool_input" in row.fields ? ', match: { tool_name: "bash" }' : "",
  });
}

/** The first test cases of a new hook: a payload with its text, and the event's sample, which it allows. */
export function caseFile({ name, event, text }: HookOrder): string {
  const row = EVENT_ROWS[event];
  const { caseName, expect } = sampleOf(row);
  return filled("cases", {
    HOOK: name,
    QUOTED: jsonText(name),
    EVENT: event,
    CASE: caseName,
    PAYLOAD: jsonText(withValue({}, blockingValue(row, text))),
    EXPECT: jsonText(expect),
  });
}

const filled = (template: string, parts: Readonly<Record<string, string>>): string =>
  readBundled(`hooks-examples/templates/${template}`).replace(/@([A-Z]+)@/g, (_all, name: string) => parts[name] ?? "");

/** The field that the sample hook checks: the event's target, else a required field. */
function watchedField({ target, fields }: EventRow): string {
  if (target !== null) return [target].flat()[0] ?? "";
  const texts = Object.entries(fields).filter(([, field]) => field.kind !== "number");
  return (texts.find(([, field]) => field.isRequired) ?? texts[0])?.[0] ?? "event";
}

/** A payload path with a value to which the new hook objects, as an argument of `try`. */
export function blockingArgument(row: EventRow, text: string): string {
  const [path, value] = blockingValue(row, text);
  // A text that is JSON, such as `null`, needs its quotes.
  return `${path.join(".")}=${typeof value === "string" && !readJson(value, 8).ok ? value : jsonText(value)}`;
}

function blockingValue(row: EventRow, text: string): PathValue {
  const field = watchedField(row);
  if (field === "tool_input") return [[field, "command"], text];
  const kind = row.fields[field]?.kind;
  return [[field], kind === "list" ? [text] : kind === "object" ? { a: text } : text];
}

const CONTEXT = {
  response: '{"additional_context":["…"]}',
  meaning: 'for the model; {"system_message":"…"}: for the user',
};

/** Without the value: a text that says both is that of a fail-closed hook, even after its author has changed it. */
const noteOn = (closed: string): string =>
  `If it crashes or exceeds its timeout, it blocks. To allow instead, remove ${/\w+/.exec(closed)?.[0]} below.`;

/** Comments on the payload and the possible responses. */
function notesFor({ onBlock, target, phase, mayFollowUp, fields }: EventRow): readonly string[] {
  const names = Object.entries(fields).map(([name, { isRequired }]) => (isRequired ? name : `${name}?`));
  const changeKey = target === "message" ? "message" : phase === "pre" ? "input" : "output";
  const [block, followUp] = [SAMPLES[onBlock].answer ?? [], mayFollowUp === true ? SAMPLES["follow up"].answer : []];
  const change = { response: `{"${changeKey}":…}`, meaning: `in place of ${[target].flat().join(" and ")}` };
  const answers = [block, target === null ? [] : change, followUp ?? [], CONTEXT].flat();
  return [
    `The payload has ${[...names, "event", "conv_id", "cwd", "invoked_by"].join(", ")}.`,
    "It runs in the agent's folder, perhaps below the project: HOOKCTL_PROJECT_DIR names the project's folder.",
    "Print one JSON object, or nothing to allow; write messages for people to stderr:",
    ...answers.map(({ response, meaning }) => `  ${response.padEnd(33)} ${meaning}`),
  ];
}
