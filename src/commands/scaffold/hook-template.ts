import { type EventName, type EventRow, eventRow, fieldsOf } from "../../protocol/event.ts";
import type { JsonRecord } from "../../protocol/json/write.ts";
import type { Field, FieldKind } from "../../protocol/payload/field.ts";

/** The differences between languages; the text itself is in hooks-examples/templates/LANG. */
interface Language {
  /** The prefix of a comment line. */
  readonly comment: string;
  readonly ending: string;
  /** Turns a JSON response into a literal of the language. */
  readonly literal: (json: string) => string;
  /** A requirement that the machine may not meet; null: none. */
  readonly needs: string | null;
}

const inScript = (json: string): string =>
  json
    .replace(/"(\w+)":/g, "$1: ")
    .replace(/^\{/, "{ ")
    .replace(/\}$/, " }")
    .replace(/,(\w+: )/g, ", $1");

export const LANGUAGES = {
  bash: { comment: "# ", ending: "", literal: (json) => json, needs: null },
  python: {
    comment: "",
    ending: "",
    literal: (json) => json.replace(/":/g, '": ').replace(/,"/g, ', "').replace(": true", ": True"),
    needs: null,
  },
  node: { comment: "// ", ending: "", literal: inScript, needs: null },
  typescript: {
    comment: "// ",
    ending: ".mts",
    literal: inScript,
    needs: "Node 22.18 or newer on the PATH (23.6 in the 23 line): older ones cannot run TypeScript",
  },
} as const satisfies Record<string, Language>;
export type LanguageName = keyof typeof LANGUAGES;

/** Fills in a template from the event's row. */
export function filledTemplate(template: string, event: EventName, { comment, literal }: Language): string {
  const row = eventRow(event);
  const parts: Readonly<Record<string, string>> = {
    SUMMARY: row.summary,
    NOTES: notesFor(row)
      .map((line) => `${comment}${line}`)
      .join("\n"),
    EVENT: event,
    WATCHED: watchedField(row),
    REPLY: literal(JSON.stringify(sampleReply(row))),
    TYPES: Object.entries(fieldsOf(event)).map(typeLine).join("\n"),
  };
  return template.replace(/@([A-Z]+)@/g, (_all, name: string) => parts[name] ?? "");
}

/** The field that the sample hook checks: the event's target, else a required field. */
export function watchedField({ target, fields }: EventRow): string {
  if (target !== null) return typeof target === "string" ? target : (target[0] ?? "");
  const texts = Object.entries(fields).filter(([, field]) => field.kind !== "number");
  return (texts.find(([, field]) => field.isRequired) ?? texts[0])?.[0] ?? "event";
}

/** A value of that field that the sample hook blocks, as an argument of `try`. */
export function blockingSample(row: EventRow): string {
  const kind = row.fields[watchedField(row)]?.kind;
  return kind === "list" ? '["forbidden"]' : kind === "object" ? '{"a":"forbidden"}' : "forbidden";
}

function sampleReply({ onBlock, mayFollowUp }: EventRow): JsonRecord {
  if (mayFollowUp === true) return { follow_up_messages: ["Something is forbidden. Please look again."] };
  if (onBlock === "ignore") return { system_message: "Something is forbidden." };
  return { blocked: true, reason: "Something is forbidden." };
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

const TYPES: Readonly<Record<FieldKind, string>> = {
  text: "string",
  number: "number",
  list: "readonly unknown[]",
  object: "Readonly<Record<string, unknown>>",
  json: "unknown",
};
const typeLine = ([name, { kind, isRequired }]: [string, Field]): string =>
  `  readonly ${name}${isRequired ? "" : "?"}: ${TYPES[kind]};`;
