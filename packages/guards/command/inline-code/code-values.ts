import { UNKNOWN } from "../../../../src/shell/unknown.ts";
import { GLOBBED } from "../script/shell-state.ts";

/** The value of an expression, as far as it is known. Parts that are known only at run time are `UNKNOWN`. */
export interface CodeValue {
  /** A list has its items, any other value the texts that it may have. */
  readonly texts: readonly string[];
  readonly isList: boolean;
  /** The full name of a module, a function or another object: `fs`, `os.environ`. */
  readonly name?: string;
  /** True for an object with methods of files: `Path("x")`. */
  readonly isPath?: true;
}

export const UNKNOWN_VALUE: CodeValue = { texts: [UNKNOWN], isList: false };
const MOST_TEXTS = 64;

export const oneText = (text: string): CodeValue => ({ texts: [text], isList: false });
export const namedValue = (name: string): CodeValue => ({ texts: [UNKNOWN], isList: false, name });

/** A list of the items of values. */
export function listOf(values: readonly CodeValue[]): CodeValue {
  const texts = [...new Set(values.flatMap((value) => value.texts))];
  const isPath = values.some((value) => value.isPath === true) ? { isPath: true as const } : {};
  return {
    texts: texts.length > MOST_TEXTS ? [...texts.slice(0, MOST_TEXTS), UNKNOWN] : texts,
    isList: true,
    ...isPath,
  };
}

/** The list in the order of its items. */
export const orderedList = (values: readonly CodeValue[]): CodeValue => ({
  texts: values.map((value) => textOf(value)).slice(0, 2 * MOST_TEXTS),
  isList: true,
});

/** What a loop over a value gives: any of the items. */
export const itemOf = (value: CodeValue): CodeValue =>
  value.isList
    ? { ...value, isList: false, texts: value.texts.length > 0 ? value.texts : [UNKNOWN] }
    : value.name === undefined
      ? UNKNOWN_VALUE
      : value;

/** Any of several values. */
export const anyOf = (values: readonly CodeValue[]): CodeValue => ({ ...listOf(values), isList: false });

export const textOf = ({ texts, isList }: CodeValue): string =>
  isList ? texts.join(" ") : texts.length === 1 ? (texts[0] ?? UNKNOWN) : UNKNOWN;

export const isKnown = ({ texts }: CodeValue): boolean => texts.some((text) => !text.includes(UNKNOWN));

/** Each text changed. */
export const changed = (value: CodeValue, change: (text: string) => string): CodeValue => ({
  ...value,
  texts: value.texts.map(change),
});

const MOST_CHARACTERS = 20_000;

/** All combinations of the texts of two values. */
export function combined(one: CodeValue, other: CodeValue, join: (a: string, b: string) => string): CodeValue {
  const firsts = one.isList ? [textOf(one)] : one.texts;
  const seconds = other.isList ? [textOf(other)] : other.texts;
  const texts = firsts.flatMap((a) => seconds.map((b) => join(a, b).slice(0, MOST_CHARACTERS)));
  const isPath = one.isPath === true ? { isPath: true as const } : {};
  return { texts: texts.length > MOST_TEXTS ? [UNKNOWN] : texts, isList: false, ...isPath };
}

/** Two texts one after another; the mark of a glob stays at the beginning. */
export const joinedTexts = (a: string, b: string): string =>
  b.includes(GLOBBED) || a.includes(GLOBBED) ? GLOBBED + (a + b).replaceAll(GLOBBED, "") : a + b;

/** A path below a folder; an absolute path replaces it. */
export function joinedPaths(folder: string, name: string): string {
  const plain = name.replace(GLOBBED, "");
  if (plain.startsWith("/") || folder === "") return name;
  return joinedTexts(folder.endsWith("/") ? folder : `${folder}/`, name);
}

export const withHome = (path: string, home: string): string =>
  path === "~" || path.startsWith("~/") ? home + path.slice(1) : path;

/** The names that a pattern finds, as a glob of the shell. */
export const globOf = (pattern: string): string =>
  /[*?[]/.test(pattern) && !pattern.startsWith(GLOBBED) ? GLOBBED + pattern : pattern;

/** The same files, but only those that pass a test. */
export function narrowed(text: string): string {
  if (!text.startsWith(GLOBBED)) return text;
  return (text.includes("**") ? text : text.slice(1)).replace(/\*(?=[^/]*$)/, UNKNOWN);
}
