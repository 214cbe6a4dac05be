import type { HookResponse, HookResult } from "../protocol/hook-response.ts";
import { tableOf } from "../protocol/json/table.ts";
import type { Problem } from "../protocol/problem.ts";
import type { Warning } from "../protocol/warning.ts";
import { isSecretVariable } from "../redact/assignments.ts";
import { type LongWord, longWords, replaceParts } from "../redact/long-words.ts";
import { redactJsonStrings } from "../redact/redact-json.ts";
import { factsOf, isKeyMember, redactText } from "../redact/redact-secrets.ts";
import { looksRandom } from "../redact/token-kinds.ts";
import { base64Parts, textOffsets } from "./base64-parts.ts";
import { indexSecrets, replaceWrapped, type SecretIndex } from "./known-secrets.ts";
import {
  MIN_SECRET_LENGTH,
  mayNameSecret,
  type Redact,
  redactedStart,
  secretNamesIn,
  writtenForms,
} from "./secret-values.ts";
import table from "./suspected-secrets.json" with { type: "json" };

export type { Redact } from "./secret-values.ts";

export const REDACTED = "[redacted]";

interface KnownEnv {
  readonly session: string;
  readonly stored: readonly string[];
  /** Its secrets. */
  readonly index: SecretIndex | null;
  /** Short texts without a secret: paths and names come again with each request to a server. */
  readonly clean: Set<string>;
}

/** An environment is searched once, and again for a call of another session. */
const knownEnvs = new WeakMap<object, KnownEnv>();
const LONGEST_CLEAN = 200;
const MOST_CLEAN = 200;

/** The values of secrets in files, read when a text is long enough to contain one. */
export type StoredValues = () => readonly string[];
const NONE: readonly string[] = [];

/**
 * Returns a function that replaces secrets in a text: the values of variables with secret names, stored values, and known token patterns.
 * The id of the payload's session stays readable unless a variable of a sure name, such as `AWS_SESSION_TOKEN`, holds it.
 * It takes linear time.
 */
export function createRedactor(
  env: Readonly<Record<string, string | undefined>>,
  session = "",
  stored: StoredValues = () => NONE,
): Redact {
  const redactPlain = (text: string, words = longWords(text)): string => {
    if (text.length < MIN_SECRET_LENGTH) return text;
    const { index } = knownEnv(env, session, stored());
    const unknown = index === null ? text : replaceWrapped(text, index, REDACTED);
    return withoutShapes(unknown, unknown === text ? words : longWords(unknown), session);
  };
  const redact = (text: string): string => {
    const words = longWords(text);
    const plain = withoutUrls(redactPlain(text, words), redactPlain);
    return withoutBase64(plain, plain === text ? words : longWords(plain), redactPlain);
  };
  return (text) => {
    if (text.length < MIN_SECRET_LENGTH) return text;
    if (text.length > LONGEST_CLEAN) return redact(text);
    const { clean } = knownEnv(env, session, stored());
    if (clean.has(text)) return text;
    const redacted = redact(text);
    if (clean.size >= MOST_CLEAN) clean.clear();
    if (redacted === text) clean.add(text);
    return redacted;
  };
}

function knownEnv(
  env: Readonly<Record<string, string | undefined>>,
  session: string,
  stored: readonly string[],
): KnownEnv {
  const before = knownEnvs.get(env);
  if (before?.session === session && before.stored === stored) return before;
  const values = stored.filter((value) => !session.includes(value)).flatMap(writtenForms);
  const index = indexSecrets([...new Set([...secretsOf(env, session), ...values])]);
  const known = { session, stored, index, clean: new Set<string>() };
  knownEnvs.set(env, known);
  return known;
}

/** Replaces what is known or suspected to be a secret by its shape or by the words before it. */
function withoutShapes(text: string, words: readonly LongWord[], session: string): string {
  const facts = factsOf(text, words);
  const { clues } = facts;
  const suspected = SUSPECTED_SECRETS.filter((row) => clues(row.clues)).reduce(
    (rest, { pattern, ignoresCase }) => rest.replace(new RegExp(pattern, ignoresCase ? "gi" : "g"), `$1${REDACTED}`),
    redactText(text, () => REDACTED, facts),
  );
  if (!clues([":", "="])) return suspected;
  return suspected.replace(ASSIGNMENT, (whole, name: string, between: string, value: string) =>
    looksRandom(value) && isSecretVariable(name, value, session) ? name + between + REDACTED : whole,
  );
}

/** Replaces words that are a text with a secret as an address has it. */
function withoutUrls(text: string, redactPlain: Redact): string {
  if (!text.includes("%")) return text;
  const isSecret = (decoded: string): boolean => redactPlain(decoded) !== decoded;
  return text.replace(URL_WORD, (word) => (word.includes("%") && isSecret(decodedUrl(word)) ? REDACTED : word));
}

