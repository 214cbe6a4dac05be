import { looksRandom } from "./token-kinds.ts";

const SURE_NAME =
  /SECRET|TOKEN|PASSWORD|PASSWD|PASSPHRASE|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|CREDENTIAL|CREDS|AUTH(?!OR)|_(?:PASS|PWD)$|^(?:set-)?cookies?$/i;
/** Variable names that harmless values have, too, such as `SORT_KEY` and `DESKTOP_SESSION`. */
const LIKELY_NAME = /(?:^|_)(?:PAT|DSN|KEY|JWT|COOKIES?|SESSION(?:_?(?:ID|DATA))?|WEBHOOK(?:_URL)?|SALT|SIGNATURE)$/;
const HARMLESS_NAME =
  /^(?:XDG|DESKTOP|TERM|ITERM|DBUS|HOOKCTL|TMUX|ZELLIJ)_|(?:PUBLIC|PUBLISHABLE|PRIMARY|FOREIGN|SORT|PARTITION|CACHE|OBJECT|HOT)_?KEY$/;

/** True if a variable holds a secret. With a name that is only likely, the value must look random. */
export const isSecretVariable = (name: string, value: string): boolean =>
  SURE_NAME.test(name) || (LIKELY_NAME.test(name) && !HARMLESS_NAME.test(name) && looksRandom(value));

/**
 * True if a name says that its value is a secret: `DB_PASSWORD`, `apiKey`, `client_secret`; not `TOKEN_COUNT`,
 * `PASSWORD_FILE` or `SSH_AUTH_SOCK`.
 */
export const namesSecret = (name: string): boolean =>
  (ENDS_SECRET.test(name) || SECRET_VARIABLE.test(name)) && !HARMLESS_NAME.test(name) && !COUNTS_TOKENS.test(name);

const ENDS_SECRET =
  /(?:secret|token|password|passwd|passphrase|(?:api|access|private|secret|signing|encryption|master|account|auth|shared[_-]?access)[_-]?key|credential)s?(?:[_-]?(?:base64|b64))?$|_(?:pass|pwd|pw|creds|auth)$|^(?:pass|pwd|passwort)$/i;
/** Names that only environment variables have. */
const SECRET_VARIABLE = /_(?:PAT|DSN|JWT|KEY(?:_BASE)?)$|^(?:[A-Z]+_)?secret_key_base$/;
const COUNTS_TOKENS = /(?:max|min|num|total|used|input|output|prompt|completion|next|page|continuation)[_-]?tokens?$/i;
