import { looksRandom } from "./token-kinds.ts";

/**
 * The end of a secret's name, a separator, and a value in quotes or without: `PASSWORD=…`, `api_key: "…"`, `\"token\":\"…\"`. Each
 * quantifier is bounded or stops at a character that cannot follow it.
 */
export const ASSIGNMENT =
  /((?:secret|token|passw(?:or)?d|passwort|passphrase|key|pass|pwd|pw|credential|creds|auth|pat|dsn|jwt)s?(?:[_-]?(?:base64|base|b64))?)(\\{0,4}["'`]?[ \t]{0,8}(?:=>|:=|[:=])[ \t]{0,8})(?:(\\{0,4}["'`])([^"'`\\\r\n]{4,})|([^\s"'`\\,;&<>(){}[\]|]{6,}))/gi;

interface Assignment {
  readonly name: string;
  /** The text between the name and the value. */
  readonly separator: string;
  readonly isQuoted: boolean;
  readonly value: string;
}

/** True if the value is a secret, and not code, a reference, a placeholder or a word of a schema. */
export function assignsSecret({ name, separator, isQuoted, value }: Assignment): boolean {
  if (!namesSecret(name) || isPlaceholder(value)) return false;
  const isPassword = /passw|passphrase|(?:^|_)pass$|pwd|pw$/i.test(name);
  if (/^[0-9]+$/.test(value)) return isPassword && value.length >= 6;
  if (isReference(value)) return false;
  if (/^[A-Z][A-Z0-9_]*$/.test(name) && separator === "=") return true;
  if (isQuoted && !/\s/.test(value))
    return hasSymbol(value) || looksSecret(value) || (isPassword && isPlainPassword(value));
  return !isQuoted && looksSecret(value) && !isIdentifier(value, name);
}

/** A random value that is not a version, an algorithm or a name with a number. */
const looksSecret = (value: string): boolean =>
  value.length >= 6 && (looksRandom(value) || hasSymbol(value)) && !isNumberedName(value) && !isCamelCase(value);

