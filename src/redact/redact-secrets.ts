import { ASSIGNMENT, assignsSecret } from "./assignments.ts";
import { type LongWord, longWords, wordsForTokens } from "./long-words.ts";
import { AFTER_PREFIX } from "./prefixed-secrets.ts";
import { redactJsonStrings } from "./redact-json.ts";
import { anyToken, kindOfToken, looksRandom } from "./token-kinds.ts";

export interface Redaction {
  readonly text: string;
  /** The kinds of the replaced secrets, each once. */
  readonly kinds: readonly string[];
}

/** Returns the text in place of a secret of a kind. */
export type Mark = (kind: string, secret: string) => string;

/** Replaces known values in a text by a mark. */
export type ReplaceValues = (text: string, mark: string) => string;

/** Replaces secrets in the output of a tool, which may be JSON and then stays JSON. It takes linear time. */
export function redactSecrets(output: string, replaceValues: ReplaceValues | null = null): Redaction {
  const kinds = new Set<string>();
  const mark = (kind: string): string => {
    kinds.add(kind);
    return `[redacted ${kind}]`;
  };
  const valueMark = `[redacted ${SECRET_VALUE}]`;
  const redact = (text: string): string => {
    const unknown = replaceValues?.(text, valueMark) ?? text;
    if (unknown !== text) kinds.add(SECRET_VALUE);
    return redactText(unknown, mark);
  };
  const redactMember = (name: string, value: string): string | null =>
    isKeyMember(name, value) || assignsSecret({ name, separator: ":", isQuoted: true, value })
      ? mark(SECRET_VALUE)
      : null;
  const json = /^\s{0,100}[[{"]/.test(output) ? redactJsonStrings(output, { redact, redactMember }) : null;
  return { text: json ?? redact(output), kinds: [...kinds] };
}

/** The private members of a JSON Web Key. */
export const isKeyMember = (name: string, value: string): boolean =>
  /^(?:d|dp|dq|qi|k)$/.test(name) && /^[A-Za-z0-9_-]{40,}$/.test(value) && looksRandom(value);

/** Replaces secrets in a text. It removes no quote or backslash around a secret, so that JSON within the text stays valid. */
export function redactText(text: string, replaced: Mark, { clues, words } = factsOf(text)): string {
  const withoutKeys = clues(["-----begin"])
    ? text.replace(PRIVATE_KEY, (block) => (KEY_BODY.test(block) ? replaced("private key", block) : block))
    : text;
  const withoutMarked = AFTER_PREFIX.filter((row) => clues(row.clues)).reduce(
    (rest, { kind, pattern, isSecret }) =>
      rest.replace(pattern(), (whole, before: string, secret: string) =>
        isSecret(secret, before) ? before + replaced(kind, secret) : whole,
      ),
    withoutTokens(withoutKeys, withoutKeys === text ? words : longWords(withoutKeys), replaced),
  );
  return clues(SEPARATORS) && clues(SECRET_WORDS) ? withoutAssignments(withoutMarked, replaced) : withoutMarked;
}

const SEPARATORS = [":", "="];
const SECRET_WORDS = ["token", "key", "pass", "secret", "credential", "creds", "auth", "pw", "pat", "dsn", "jwt"];

/** What is known of a text before it is searched for secrets. */
interface TextFacts {
  /** True if the text contains one of these clues, which are in lower case. A pattern is skipped where its clues are missing. */
  readonly clues: (clues: readonly string[]) => boolean;
  readonly words: readonly LongWord[];
}

export const factsOf = (text: string, words = longWords(text)): TextFacts => ({ clues: cluesIn(text), words });

/**
 * Clues that few texts have: one search for all of them takes an eighth of the time of one for each. They repeat clues of
 * prefixed-secrets.json and of audit/suspected-secrets.json; a clue that is missing here only costs time.
 */
const RARE_CLUES =
  "bearer|basic|authorization|cookie|machine|credential|creds|bytes left|sshpass|mysql|mariadb|redis-cli|mongo|login|</|userpassword|psk=|private-|kty|infura|alchemy|quiknode";
/** In a shorter text the search for all rare clues is not worth its pattern. */
const LONG_TEXT = 4096;

function cluesIn(text: string): TextFacts["clues"] {
  const lower = text.toLowerCase();
  const known = new Map<string, boolean>();
  if (text.length > LONG_TEXT && !new RegExp(RARE_CLUES).test(lower))
    for (const clue of RARE_CLUES.split("|")) known.set(clue, false);
  const isIn = (clue: string): boolean => {
    const found = known.get(clue) ?? lower.includes(clue);
    known.set(clue, found);
    return found;
  };
  return (clues) => clues.some(isIn);
}

/** Replaces tokens, which are searched in the long words only, with the characters beside them that delimit a token. */
function withoutTokens(text: string, words: readonly LongWord[], replaced: Mark): string {
  const parts: string[] = [];
  let done = 0;
  let before = 0;
  for (const { start, end } of wordsForTokens(text, words)) {
    const from = Math.max(before, start - BESIDE);
    before = end;
    const around = text.slice(from, end + BESIDE);
    const redacted = around.replace(anyToken(), (token) => {
      const kind = kindOfToken(token);
      return kind === null ? token : replaced(kind, token);
    });
    if (redacted === around) continue;
    // Text beside a word is no part of a token.
    parts.push(text.slice(done, from), redacted.slice(0, redacted.length - (from + around.length - end)));
    done = end;
  }
  return parts.length === 0 ? text : parts.join("") + text.slice(done);
}

/** The length of a colour code. */
const BESIDE = 16;

/** A key block; its end may be cut off. No line of five hyphens is between the marks. */
const PRIVATE_KEY =
  /-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----(?:[^-]*(?:-(?!----)[^-]*)*-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----|(?:[A-Za-z0-9+/=\s]|\\[nr])*)/g;
/** Otherwise the marks are in a program or a document about keys. */
const KEY_BODY = /[A-Za-z0-9+/=]{24}/;

const SECRET_VALUE = "secret value";

function withoutAssignments(text: string, replaced: Mark): string {
  return text.replace(ASSIGNMENT, (...found) => {
    const [whole, word, separator, quote, quoted, bare, offset] = found as AssignmentGroups;
    // A call of a function is no value.
    if (bare !== undefined && "({[".includes(text.charAt(offset + whole.length) || " ")) return whole;
    const name = text.slice(startOfName(text, offset), offset) + word;
    const value = quoted ?? bare ?? "";
    if (!assignsSecret({ name, separator, isQuoted: quote !== undefined, value })) return whole;
    return word + separator + (quote ?? "") + replaced(SECRET_VALUE, value);
  });
}

type AssignmentGroups = [
  whole: string,
  word: string,
  separator: string,
  quote: string | undefined,
  quoted: string | undefined,
  bare: string | undefined,
  offset: number,
];

const MAX_NAME = 80;

/** The position of the first character of the name that ends at `end`. */
function startOfName(text: string, end: number): number {
  let start = end;
  while (start > 0 && end - start < MAX_NAME && /[\w-]/.test(text.charAt(start - 1))) start--;
  return start;
}
