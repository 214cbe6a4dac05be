import { redactText } from "../../../../src/redact/redact-secrets.ts";
import { isDistinctive } from "../../../../src/redact/stored-values.ts";
import { TOKEN_KINDS } from "../../../../src/redact/token-kinds.ts";

/** A secret that a text holds, with its kind. */
export interface RealSecret {
  readonly kind: string;
  readonly value: string;
}

/** A shorter text has no token, and no password that is told from an example. */
const SHORTEST = 16;

/**
 * The secrets in a text, without placeholders and values that somebody made up. Text that is written or sent is mostly code, in
 * which a value under the name of a secret is often an example: such a value must look as if a program had made it.
 */
export function realSecretsIn(text: string): readonly RealSecret[] {
  if (text.length < SHORTEST) return [];
  const found: RealSecret[] = [];
  redactText(text, (kind, value) => {
    if (isReal(kind, value)) found.push({ kind, value });
    return "[redacted]";
  });
  return found;
}

function isReal(kind: string, value: string): boolean {
  if (isMadeUp(value) || isPublic(kind, value)) return false;
  return kind === "private key" || kind === "webhook address" || TOKEN_KINDS.includes(kind) || isGenerated(value);
}

/** Keys that every visitor of a page gets: of Firebase and Stripe, and the tokens of Supabase for anybody. */
const isPublic = (kind: string, value: string): boolean =>
  kind === "Google API key" ||
  /^pk_(?:live|test)_/.test(value) ||
  (kind === "JSON web token" && /"role":"anon"/.test(Buffer.from(value.split(".")[1] ?? "", "base64url").toString()));

/** True for values that only a generator of passwords or keys writes. */
const isGenerated = (value: string): boolean =>
  value.length >= SHORTEST &&
  isDistinctive(value) &&
  /^[\w+/=.~!@#$%^&*-]+$/.test(value) &&
  !UUID.test(value) &&
  (value.match(/[A-Za-z][0-9]|[0-9][A-Za-z]/g)?.length ?? 0) >= LEAST_CHANGES;

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** How often letters and digits follow each other: in names with a number seldom. */
const LEAST_CHANGES = 4;

/** `AKIAIOSFODNN7EXAMPLE`, `sk-test-1234567890abcdef`, `ghp_aaaaaaaa`: examples, sequences and few different characters. */
const isMadeUp = (value: string): boolean =>
  MADE_UP.test(value) || new Set(value.toLowerCase()).size < LEAST_DIFFERENT || SAMPLE_JWT.test(value);

const MADE_UP =
  /example|sample|dummy|fake|placeholder|changeme|your[-_]|foobar|deadbeef|redacted|[-_]test[-_]|(?:^|[-_])(?:test|demo|mock)(?=[-_\d]|$)|(.)\1{5}|0123456|1234567|abcdefg|qwerty|a1b2c3|abc123|123abc/i;
const LEAST_DIFFERENT = 8;
/** The token of jwt.io: its subject is 1234567890. */
const SAMPLE_JWT = /eyJzdWIiOiIxMjM0NTY3ODkw/;
