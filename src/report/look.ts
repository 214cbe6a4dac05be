import { pluralize } from "./style.ts";

/** What the first bytes of a file say about it: its interpreter and how long it is. Nothing of one that cannot be read. */
export function programSummary(head: string | null): string {
  if (head === null) return "";
  const interpreter = /^#![ \t]*(\S+)(?:[ \t]+(?:-S[ \t]*)?(\S+))?/.exec(head);
  if (interpreter === null) return "a program";
  const [, program = "", argument = ""] = interpreter;
  const named = program.endsWith("/env") ? argument : (program.split("/").at(-1) ?? program);
  const lines = head.split("\n").length - (head.endsWith("\n") ? 1 : 0);
  return `${named}, ${pluralize(lines, "line")}`;
}
