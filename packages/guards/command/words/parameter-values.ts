import { UNKNOWN } from "../../../../src/shell/unknown.ts";
import type { CommandPlace } from "../call.ts";
import { rowFinder } from "../named-rows.ts";
import type { Value } from "../script/shell-state.ts";
import type { Expanding } from "./fields.ts";

/** The elements of a variable; null if it is unset, undefined if that is not known. */
export function variableValue(name: string, { state, frame }: Expanding): Value | undefined {
  const own = state.variables.get(name);
  if (own !== undefined) return own;
  if (/^[1-9]\d*$/.test(name)) {
    const before = state.positional?.slice(0, Number(name) - 1);
    if (before === undefined || isOpenList(before)) return undefined;
    const value = state.positional?.[Number(name) - 1];
    return value === undefined ? null : [value];
  }
  switch (name) {
    case "PWD":
      return [state.folder ?? UNKNOWN];
    case "OLDPWD":
      return [state.oldFolder ?? UNKNOWN];
    case "IFS":
      return [" \t\n"];
    case "0":
      return [state.name];
    case "#":
      return [state.positional === null || isOpenList(state.positional) ? UNKNOWN : String(state.positional.length)];
  }
  if (/^(?:[?$!-]|RANDOM|SECONDS)$/.test(name)) return [UNKNOWN];
  const { place } = frame.analysis;
  const value = Object.hasOwn(place.variables, name) ? place.variables[name] : conventionFor(name)?.(place);
  return value === undefined ? undefined : [value];
}

/** An unknown element may expand to several words, or to none. */
export const isOpenList = (list: readonly string[]): boolean => list.some((text) => text.includes(UNKNOWN));

/** `${value:offset:length}`. */
export function sliced(value: string, offset: string, length: string | null): string {
  const [from, count] = [offset.trim(), length?.trim() ?? null];
  if (value.includes(UNKNOWN) || !/^-?\d+$/.test(from) || (count !== null && !/^-?\d+$/.test(count))) return UNKNOWN;
  const rest = value.slice(Number(from));
  return count === null ? rest : rest.slice(0, Number(count));
}

/** `${value^}`, `^^`, `,`, `,,`. */
export function changedCase(value: string, operator: "^" | "^^" | "," | ",,"): string {
  const change = (text: string) => (operator.startsWith("^") ? text.toUpperCase() : text.toLowerCase());
  return operator.length === 2 ? change(value) : change(value.slice(0, 1)) + value.slice(1);
}

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

/** Variables whose value is a convention, where the environment does not set them. */
const conventionFor = rowFinder<(place: CommandPlace) => string | undefined>({
  "TMPDIR TMP TEMP TEMPDIR RUNNER_TEMP TEST_TMPDIR BATS_TMPDIR": () => "/tmp",
  "GITHUB_WORKSPACE CI_PROJECT_DIR WORKSPACE BUILD_SOURCESDIRECTORY CIRCLE_WORKING_DIRECTORY HOOKCTL_PROJECT_DIR CLAUDE_PROJECT_DIR GEMINI_PROJECT_DIR TRAVIS_BUILD_DIR":
    ({ project }) => project,
  XDG_CACHE_HOME: ({ home }) => `${home}/.cache`,
  XDG_CONFIG_HOME: ({ home }) => `${home}/.config`,
  XDG_DATA_HOME: ({ home }) => `${home}/.local/share`,
  XDG_STATE_HOME: ({ home }) => `${home}/.local/state`,
  CARGO_HOME: ({ home }) => `${home}/.cargo`,
  "USER LOGNAME": ({ home }) =>
    /^\/(?:home|Users)\/([^/]+)$/.exec(home)?.[1] ?? (home === "/root" ? "root" : undefined),
  SHELL: () => "/bin/bash",
});
