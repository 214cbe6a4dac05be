import { isPlaceholder, isReference, isSecretVariable, namesSecret } from "./assignments.ts";
import { looksRandom } from "./token-kinds.ts";

const [LEAST_VALUE, MOST_VALUE] = [8, 4096];
const LONG_WORDS = 16;
const LEAST_UNNAMED = 20;

/**
 * True if a value that has the name of a secret is long and random enough to be replaced wherever it occurs. Words such as
 * `development` and `password1`, dates, paths, host names and short numbers also occur where they are no secret.
 */
export function isDistinctive(value: string): boolean {
  const { length } = value;
  if (length < LEAST_VALUE || length > MOST_VALUE || new Set(value).size < 5) return false;
  if (isPlaceholder(value) || isReference(value) || COMMON_VALUE.test(value)) return false;
  const kinds = [/[a-z]/, /[A-Z]/, /[0-9]/, /[^A-Za-z0-9]/].filter((kind) => kind.test(value)).length;
  return length >= LONG_WORDS || (kinds >= 2 && !WORDS.test(value));
}

/** Passwords of samples, numbers, dates, addresses, host names and UUIDs without the dashes of a token. */
const COMMON_VALUE =
  /^(?:(?:my|the|super)?[-_]?(?:password|passwd|passw0rd|p@ssw0rd|secret|admin|root|test|tests|testing|postgres|mysql|redis|changeme|welcome|letmein|qwerty|default|guest|user|demo|local|localhost|dev|development|production|staging)[-_]?[0-9]{0,4}[!@#$]?|[0-9.,:+ -]{1,15}|\d{4}-\d\d-\d\d(?:[T ][\d:.+Z-]*)?|(?:[a-z0-9-]+\.)+[a-z]{2,}(?::\d+)?|[^\s@]+@(?:[a-z0-9-]+\.)+[a-z]{2,}|0?123456789?0?\w{0,6}|abc123\w{0,3})$/i;

/** `my-app-2`, `dev_secret`, `Development`: one word, or several with a hyphen. */
const WORDS = /^[A-Za-z]?[a-z]+(?:[-_. ][A-Za-z]?[a-z]*)*[-_. ]?[0-9]?$/;

/**
 * The values of secrets in a file with credentials: `.env`, INI, YAML, JSON, netrc, `.npmrc`, `.git-credentials`, `.pgpass`, keys.
 * In a file with variables, a random value of any name is one.
 */
export function secretValuesIn(text: string, isEnvironment: boolean): readonly string[] {
  const named = [...assignmentsIn(text)].flatMap(({ name, value }) =>
    isValueOf(name, value, isEnvironment) ? [value] : [],
  );
  const unnamed = PATTERNS.flatMap((pattern) =>
    [...text.matchAll(pattern)].flatMap(([, value = ""]) => [value, decoded(value)]),
  );
  const values = [...named, ...named.map(decoded), ...unnamed.filter(isDistinctive), ...keyLines(text)];
  return [...new Set(values)].filter((value) => value.length >= LEAST_VALUE && value.length <= MOST_VALUE);
}

/** Passwords that no name precedes on their line: of URLs, netrc, `.pgpass` and XML, and a file with one word. */
const PATTERNS: readonly RegExp[] = [
  /:\/\/[^\s/:@"']{0,200}:([^\s/@"']{1,400})@/g,
  /:\/\/([^\s/:@"']{16,400})@/g,
  /(?:^|\s)password[ \t]+(\S{1,400})/g,
  /^[^:\s#]{0,200}:(?:\d{1,5}|\*):[^:\s]{0,200}:[^:\s]{0,200}:([^\r\n]{1,400})$/gm,
  /<(?:[\w-]*password|passphrase|[\w-]*token)>([^<\s]{1,400})</gi,
  /^\s*([^\s=:]{16,4096})\s*$(?![\s\S])/g,
];

const ASSIGNED =
  /(?:^|[{,;])[ \t]*(?:export[ \t]+|set[ \t]+)?["']?(\/\/[^\s=]{1,200}(?==)|[^\s"'=:{}]{1,200})["']?[ \t]*[:=][ \t]*("(?:[^"\\\n]|\\.){0,4096}"|'[^'\n]{0,4096}'|[^\n"',{}]{1,4096})/gm;

function* assignmentsIn(text: string) {
  for (const [, name = "", raw = ""] of text.matchAll(ASSIGNED)) {
    const plain = raw.replace(/[ \t]+[#;].*$/, "").trim();
    const quote = /^(["'])(.*)\1$/s.exec(plain);
    const value = quote?.[2] ?? plain;
    yield { name: name.slice(name.lastIndexOf(":") + 1), value };
    if (quote?.[1] === '"' && value.includes("\\")) yield { name, value: value.replace(/\\(["\\$])/g, "$1") };
  }
}

function isValueOf(name: string, value: string, isEnvironment: boolean): boolean {
  if (NO_SECRET.test(name)) return false;
  if (namesSecret(name) || isSecretVariable(name, value) || /(?:key|key-data)$/i.test(name))
    return isDistinctive(value);
  const isRandom = isEnvironment && value.length >= LEAST_UNNAMED && /^[\w+/=.~-]+$/.test(value) && looksRandom(value);
  return isRandom && isDistinctive(value) && !UUID.test(value) && changes(value) >= 5;
}

const NO_SECRET =
  /PUBLIC|PUBLISHABLE|(?:_|[a-z])ID$|(?:^|[-_])id$|SHA\d*$|COMMIT|VERSION|RELEASE|DIGEST|CHECKSUM|REVISION|(?:URL|URI|HOST|PATH|DIR|FILE|IMAGE|ENDPOINT)$/i;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** How often letters and digits follow each other: in words with a number seldom. */
const changes = (value: string): number => value.match(/[A-Za-z][0-9]|[0-9][A-Za-z]/g)?.length ?? 0;

/** The password in `user:password` in base64; empty for anything else. */
const decoded = (value: string): string =>
  /^[A-Za-z0-9+/]{8,}={0,2}$/.test(value)
    ? (/^[\x21-\x7e]{1,200}:([\x21-\x7e]{8,400})$/.exec(Buffer.from(value, "base64").toString("latin1"))?.[1] ?? "")
    : "";

/** The lines of private keys, without the first one, which begins in all keys of a kind with the same text. */
const keyLines = (text: string): readonly string[] =>
  [...text.matchAll(/-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----\r?\n([A-Za-z0-9+/=\s]{1,65536})/g)].flatMap(
    ([, body = ""]) =>
      body
        .split(/\s+/)
        .slice(1)
        .filter((line) => line.length >= LONG_WORDS),
  );
