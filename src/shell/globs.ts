import { UNKNOWN } from "./unknown.ts";

const MOST_PARTS = 100;
const MOST_CHOICES = 16;

/** True if an absolute path, which may be a glob itself, can mean a file that the pattern means. `**` is any folders. */
export function mayMatch(path: string, pattern: string): boolean {
  const given = partsOf(path);
  return given.length <= MOST_PARTS && readPattern(pattern).some((wanted) => fits(given, wanted));
}

const MOST_KNOWN = 1_000;
const known = new Map<string, readonly (readonly string[])[]>();

/** The parts of each choice of a pattern. One program asks about the same files again and again. */
function readPattern(pattern: string): readonly (readonly string[])[] {
  const before = known.get(pattern);
  if (before !== undefined) return before;
  const choices = choicesOf(pattern).map((choice) => partsOf(choice).slice(0, MOST_PARTS));
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(pattern, choices);
  return choices;
}

const partsOf = (path: string): readonly string[] => path.split("/").filter((part) => part !== "");

/** `*.{json,yml}` is two patterns. */
function choicesOf(pattern: string): readonly string[] {
  const [whole, before = "", list = "", after = ""] = /^([^{]*)\{([^{}]*,[^{}]*)\}(.*)$/s.exec(pattern) ?? [];
  if (whole === undefined) return [pattern];
  return list
    .split(",")
    .slice(0, MOST_CHOICES)
    .map((choice) => before + choice + after);
}

/** Compares part by part and visits each pair of positions once. */
function fits(given: readonly string[], wanted: readonly string[]): boolean {
  let open = closed(new Set([0]), wanted);
  for (const part of given) {
    const next = new Set<number>();
    for (const at of open) {
      const one = wanted[at];
      if (one === "**") next.add(at);
      else if (one !== undefined && isLike(part, one)) next.add(at + 1);
    }
    if (next.size === 0) return false;
    open = closed(next, wanted);
  }
  return open.has(wanted.length);
}

/** `**` may match no folder. */
function closed(open: Set<number>, wanted: readonly string[]): Set<number> {
  for (const at of open) if (wanted[at] === "**") open.add(at + 1);
  return open;
}

const isLike = (name: string, pattern: string): boolean =>
  matchesName(name, pattern) ||
  (isGlob(name) && (name.startsWith(".") || !pattern.startsWith(".")) && matchesName(pattern, name));

/** True for a shell glob, in which a leading wildcard does not match a dot. */
const isGlob = (name: string): boolean => /[*?[]/.test(name) && !name.includes(UNKNOWN);

/** Compares a name with a glob. After a mismatch only the last star is tried again, so the time is at most quadratic. */
export function matchesName(name: string, glob: string): boolean {
  if (!/[*?[]/.test(glob)) return name === glob;
  const tokens = glob.match(/\*+|\[[!^]?[^\]]+\]|./gs) ?? [];
  let [at, token, star, starAt] = [0, 0, -1, 0];
  while (at < name.length) {
    const one = tokens[token];
    if (one?.startsWith("*")) {
      [star, starAt] = [token++, at];
    } else if (one !== undefined && matchesChar(name.charAt(at), one)) {
      at++;
      token++;
    } else if (star >= 0) {
      token = star + 1;
      at = ++starAt;
    } else return false;
  }
  return tokens.slice(token).every((one) => one.startsWith("*"));
}

function matchesChar(char: string, token: string): boolean {
  if (token === "?") return true;
  const [, no, set] = /^\[([!^]?)(.+)\]$/s.exec(token) ?? [];
  return set === undefined ? char === token : isInSet(char, set) === (no === "");
}

function isInSet(char: string, set: string): boolean {
  for (let at = 0; at < set.length; at++) {
    const isRange = set.charAt(at + 1) === "-" && at + 2 < set.length;
    if (isRange ? char >= set.charAt(at) && char <= set.charAt(at + 2) : char === set.charAt(at)) return true;
    if (isRange) at += 2;
  }
  return false;
}