/** Replaces words that are a text with a secret in base64. */
function withoutBase64(text: string, words: readonly LongWord[], redactPlain: Redact): string {
  const isSecret = (decoded: string): boolean => redactPlain(decoded) !== decoded;
  const secrets = base64Parts(text, words).filter((part) => textsInBase64(text, part).some(isSecret));
  return replaceParts(text, secrets, REDACTED);
}

const URL_WORD = /[A-Za-z0-9._~+%-]{12,}/g;
/** Shorter texts in binary data are there by chance. */
const ASCII_TEXT = /[\t\n\r\x20-\x7e]{12,}/g;

/** The texts in base64. */
const textsInBase64 = (text: string, part: LongWord): readonly string[] =>
  textOffsets(text, part).flatMap((offset) => {
    const bytes = Buffer.from(text.slice(part.start + offset, part.end), "base64");
    return bytes.toString("latin1").match(ASCII_TEXT) ?? [];
  });

function decodedUrl(word: string): string {
  try {
    return decodeURIComponent(word.replaceAll("+", " "));
  } catch {
    return word;
  }
}

/** Redacts JSON text string by string. A string under a secret name is replaced as a whole. */
export function redactJson(raw: string, redact: Redact): string {
  const redactMember = (name: string, value: string): string | null =>
    isKeyMember(name, value) || (isSecretVariable(name, value) && value.length >= MIN_SECRET_LENGTH) ? REDACTED : null;
  return redactJsonStrings(raw, { redact, redactMember }) ?? redact(raw);
}

/** Redacts the start of a field's text, or all of it if the field's name is that of a secret. */
export const redactField = (path: string, text: string, redact: Redact): string =>
  text.length >= MIN_SECRET_LENGTH &&
  path.split(".").some((name) => mayNameSecret(name) && isSecretVariable(name, text))
    ? REDACTED
    : redactedStart(text, redact);

function secretsOf(env: Readonly<Record<string, string | undefined>>, session: string): readonly string[] {
  const values = Object.keys(env)
    .filter(secretNamesIn(env))
    .flatMap((name) => {
      const value = env[name];
      const isSecret =
        value !== undefined && value.length >= MIN_SECRET_LENGTH && isSecretVariable(name, value, session);
      return isSecret ? writtenForms(value) : [];
    });
  return [...new Set(values)];
}

interface SuspectedSecret {
  /** Each text with such a secret contains one of these clues. */
  readonly clues: readonly string[];
  /** The secret, after a group that stays. Compiled when a text has a clue, which is seldom. */
  readonly pattern: string;
  readonly ignoresCase?: true;
}

/** A log loses nothing by a word that is no secret, so it also leaves out what only might be one, after the first group. */
const SUSPECTED_SECRETS = tableOf<readonly SuspectedSecret[]>(table);

/** `NAME=value` and `"NAME": "value"`, as an environment is printed. */
const ASSIGNMENT = /\b([A-Z][A-Z0-9_]{1,80})(["']?[ \t]{0,3}[=:][ \t]{0,3}["']?)([^\s"',;&]{6,})/g;

/**
 * Redacts the result of a hook before anything of it is cut or escaped, because half a secret cannot be recognised.
 * New values, follow-ups and pushes stay as they are.
 */
export function redactResult(result: HookResult, redact: Redact): HookResult {
  const { response } = result;
  return {
    ...result,
    stderr: redact(result.stderr),
    warnings: result.warnings.map((warning) => redactTexts(warning, redact)),
    response: response.ok
      ? { ok: true, value: response.value === null ? null : redactedReply(response.value, redact) }
      : { ok: false, error: redactTexts(response.error, redact) },
  };
}

function redactedReply(reply: HookResponse, redact: Redact): HookResponse {
  return {
    ...reply,
    reason: reply.reason === null ? null : redact(reply.reason),
    context: reply.context.map(redact),
    systemMessage: reply.systemMessage === null ? null : redact(reply.systemMessage),
    metadata: reply.metadata === null ? null : redactJson(reply.metadata, redact),
    warnings: reply.warnings.map((warning) => redactTexts(warning, redact)),
    possibleBlock: reply.possibleBlock === null ? null : redactTexts(reply.possibleBlock, redact),
  };
}

/** Redacts all texts of a problem or warning except the hook's name and path. `found` may be JSON. */
export function redactTexts<T extends Problem | Warning>(source: T, redact: Redact): T {
  const texts = Object.entries(source).map(([key, value]): [string, unknown] => {
    if (typeof value !== "string" || ["code", "hook", "path"].includes(key)) return [key, value];
    return [key, key === "found" ? redactJson(value, redact) : redact(value)];
  });
  return Object.fromEntries(texts) as T;
}
