import { parse, stringify } from "smol-toml";
import type { UncheckedObject } from "../../../../src/protocol/json/read.ts";
import type { JsonRecord } from "../../../../src/protocol/json/write.ts";
import { type Registration, timeoutSeconds } from "../../../agents/agent-install.ts";
import { notEditable } from "./edit-json.ts";

const BEGIN = "# hookctl: begin";
const END = "# hookctl: end";

/** True if the file contains hooks. The registrations are then added to it: Codex warns about hooks in two files. */
export const hasInlineHooks = (text: string): boolean => /^\s*\[+\s*hooks\b/m.test(text);

/**
 * Appends the registrations as one block, or exchanges the block where it is: Codex remembers trust by the position of
 * each table among those of its event.
 */
export function addTomlRegistrations(
  text: string,
  root: JsonRecord,
  lines: readonly Registration[],
  shown: string,
): string {
  const present = parsed(removeTomlRegistrations(text), shown, "");
  const missing = Object.entries(root).filter(([key]) => !Object.hasOwn(present, key));
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const block = [
    BEGIN,
    ...missing.map(([key, value]) => stringify({ [key]: value }).trimEnd()),
    ...lines.flatMap(tables),
    END,
  ].join(eol);
  const [start, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  const after =
    start >= 0 && end > start
      ? text.slice(0, start) + block + text.slice(end + END.length)
      : `${text}${text === "" || text.endsWith("\n") ? "" : eol}${block}${eol}`;
  parsed(after, shown, "hooks cannot be added: ");
  return after;
}

/** Removes the block of registrations. */
export function removeTomlRegistrations(text: string): string {
  const start = text.indexOf(BEGIN);
  const end = text.indexOf(END, start);
  if (start < 0 || end < 0) return text;
  return text.slice(0, start) + text.slice(end + END.length).replace(/^\r?\n/, "");
}

function tables(line: Registration): readonly string[] {
  const { event, command } = line;
  return [
    `[[hooks.${event}]]`,
    `[[hooks.${event}.hooks]]`,
    'type = "command"',
    `command = ${JSON.stringify(command)}`,
    `timeout = ${timeoutSeconds(line)}`,
  ];
}

/** The settings in a text of TOML. `context` begins the message of a syntax error. */
function parsed(text: string, shown: string, context: string): UncheckedObject {
  try {
    return parse(text);
  } catch (error) {
    const { line = 1, message } = error as Error & { line?: number };
    throw notEditable(shown, line, context + (message.split("\n")[0] ?? "not TOML"));
  }
}