const hasSymbol = (value: string): boolean => /[A-Za-z]/.test(value) && /[0-9]/.test(value) && /[!@#%^*+?]/.test(value);

/** `sha256`, `base64`, `param1`, `db-credentials-v2`: words with at most one digit, and names of algorithms. */
const isNumberedName = (value: string): boolean =>
  /^[a-z]+(?:[-_.](?:[a-z]+[0-9]?|[0-9]))*[0-9]?$/i.test(value) ||
  /^(?:sha|md|base|utf|ed|rsa|aes|hs|rs|es|u?int|float|oauth|http|mt|x)-?[0-9]+\w*$/i.test(value);

const isCamelCase = (value: string): boolean => /^[A-Za-z]?[a-z]+[0-9]{0,3}(?:[A-Z][a-z]+[0-9]{0,3})+$/.test(value);

/** A name in code that resembles the assigned variable: `token=oauth2_token`, `apiKey: key2`. */
function isIdentifier(value: string, name: string): boolean {
  if (!/^[A-Za-z_$][\w$]*$/.test(value)) return false;
  const [word = name] = /[a-z]+$/i.exec(name) ?? [];
  return value.toLowerCase().includes(word.toLowerCase());
}

/** A word that a person could have chosen, as opposed to `string`, `required` or a label. */
const isPlainPassword = (value: string): boolean =>
  /^[a-z][a-z0-9._-]{5,}$/.test(value) && !SCHEMA_WORDS.test(value) && !/^(?:password|passwd|secret)$/.test(value);

const SCHEMA_WORDS =
  /^(?:string|number|boolean|object|integer|required|optional|hidden|invalid|missing|disabled|enabled|forgot|reset|change|current|default|unknown|plaintext|textfield|keyword|identifier|operator|comment|variable|function)$/;

/** `$TOKEN`, `${{ secrets.X }}`, `config.token`, `/run/secrets/x`, `op://vault/x`: where a secret is, not the secret. */
export function isReference(value: string): boolean {
  // Keys in base64 for URLs may begin with a hyphen, as options do.
  if (value.startsWith("-")) return !looksRandom(value.slice(1)) || /^-[a-z]?-|=/.test(value);
  if (/^(?:0x|[$%@:=!~.?[\](){}<>*|\\/])/.test(value))
    return !/^\/[^/]*[+=]/.test(value) && !/^[!@*][A-Za-z0-9]{7,}$/.test(value);
  if (/^[A-Za-z_]\w*(?:(?:\.|::|->|\?\.)[A-Za-z_]\w*)+$/.test(value)) return !/[0-9].*[0-9].*[0-9]/.test(value);
  return (
    /^[a-z][a-z0-9+-]{1,20}:\/\//i.test(value) ||
    NAMESPACED.test(value) ||
    /\.(?:json|ya?ml|txt|pem|key|crt|env|js|ts|py|go|rs|java|md)$/i.test(value)
  );
}

/** A name below a reversed domain, as protocols and labels use it: `io.example/version`. */
const NAMESPACED = /^(?:io|com|org|net|dev)(?:\.[a-z]+)+\/[a-z]+$/i;

/** `changeme`, `your-api-key`, `xxxxxxxx`, `<password>`, `example`: placeholders of a template. */
export const isPlaceholder = (value: string): boolean =>
  /^(.)\1*$/.test(value) ||
  /^[<[{*.]|[>…]$|\.\.\.|\*\*\*|xxxx|\$\{|\{\{|redacted|change[-_]?(?:me|this|it)|replace[-_]?(?:me|this|with)|placeholder|^(?:insert|enter|put|add)[-_]|^your[-_]|[-_]here$|^(?:example|dummy|fake|sample|todo|none|null|nil|true|false|undefined|empty|unset|string|required)$/i.test(
    value,
  );

const SURE_NAME =
  /SECRET|TOKEN|PASSWORD|PASSWD|PASSPHRASE|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|CREDENTIAL|CREDS|AUTH(?!OR)|_(?:PASS|PWD)$|^(?:set-)?cookies?$/i;
/** Variable names that harmless values have, too, such as `SORT_KEY` and `DESKTOP_SESSION`. */
const LIKELY_NAME = /(?:^|_)(?:PAT|DSN|KEY|JWT|COOKIES?|SESSION(?:_?(?:ID|DATA))?|WEBHOOK(?:_URL)?|SALT|SIGNATURE)$/;
const HARMLESS_NAME =
  /^(?:XDG|DESKTOP|TERM|ITERM|DBUS|HOOKCTL|TMUX|ZELLIJ)_|(?:PUBLIC|PUBLISHABLE|PRIMARY|FOREIGN|SORT|PARTITION|CACHE|OBJECT|HOT)_?KEY$/;

/**
 * True if a variable holds a secret. With a name that is only likely, the value must look random and must not be (a part of)
 * the session id of the payload: agents put that id into variables such as `CLAUDE_CODE_SESSION_ID`.
 */
export const isSecretVariable = (name: string, value: string, session = ""): boolean =>
  SURE_NAME.test(name) ||
  (LIKELY_NAME.test(name) && !HARMLESS_NAME.test(name) && !session.includes(value) && looksRandom(value));

/**
 * True if a name suggests a secret value: `DB_PASSWORD`, `apiKey`, `client_secret`; not `TOKEN_COUNT`, `PASSWORD_FILE`
 * or `SSH_AUTH_SOCK`.
 */
export const namesSecret = (name: string): boolean =>
  (ENDS_SECRET.test(name) || SECRET_VARIABLE.test(name)) && !HARMLESS_NAME.test(name) && !COUNTS_TOKENS.test(name);

const ENDS_SECRET =
  /(?:secret|token|password|passwd|passphrase|(?:api|access|private|secret|signing|encryption|master|account|auth|shared[_-]?access)[_-]?key|credential)s?(?:[_-]?(?:base64|b64))?$|_(?:pass|pwd|pw|creds|auth)$|^(?:pass|pwd|passwort)$/i;
/** Names that only environment variables have. */
const SECRET_VARIABLE = /_(?:PAT|DSN|JWT|KEY(?:_BASE)?)$|^(?:[A-Z]+_)?secret_key_base$/;
const COUNTS_TOKENS = /(?:max|min|num|total|used|input|output|prompt|completion|next|page|continuation)[_-]?tokens?$/i;
