import type { PushTemplates } from "../contract/entry.ts";
import { itemsOf, type JsonSpan, membersOf, readJson, stringOf } from "../contract/json.ts";
import { jsonText } from "../contract/json-text.ts";
import { render, type Values } from "./render.ts";

const TRUE = ["true", "1", "yes", "on"];
const FALSE = ["false", "0", "no", "off", ""];

/** `{"push", "payload"}` -> the text of a push directive, or of `{"skipped": why}`. */
export function renderPush(input: string): string {
  const request = readJson(input, Number.POSITIVE_INFINITY);
  if (!request.ok) return skipped("the payload cannot be read");
  const [push, payload] = ["push", "payload"].map((key) => membersOf(request.value).get(key));
  const templates = JSON.parse(push?.raw ?? "{}") as PushTemplates;
  const words = Object.values(templates).join("\n");
  // A field that no template spells cannot be meant; the history of a long session is left as it is.
  const fields = [...(payload === undefined ? [] : membersOf(payload))].filter(([key]) => words.includes(key));
  return directive(templates, new Map(fields.map(([key, span]) => [key, plain(span)])));
}

/** The message comes last: a template that is not wanted may name what is not there. */
function directive(push: PushTemplates, values: Values): string {
  const isWanted = truth("push_when", push.push_when, values);
  if (typeof isWanted === "string") return skipped(isWanted);
  if (!isWanted) return jsonText({ push_when: false, wake: false, message: "-" });
  const wake = truth("wake", push.wake, values);
  if (typeof wake === "string") return skipped(wake);
  const session = render(push.session ?? "", values);
  // As in Reyn, a name that is not there means the current session. Any other fault may hide where it should go.
  if (!session.ok && !session.error.isMissing) return skipped(`its session: ${session.error.why}`);
  const message = render(push.message, values);
  if (!message.ok) return skipped(`its message: ${message.error.why}`);
  if (message.value.trim() === "") return skipped("its message is empty");
  return jsonText({
    push_when: true,
    wake,
    message: message.value,
    session: (session.ok && session.value.trim()) || null,
  });
}

/** A flag, or why it is none. What is not there is false. */
function truth(key: string, template: boolean | string | undefined, values: Values): boolean | string {
  if (typeof template !== "string") return template ?? true;
  const text = render(template, values);
  if (!text.ok) return text.error.isMissing ? false : `its ${key}: ${text.error.why}`;
  const word = text.value.trim().toLowerCase();
  if (TRUE.includes(word)) return true;
  return FALSE.includes(word) ? false : `its ${key} is neither true nor false: ${JSON.stringify(word.slice(0, 60))}`;
}

const skipped = (why: string): string => jsonText({ skipped: why });

/** What lies deeper is its JSON text: no template looks so far. */
const MOST_LEVELS = 512;

/** A value for templates. A number beyond those that JavaScript counts with is the text that came in. */
function plain(span: JsonSpan, depth = 0): unknown {
  if (depth > MOST_LEVELS) return span.raw;
  switch (span.kind) {
    case "object":
      return Object.fromEntries([...membersOf(span)].map(([key, value]) => [key, plain(value, depth + 1)]));
    case "array":
      return itemsOf(span).map((item) => plain(item, depth + 1));
    case "string":
      return stringOf(span);
    case "number":
      return Math.abs(Number(span.raw)) <= Number.MAX_SAFE_INTEGER ? Number(span.raw) : span.raw;
    case "boolean":
      return span.raw === "true";
    case "null":
      return null;
  }
}
