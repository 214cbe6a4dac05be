import { ASSIGNMENT, assignsSecret, isPlaceholder, isReference } from "./assignments.ts";
import { type LongWord, longWords } from "./long-words.ts";
import { redactJsonStrings } from "./redact-json.ts";
import { anyToken, kindOfToken, looksRandom } from "./token-kinds.ts";
import { wordsForTokens } from "./token-marks.ts";

export interface Redaction {
  readonly text: string;
  /** The kinds of the replaced secrets, each once. */
  readonly kinds: readonly string[];
}

/** Returns the text in place of a secret of a kind. */
export type Mark = (kind: string) => string;

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
export function redactText(text: string, replaced: Mark, { clues, words } = lookAt(text)): string {
  const withoutKeys = clues(["-----begin"])
    ? text.replace(PRIVATE_KEY, (block) => (KEY_BODY.test(block) ? replaced("private key") : block))
    : text;
  const withoutMarked = AFTER_PREFIX.filter((row) => clues(row.clues)).reduce(
    (rest, { kind, pattern, isSecret }) =>
      rest.replace(pattern(), (whole, before: string, secret: string) =>
        isSecret(secret, before) ? before + replaced(kind) : whole,
      ),
    withoutTokens(withoutKeys, withoutKeys === text ? words : longWords(withoutKeys), replaced),
  );
  return clues(SEPARATORS) && clues(SECRET_WORDS) ? withoutAssignments(withoutMarked, replaced) : withoutMarked;
}

const SEPARATORS: readonly Clue[] = [":", "="];
const SECRET_WORDS: readonly Clue[] = [
  ...(["token", "key", "pass", "secret", "credential", "creds", "auth", "pw", "pat", "dsn", "jwt"] as const),
];

/** What texts with a secret have, by which it is recognised, in lower case. A pattern is skipped where its clues are missing. */
const SHORT = [
  ...([
    ":",
    "=",
    "://",
    ".com/",
    "sig=",
    "signature=",
    ":$",
    ":{",
    ":5",
    ":6",
    ":*",
    '"auth',
    "-----begin",
    "-u",
    "user",
  ] as const),
  ...(["token", "key", "pass", "secret", "auth", "pw", "pwd", "pat", "dsn", "jwt"] as const),
];
/** Words that few texts have: one search for all of them takes an eighth of the time of one for each. */
const RARE = [
  ...(["bearer", "basic", "authorization", "cookie", "machine", "credential", "creds", "bytes left"] as const),
  ...(["sshpass", "mysql", "mariadb", "redis-cli", "mongo"] as const),
  ...(["login", "</", "userpassword", "psk=", "private-", "kty", "infura", "alchemy", "quiknode"] as const),
];
export type Clue = (typeof SHORT)[number] | (typeof RARE)[number];

/** True if the text contains one of these clues. */
type HasClue = (clues: readonly Clue[]) => boolean;

/** In a shorter text the search for all rare clues is not worth its pattern. */
const LONG_TEXT = 4096;

function cluesIn(text: string): HasClue {
  const lower = text.toLowerCase();
  const known = new Map<Clue, boolean>();
  if (text.length > LONG_TEXT && !new RegExp(RARE.join("|")).test(lower))
    for (const clue of RARE) known.set(clue, false);
  const isIn = (clue: Clue): boolean => {
    const found = known.get(clue) ?? lower.includes(clue);
    known.set(clue, found);
    return found;
  };
  return (clues) => clues.some(isIn);
}

/** What is known of a text before it is searched for secrets. */
export interface TextLook {
  readonly clues: HasClue;
  readonly words: readonly LongWord[];
}

export const lookAt = (text: string, words = longWords(text)): TextLook => ({ clues: cluesIn(text), words });

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
      return kind === null ? token : replaced(kind);
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

