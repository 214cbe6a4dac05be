import { parse, stringify } from "smol-toml";
import { objectOr } from "../../../../src/protocol/json/read.ts";
import type { JsonRecord } from "../../../../src/protocol/json/write.ts";
import { fail, ok, type Result } from "../../../../src/protocol/result.ts";
import { type Registration, timeoutSeconds } from "../../../agents/agent-install.ts";
import type { SettingsSyntaxError } from "./edit-json.ts";

const BEGIN = "# hookctl: begin";
const END = "# hookctl: end";

/** True if the file contains hooks. The registrations then go there too: Codex warns about hooks in two files. */
export const hasInlineHooks = (text: string): boolean => /^\s*\[+\s*hooks\b/m.test(text);

/**
 * Appends the registrations as one block, or exchanges the block where it is: Codex remembers trust by the position of
 * each table among those of its event.
 */
export function addTomlRegistrations(
  text: string,
  lines: readonly Registration[],
  root: JsonRecord = {},
): Result<string, SettingsSyntaxError> {
  const foreign = removeTomlRegistrations(text);
  const fault = faultOf(foreign);
  if (fault !== null) return fail(fault);
  const present = objectOr(parse(foreign));
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
  const broken = faultOf(after);
  return broken === null ? ok(after) : fail({ ...broken, detail: `hooks cannot be added: ${broken.detail}` });
}

/** Removes that block. */
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

function faultOf(text: string): SettingsSyntaxError | null {
  try {
    parse(text);
    return null;
  } catch (error) {
    const { line = 1, message } = error as Error & { line?: number };
    return { line, detail: message.split("\n")[0] ?? "not TOML" };
  }
}
