import { isTemplate, type PushTemplates } from "../../src/protocol/entry.ts";
import { membersOf, readJson } from "../../src/protocol/json/read.ts";
import { jsonText } from "../../src/protocol/json/write.ts";
import { ok, type Result } from "../../src/protocol/result.ts";
import { isBlank, trimPythonSpace } from "../../src/protocol/text/text.ts";
import { fromJson, renderTemplate, type Value } from "../jinja/index.ts";

const TRUE = ["true", "1", "yes", "on"];
const FALSE = ["false", "0", "no", "off", ""];

type Payload = ReadonlyMap<string, Value>;

/** `{"push", "payload"}` -> the text of a push directive, or of `{"skipped": why}`. */
export function renderPush(input: string): string {
  const request = readJson(input, Number.POSITIVE_INFINITY);
  if (!request.ok) return skipped("the payload cannot be read");
  const [push, payload] = ["push", "payload"].map((key) => membersOf(request.value).get(key));
  const templates = JSON.parse(push?.raw ?? "{}") as PushTemplates;
  const words = Object.values(templates).join("\n");
  // Converts only fields that some template mentions: the conversation may be large.
  const fields = [...(payload === undefined ? [] : membersOf(payload))].filter(([key]) => words.includes(key));
  return directive(templates, new Map(fields.map(([key, span]) => [key, fromJson(span)])));
}

/** Renders the message last: the message of a push that is not sent may name missing fields. */
function directive(push: PushTemplates, payload: Payload): string {
  const isWanted = flag("push_when", push.push_when, payload);
  if (typeof isWanted === "string") return skipped(isWanted);
  if (!isWanted) return jsonText({ push_when: false, wake: false, message: "-" });
  const wake = flag("wake", push.wake, payload);
  if (typeof wake === "string") return skipped(wake);
  const session = isTemplate("session", push.session) ? render(push.session, payload, false) : ok(push.session ?? "");
  if (!session.ok) return skipped(`its session: ${session.error}`);
  const message = render(push.message, payload, true);
  if (!message.ok) return skipped(`its message: ${message.error}`);
  if (isBlank(message.value)) return skipped("its message is empty");
  return jsonText({ push_when: true, wake, message: message.value, session: trimPythonSpace(session.value) || null });
}

/** Only a message is strict: nobody would notice a gap in a message. In a flag a missing field is false, and in a session it means the payload's session. */
const render = (template: string, values: Payload, isStrict: boolean): Result<string, string> =>
  renderTemplate(template, { values, isStrict, random: Math.random });

/** A flag, or why it is none. */
function flag(key: string, template: boolean | string | undefined, payload: Payload): boolean | string {
  if (typeof template !== "string") return template ?? true;
  const text = render(template, payload, false);
  if (!text.ok) return `its ${key}: ${text.error}`;
  const word = trimPythonSpace(text.value).toLowerCase();
  if (TRUE.includes(word)) return true;
  return FALSE.includes(word) ? false : `its ${key} is neither true nor false: ${JSON.stringify(word.slice(0, 60))}`;
}

const skipped = (why: string): string => jsonText({ skipped: why });