interface PrefixedSecret {
  readonly kind: string;
  /** Each text with such a secret contains one of these clues. */
  readonly clues: readonly Clue[];
  /** Two groups: the text before the secret, and the secret. Made when a text has a clue, which is seldom. */
  readonly pattern: () => RegExp;
  readonly isSecret: (secret: string, before: string) => boolean;
}

/** Secrets that are recognised by the text before them. */
const AFTER_PREFIX: readonly PrefixedSecret[] = [
  {
    kind: "URL password",
    clues: ["://"],
    pattern: () => /(:\/\/[^\s/:@"'`\\<>]{0,200}:)([^\s/@"'`\\<>&]{1,400})(?=@)/g,
    isSecret: (password, before) =>
      !isPlaceholder(password) && !/^[$%{]/.test(password) && before !== `://${password}:`,
  },
  {
    kind: "webhook address",
    clues: [".com/"],
    pattern: () =>
      /(hooks\.slack\.com\/(?:services|workflows|triggers)\/|hooks\.zapier\.com\/hooks\/catch\/|webhook\.office\.com\/webhookb2\/|outlook\.office(?:365)?\.com\/webhook\/|discord(?:app)?\.com\/api\/webhooks\/)([A-Za-z0-9/_@-]{20,})/g,
    isSecret: looksRandom,
  },
  {
    kind: "signature",
    clues: ["sig=", "signature="],
    pattern: () => /([?&;](?:sig|X-Amz-Signature|X-Goog-Signature|Signature)=)([A-Za-z0-9%+/_-]{16,})/g,
    isSecret: looksRandom,
  },
  {
    kind: "bearer token",
    clues: ["bearer"],
    pattern: () => /(\bbearer[ \t]{1,8})([A-Za-z0-9._~+/-]{16,})/gi,
    isSecret: isRandomToken,
  },
  {
    kind: "basic credentials",
    clues: ["basic"],
    pattern: () => /(\bbasic[ \t]{1,8})([A-Za-z0-9+/_-]{8,}={0,2})/gi,
    isSecret: isUserAndPassword,
  },
  {
    kind: "basic credentials",
    clues: ['"auth'],
    pattern: () => /("auth\\{0,4}":[ \t]{0,8}\\{0,4}")([A-Za-z0-9+/]{8,}={0,2})/g,
    isSecret: isUserAndPassword,
  },
  {
    kind: "authorization header",
    clues: ["authorization"],
    pattern: () =>
      /(\bauthorization["']?[ \t]{0,8}[:=][ \t]{0,8}["']?(?:[A-Za-z][A-Za-z0-9-]{1,20} {1,8})?)([^\s"'`\\,;<>(){}]{8,})/gi,
    isSecret: isRandomToken,
  },
  {
    kind: "cookie",
    clues: ["cookie"],
    pattern: () => /(\b(?:set-)?cookie["']?[ \t]{0,8}:[ \t]{0,8}["']?)([^\s=;,"'`\\]{1,100}=[^\r\n"'`\\]{8,8192})/gi,
    isSecret: looksRandom,
  },
  {
    kind: "password",
    clues: ["machine"],
    pattern: () =>
      /(\bmachine[ \t]{1,8}[^\s]{1,200}\s{1,8}login[ \t]{1,8}[^\s]{1,200}\s{1,8}password[ \t]{1,8})([^\s]{1,400})/g,
    isSecret: (password) => !isPlaceholder(password) && !isReference(password),
  },
  {
    kind: "password hash",
    clues: [":$"],
    pattern: () => /(^[A-Za-z_][\w.@-]{0,63}:)(\$(?:[1-9a-z]{1,8})\$[A-Za-z0-9./$,=+-]{20,})(?=[:\s]|$)/gm,
    isSecret: looksRandom,
  },
  {
    kind: "password hash",
    clues: [":{"],
    pattern: () => /(^[A-Za-z_][\w.@-]{0,63}:)(\{S?SHA\d{0,3}\}[A-Za-z0-9+/]{20,}={0,2})/gm,
    isSecret: looksRandom,
  },
  {
    kind: "password",
    clues: ["login"],
    pattern: () =>
      /(\b(?:docker|podman|nerdctl|buildah|skopeo|helm registry|oras|az|cf|vsts)[ \t]{1,4}login\b[^\n|;&]{0,200}?[ \t](?:-p|--password)(?:=|[ \t]{1,4})?["']?)([^\s"'`\\$-][^\s"'`\\]{5,400})/g,
    isSecret: isRandomToken,
  },
  {
    kind: "password",
    clues: ["</"],
    pattern: () => /(<(?:[\w:.-]{0,40}(?:password|passphrase|passwd|secret|token))>)([^<>\s"'`\\]{6,400})(?=<\/)/gi,
    isSecret: isRandomToken,
  },
  {
    kind: "password",
    clues: [":5", ":6", ":*"],
    pattern: () =>
      /(^(?:\*|localhost|[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}):(?:\*|[56]\d{3}):(?:\*|[A-Za-z_][\w-]{0,62}):(?:\*|[A-Za-z_][\w@.-]{0,62}):)([^\s:]{6,400})$/gm,
    isSecret: isRandomToken,
  },
  {
    kind: "password",
    clues: ["userpassword"],
    pattern: () => /(\buserPassword::?[ \t]{1,8})([^\s"'`\\,;()]{6,400})/gi,
    isSecret: (value) => value.startsWith("{") || isRandomToken(value),
  },
  {
    kind: "network key",
    clues: ["psk="],
    pattern: () => /(\bpsk=["']?)([^\s"'`\\]{8,64})/g,
    isSecret: isRandomToken,
  },
  {
    kind: "private key",
    clues: ["private-"],
    pattern: () => /(\bPrivate-Lines: \d{1,4}\r?\n)((?:[A-Za-z0-9+/=]{1,80}\r?\n?){1,400})/g,
    isSecret: looksRandom,
  },
  {
    kind: "private key",
    clues: ["private-"],
    pattern: () => /(\bPrivate-(?:MAC|Hash): )([0-9a-f]{40,64})/g,
    isSecret: looksRandom,
  },
  {
    kind: "private key",
    clues: ["kty"],
    pattern: () => /(\\{0,4}"(?:d|dp|dq|qi|k)\\{0,4}"[ \t]{0,8}:[ \t]{0,8}\\{0,4}")([A-Za-z0-9_-]{40,})(?=\\{0,4}")/g,
    isSecret: looksRandom,
  },
  {
    kind: "project key",
    clues: ["infura", "alchemy", "quiknode"],
    pattern: () =>
      /(infura\.io\/(?:ws\/)?v3\/|alchemy(?:api)?\.(?:com|io)\/(?:nft\/)?v[23]\/|quiknode\.pro\/)([A-Za-z0-9_-]{20,})/g,
    isSecret: looksRandom,
  },
];

/** True for a token, false for a word of a sentence or an expression. */
function isRandomToken(token: string): boolean {
  return looksRandom(token) && /[0-9]/.test(token) && !isPlaceholder(token) && !isReference(token);
}

/** True for base64 of `user:password`. */
function isUserAndPassword(base64: string): boolean {
  return /^[\x20-\x7e]{1,200}:[\x20-\x7e]{1,400}$/.test(Buffer.from(base64, "base64").toString("latin1"));
}

function withoutAssignments(text: string, replaced: Mark): string {
  return text.replace(ASSIGNMENT, (...found) => {
    const [whole, word, separator, quote, quoted, bare, offset] = found as AssignmentGroups;
    // A call of a function is no value.
    if (bare !== undefined && "({[".includes(text.charAt(offset + whole.length) || " ")) return whole;
    const name = text.slice(startOfName(text, offset), offset) + word;
    const value = quoted ?? bare ?? "";
    if (!assignsSecret({ name, separator, isQuoted: quote !== undefined, value })) return whole;
    return word + separator + (quote ?? "") + replaced(SECRET_VALUE);
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
