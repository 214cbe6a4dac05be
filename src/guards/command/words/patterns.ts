import { UNKNOWN } from "../call.ts";

const MOST_CHARACTERS = 512;
const MOST_STARS = 4;

/** `${value#pattern}`, `##`, `%`, `%%`. */
export function removePattern(value: string, pattern: string, operator: "#" | "##" | "%" | "%%"): string {
  const matcher = matcherOf(value, pattern);
  if (matcher === null) return UNKNOWN;
  const lengths = Array.from({ length: value.length + 1 }, (_, length) => length);
  if (operator.length === 2) lengths.reverse();
  const isStart = operator.startsWith("#");
  const cut = lengths.find((length) =>
    matcher.test(isStart ? value.slice(0, length) : value.slice(value.length - length)),
  );
  if (cut === undefined) return value;
  return isStart ? value.slice(cut) : value.slice(0, value.length - cut);
}

/** `${value/pattern/replacement}`, `//`, `/#`, `/%`. */
export function replacePattern(
  value: string,
  [pattern, replacement]: readonly [string, string],
  operator: "/" | "//" | "/#" | "/%",
): string {
  if (matcherOf(value, pattern) === null || value.includes(UNKNOWN)) return UNKNOWN;
  if (pattern === "") return value;
  const source = sourceOf(pattern);
  const expression = { "/": source, "//": source, "/#": `^${source}`, "/%": `${source}$` }[operator];
  return value.replace(new RegExp(expression, operator === "//" ? "gs" : "s"), () => replacement);
}

/** Tests a whole text; null if that could take long. */
function matcherOf(value: string, pattern: string): RegExp | null {
  const stars = pattern.split("*").length - 1;
  if (value.length > MOST_CHARACTERS || pattern.length > MOST_CHARACTERS || stars > MOST_STARS) return null;
  try {
    return new RegExp(`^${sourceOf(pattern)}$`, "s");
  } catch {
    return null;
  }
}

/** The regular expression of a glob. */
const sourceOf = (pattern: string): string =>
  pattern.replace(/\[!?[^\]]+\]|[\s\S]/g, (unit) => {
    if (unit === "*") return ".*";
    if (unit === "?") return ".";
    if (unit.length > 1) return unit.replace(/^\[!/, "[^").replaceAll("\\", "\\\\");
    return unit.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  });
