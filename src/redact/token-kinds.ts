import { namesIn, tableOf } from "../protocol/json/table.ts";
import { ownValue } from "../protocol/own-value.ts";
import table from "./token-kinds.json" with { type: "json" };

interface TokenTable {
  /**
   * Secrets that are recognised by their own text, by kind. Each quantifier stops at a character that cannot follow it, so that
   * matching takes linear time. Hooks, tool output and the audit log share this list. JSON web tokens are matched greedily and
   * validated afterwards: requiring the dots in the pattern would take quadratic time.
   */
  readonly kinds: Readonly<Record<string, string>>;
  /** Every token but the longest kinds contains one of these texts. */
  readonly marks: string;
}

const { kinds, marks } = tableOf<TokenTable>(table);

export const TOKEN_KINDS: readonly string[] = Object.keys(kinds);
export const TOKEN_MARKS = namesIn(marks);

/** Kinds whose prefix also begins ordinary names, such as CSS classes: a match is validated by these functions. */
const IS_REAL: Readonly<Record<string, (token: string) => boolean>> = {
  "model provider key": (token) => token.split(/[-_]/).some((part) => part.length >= 16 && looksRandom(part)),
  "JSON web token": (token) => JWT_HEADER.test(token) || token.split(".").length === JWT_PARTS,
};

/** The first member of a header, `{"alg":`, `{"typ":`, `{"kid":`, `{"cty":`, `{"enc":`, `{"jku":` or `{"x5t":`, in base64. */
const JWT_HEADER = /^eyJ(?:hbGci|0eXAi|raWQi|jdHki|lbmMi|qa3Ui|4NXQi)/;
const JWT_PARTS = 3;

/** A token may also begin right after a colour code or an escaped line break, which end in a letter. */
const START = String.raw`(?:\b|(?<=\[[0-9;]{0,12}m|\\[nrt]))`;

let any: RegExp | null = null;
/** All tokens as one expression, so that a text is scanned once. Most texts need none. */
export function anyToken(): RegExp {
  any ??= new RegExp(`${START}(?:${Object.values(kinds).join("|")})`, "g");
  return any;
}

/** Returns the kind of a text that `anyToken` found; null if it is an ordinary name or a placeholder. */
export function kindOfToken(token: string): string | null {
  if (!(/[0-9]/.test(token) || RANDOM_CASE.test(token)) || isRepeated(token)) return null;
  const found = anchoredKinds().find(([, pattern]) => pattern.test(token));
  if (found === undefined) return null;
  const [kind] = found;
  return (ownValue(IS_REAL, kind) ?? looksRandom)(token) ? kind : null;
}

/** Capital letters inside a word: one in thirty tokens of twenty characters has no digit. */
const RANDOM_CASE = /[A-Z][a-z][A-Z][^a-z]|[a-z][A-Z]{2}[a-z][A-Z]|[A-Z][a-z][A-Z][a-z][A-Z]/;

let anchored: readonly (readonly [string, RegExp])[] | null = null;
/** The kinds as anchored patterns, built only when a token was found. */
function anchoredKinds(): readonly (readonly [string, RegExp])[] {
  anchored ??= Object.entries(kinds).map(([kind, pattern]) => [kind, new RegExp(`^(?:${pattern})`)]);
  return anchored;
}

/** True for `sk-xxxxxxxxxxxx`, as documents write it. */
const isRepeated = (text: string): boolean => /([A-Za-z0-9*.])\1{9}/.test(text);

/** True if a value is not a plain word: it has digits and letters, or many letters of both cases. */
export function looksRandom(value: string): boolean {
  const hasLower = /[a-z]/.test(value);
  const hasUpper = /[A-Z]/.test(value);
  if (hasLower && hasUpper && value.length >= LONG_VALUE) return true;
  return (hasLower || hasUpper) && /[0-9]/.test(value);
}

const LONG_VALUE = 16;
