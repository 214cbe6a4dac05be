import { EVENT_NAMES, findEvent } from "../../protocol/event.ts";
import { pluralize } from "../../protocol/text/count.ts";
import { nearest } from "../../protocol/text/nearest.ts";

/** Describes a file by its first bytes: its interpreter, its length, and a misspelt event. Empty for a file that cannot be read. */
export function programSummary(head: string | null): string {
  if (head === null) return "";
  const interpreter = /^#![ \t]*(\S+)(?:[ \t]+(?:-S[ \t]*)?(\S+))?/.exec(head);
  if (interpreter === null) return "a program";
  const [, program = "", argument = ""] = interpreter;
  const named = program.endsWith("/env") ? argument : (program.split("/").at(-1) ?? program);
  const lines = head.split("\n").length - (head.endsWith("\n") ? 1 : 0);
  return [named, pluralize(lines, "line"), misspeltEvent(head) ?? []].flat().join(", ");
}

const DECLARED = /["']event["']\s*(?::|=>?)\s*["']([A-Za-z_]{3,40})["']/;

/** Why the file is not called, if it declares an event of no known name; else null. */
export function misspeltEvent(head: string): string | null {
  const [, name] = DECLARED.exec(head) ?? [];
  if (name === undefined || findEvent(name) !== null) return null;
  const near = nearest(name, EVENT_NAMES);
  return `declares the unknown event "${name}"${near === null ? "" : ` (${near}?)`}`;
}
