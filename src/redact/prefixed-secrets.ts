import { tableOf } from "../protocol/json/table.ts";
import { isPlaceholder, isReference } from "./assignments.ts";
import table from "./prefixed-secrets.json" with { type: "json" };
import { looksRandom } from "./token-kinds.ts";

/** Tells a secret from other words, by the text before it. */
type IsSecret = (secret: string, before: string) => boolean;

interface PrefixedSecret {
  readonly kind: string;
  /** Texts, separated by `|`, of which each text with such a secret contains one, in lower case. */
  readonly clues: string;
  /** Two groups: the text before the secret, and the secret. */
  readonly pattern: string;
  readonly flags: string;
  readonly is: keyof typeof CHECKS;
}

/** Secrets that are recognised by the text before them. */
export const AFTER_PREFIX = tableOf<readonly PrefixedSecret[]>(table).map(({ kind, clues, pattern, flags, is }) => ({
  kind,
  clues: clues.split("|"),
  /** Made when a text has a clue, which is seldom. */
  pattern: () => new RegExp(pattern, flags),
  isSecret: (secret: string, before: string) => (CHECKS[is] as IsSecret)(secret, before),
}));

const CHECKS = {
  random: looksRandom,
  "random token": isRandomToken,
  /** Base64 of `user:password`. */
  "user and password": (base64) =>
    /^[\x20-\x7e]{1,200}:[\x20-\x7e]{1,400}$/.test(Buffer.from(base64, "base64").toString("latin1")),
  "password in a URL": (password, before) =>
    !isPlaceholder(password) && !/^[$%{]/.test(password) && before !== `://${password}:`,
  "typed password": (password) => !isPlaceholder(password) && !isReference(password),
  "directory password": (value) => value.startsWith("{") || isRandomToken(value),
} as const satisfies Readonly<Record<string, IsSecret>>;

/** True for a token, false for a word of a sentence or an expression. */
function isRandomToken(token: string): boolean {
  return looksRandom(token) && /[0-9]/.test(token) && !isPlaceholder(token) && !isReference(token);
}
