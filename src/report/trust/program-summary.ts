import { pluralize } from "../../protocol/text/count.ts";

/** Describes a file by its first bytes: its interpreter and its length. Empty for a file that cannot be read. */
export function programSummary(head: string | null): string {
  if (head === null) return "";
  const interpreter = /^#![ \t]*(\S+)(?:[ \t]+(?:-S[ \t]*)?(\S+))?/.exec(head);
  if (interpreter === null) return "a program";
  const [, program = "", argument = ""] = interpreter;
  const named = program.endsWith("/env") ? argument : (program.split("/").at(-1) ?? program);
  const lines = head.split("\n").length - (head.endsWith("\n") ? 1 : 0);
  return `${named}, ${pluralize(lines, "line")}`;
}
