import { readJson, stringOf } from "../contract/json.ts";

export type Redact = (text: string) => string;

export const REDACTED = "[redacted]";

const SECRET_NAME =
  /SECRET|TOKEN|PASSWORD|PASSWD|PASSPHRASE|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|CREDENTIAL|AUTH(?!OR)|_(?:PASS|PWD)$/i;
/** Shorter values are words that occur by chance. */
const SHORTEST_SECRET = 6;

/** Where a token may begin: also right behind a colour code or an escaped line break, whose last sign is a letter. */
const START = String.raw`(?:\b|(?<=\x1b\[[0-9;]{0,12}m|\\[nrt]))`;
const shape = ({ source, flags }: RegExp): RegExp => new RegExp(START + source, `g${flags}`);

/** Known shapes. Each quantifier stops at a character that cannot follow, so that no text takes more than linear time. */
const SHAPES: readonly RegExp[] = [
  /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[^-]*(?:-----END [A-Z ]{0,30}PRIVATE KEY-----)?/g,
  // The rest of a key whose beginning was in the middle of a long stderr, which is not kept.
  /(?<=bytes left out …\n)[\s\S]{0,8192}?-----END [A-Z ]{0,30}PRIVATE KEY-----/g,
  shape(/(?:AKIA|ASIA|AROA|AIDA)[0-9A-Z]{16}\b/),
  shape(/gh[pousr]_[A-Za-z0-9]{20,}/),
  shape(/github_pat_[A-Za-z0-9_]{20,}/),
  shape(/glpat-[A-Za-z0-9_-]{16,}/),
  shape(/sk-[A-Za-z0-9_-]{16,}/),
  shape(/[rsp]k_(?:live|test)_[A-Za-z0-9]{16,}/),
  shape(/xox[abeoprs]-[A-Za-z0-9-]{10,}/),
  shape(/AIza[0-9A-Za-z_-]{30,}/),
  shape(/npm_[A-Za-z0-9]{30,}/),
  shape(/(?:hf|dop_v1|shp(?:at|ca|pa|ss))_[A-Za-z0-9]{30,}/),
  shape(/dapi[0-9a-f]{32}/),
  shape(/pypi-[A-Za-z0-9_-]{30,}/),
  shape(/SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}/),
  shape(/ya29\.[A-Za-z0-9_-]{20,}/),
  shape(/AGE-SECRET-KEY-1[0-9A-Z]{40,}/),
  /\/\/hooks\.slack\.com\/services\/[A-Za-z0-9/]{20,}/g,
  // A first part alone counts: to look for its dot and come back would cost the square of the text.
  shape(/eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]+){0,2}/),
  shape(/Bearer +[A-Za-z0-9._~+/=-]{8,}/i),
  // Base64, not a word: `basic validation` is no secret.
  shape(/(?:[Bb]asic|BASIC) +(?=[A-Za-z0-9+/][a-z+/]*[A-Z0-9=])[A-Za-z0-9+/=_-]{8,}/),
];
const URL_PASSWORD = /(:\/\/[^\s/:@]{0,200}:)[^\s/@]{1,400}(?=@)/g;
const ASSIGNED =
  /((?:secret|token|password|passwd|passphrase|api[_-]?key|access[_-]?key|private[_-]?key|credential)s?["']?[ \t]{0,8}[:=][ \t]{0,8}["']?)[^\s"',;&]{6,}/gi;

/** A program asks often, and its environment was read once. */
const known = new WeakMap<object, readonly string[]>();

/**
 * Takes secrets out of what is stored or handed on (SPEC 11): the values of secret-named variables, and known token
 * shapes. Linear in the text.
 */
export function redactor(env: Readonly<Record<string, string | undefined>>): Redact {
  return (text) => {
    if (text.length < SHORTEST_SECRET) return text;
    const secrets = known.get(env) ?? secretsOf(env);
    known.set(env, secrets);
    const named = secrets.reduce((rest, secret) => rest.replaceAll(secret, REDACTED), text);
    const shaped = SHAPES.reduce((rest, shape) => rest.replace(shape, REDACTED), named);
    return shaped.replace(URL_PASSWORD, `$1${REDACTED}`).replace(ASSIGNED, `$1${REDACTED}`);
  };
}

/**
 * The same for JSON text, string by string, so that it stays JSON. A text under a secret's name goes as a whole. Strings
 * are found one after the other, whatever they lie in: nothing is too deep, and the time is linear.
 */
export function redactedJson(raw: string, redact: Redact): string {
  if (!readJson(raw, Number.POSITIVE_INFINITY).ok) return redact(raw);
  const redacted = (string: string): string => JSON.stringify(redact(textOf(string)));
  return raw.replace(JSON_STRING, (_found, string: string, colon: string | undefined, value: string | undefined) => {
    if (colon === undefined) return redacted(string);
    if (value === undefined) return redacted(string) + colon;
    const isSecret = SECRET_NAME.test(textOf(string)) && textOf(value).length >= SHORTEST_SECRET;
    return redacted(string) + colon + (isSecret ? JSON.stringify(REDACTED) : redacted(value));
  });
}

const textOf = (raw: string): string => stringOf({ kind: "string", raw });

/** A string of JSON, or a key with its colon and the string behind it. */
const JSON_STRING = /("[^"\\]*(?:\\.[^"\\]*)*")(?:(\s*:\s*)("[^"\\]*(?:\\.[^"\\]*)*")?)?/g;

/** Longest first: a secret that contains another must not leave its ends behind. */
function secretsOf(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const values = Object.entries(env).flatMap(([name, value]) =>
    SECRET_NAME.test(name) && value !== undefined && value.length >= SHORTEST_SECRET ? [value] : [],
  );
  return [...new Set(values)].sort((a, b) => b.length - a.length);
}
