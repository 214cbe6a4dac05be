import type { Mismatch } from "../protocol/match.ts";

/** `did not match: tool_name is "web", the match requires "bash" or "sh*"` */
export const mismatchText = ({ field, wanted, found }: Mismatch): string =>
  `did not match: ${field} is ${found.length === 0 ? "missing" : anyOf(found)}, the match requires ${wantedText(wanted)}`;

const wantedText = (wanted: readonly string[]): string => (wanted.length === 0 ? "no text at all" : anyOf(wanted));

function anyOf(texts: readonly string[]): string {
  const quoted = texts.map((text) => `"${text}"`);
  const last = quoted.pop() ?? "";
  return quoted.length === 0 ? last : `${quoted.join(", ")} or ${last}`;
}
