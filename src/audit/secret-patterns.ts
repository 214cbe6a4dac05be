/**
 * The patterns and names of secrets. Each quantifier stops at a character that cannot follow it, so that matching takes
 * linear time.
 */
const TOKEN_PATTERNS: Readonly<Record<string, RegExp>> = {
  "AWS access key": /(?:AKIA|ASIA|AROA|AIDA|ABIA|ACCA)[0-9A-Z]{16}\b/,
  "GitHub token": /gh[pousr]_[A-Za-z0-9]{20,}/,
  "GitHub fine-grained token": /github_pat_[A-Za-z0-9_]{20,}/,
  "GitLab token": /gl(?:pat|rt|ptt|dt|ft|soat|cbt|imt|agent|oas)-[A-Za-z0-9_.-]{16,}/,
  "model provider key": /sk-[A-Za-z0-9_-]{16,}/,
  "Stripe key": /[rsp]k_(?:live|test)_[A-Za-z0-9]{16,}/,
  "webhook secret": /whsec_[A-Za-z0-9+/=_-]{16,}/,
  "Slack token": /xox[a-z]-[A-Za-z0-9-]{10,}/,
  "Slack app token": /xapp-[A-Za-z0-9-]{10,}/,
  "Google API key": /AIza[0-9A-Za-z_-]{30,}/,
  "Google OAuth token": /(?:ya29\.|GOCSPX-)[A-Za-z0-9_-]{20,}/,
  "npm token": /npm_[A-Za-z0-9]{30,}/,
  "PyPI token": /pypi-[A-Za-z0-9_-]{30,}/,
  "RubyGems key": /rubygems_[0-9a-f]{40,}/,
  "Docker Hub token": /dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}/,
  "Vault token": /hv[sbr]\.[A-Za-z0-9_-]{20,}/,
  "Terraform token": /[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{40,}/,
  "Hugging Face token": /hf_[A-Za-z0-9]{30,}/,
  "Groq key": /gsk_[A-Za-z0-9]{20,}/,
  "xAI key": /xai-[A-Za-z0-9]{20,}/,
  "NVIDIA key": /nvapi-[A-Za-z0-9_-]{20,}/,
  "Replicate token": /r8_[A-Za-z0-9]{20,}/,
  "Perplexity key": /pplx-[A-Za-z0-9]{30,}/,
  "Tavily key": /tvly-[A-Za-z0-9-]{20,}/,
  "Atlassian token": /AT(?:ATT|CTT)3x[A-Za-z0-9_=-]{20,}/,
  "Linear key": /lin_(?:api|oauth)_[A-Za-z0-9]{20,}/,
  "Notion token": /ntn_[A-Za-z0-9]{30,}/,
  "Figma token": /figd_[A-Za-z0-9_-]{30,}/,
  "Postman key": /PMAK-[0-9a-f]{20,}-[0-9a-f]{20,}/,
  "New Relic key": /NRAK-[A-Z0-9]{20,}/,
  "Grafana token": /gl(?:sa|c)_[A-Za-z0-9_=+/]{30,}/,
  "Sentry token": /sntry[su]_[A-Za-z0-9_=+/.-]{30,}/,
  "Supabase token": /sb(?:p|_secret)_[A-Za-z0-9_-]{20,}/,
  "Doppler token": /dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9._-]{30,}/,
  "DigitalOcean token": /do[ort]_v1_[A-Za-z0-9]{30,}|dop_v1_[A-Za-z0-9]{30,}/,
  "Shopify token": /shp(?:at|ca|pa|ss)_[A-Za-z0-9]{30,}/,
  "Databricks token": /dapi[0-9a-f]{32}/,
  "SendGrid key": /SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}/,
  "Twilio key": /SK[0-9a-f]{32}\b/,
  "Telegram bot token": /[0-9]{8,10}:AA[A-Za-z0-9_-]{30,}/,
  "age key": /AGE-SECRET-KEY-1[0-9A-Z]{40,}/,
  // The first part alone matches: requiring the dot after it would take quadratic time.
  "JSON web token": /eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]+){0,2}/,
  "bearer header": /[Bb][Ee][Aa][Rr][Ee][Rr] +[A-Za-z0-9._~+/=-]{8,}/,
  // Base64, not a word: `basic validation` is not a secret.
  "basic header": /(?:[Bb]asic|BASIC) +(?=[A-Za-z0-9+/][a-z+/]{0,500}[A-Z0-9=])[A-Za-z0-9+/=_-]{8,}/,
};

/** A token may also begin right after a colour code or an escaped line break, which end in a letter. */
const START = String.raw`(?:\b|(?<=\x1b\[[0-9;]{0,12}m|\\[nrt]))`;
const tokens = Object.values(TOKEN_PATTERNS).map(({ source }) => source);

/** Patterns that match whole secrets: key blocks, and all tokens as one expression, so that a text is scanned once. */
export const SECRET_PATTERNS: readonly RegExp[] = [
  /-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----[^-]*(?:-(?!----)[^-]*)*(?:-----END [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----)?/g,
  // The end of a key whose beginning was in the part of a long stderr that was cut out.
  /(?<=bytes left out …\n)[\s\S]{0,8192}?-----END [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----/g,
  new RegExp(`${START}(?:${tokens.join("|")})`, "g"),
  /\/\/hooks\.slack\.com\/services\/[A-Za-z0-9/]{20,}/g,
];

/** Secrets that are recognised by the text before them. The first group, that text, is kept. */
export const SECRETS_AFTER_PREFIX: readonly RegExp[] = [
  // The password or the signature in a URL.
  /(:\/\/[^\s/:@]{0,200}:)[^\s/@]{1,400}(?=@)/g,
  /([?&](?:sig|X-Amz-Signature|X-Goog-Signature)=)[A-Za-z0-9%+/=_-]{16,}/g,
  // Headers: a line of cookies, and credentials that are not plain words.
  /(cookie["']?[ \t]{0,8}:[ \t]{0,8}["']?)[^\s=;,"']{1,100}=[^\r\n"']{1,8192}/gi,
  /(authorization["']?[ \t]{0,8}[:=][ \t]{0,8}["']?(?:[A-Za-z][A-Za-z0-9-]{1,20} {1,8})?)(?=[^\s"',;]{0,200}[0-9=])[^\s"',;]{8,}/gi,
  /((?:secret|token|password|passwd|passphrase|api[_-]?key|access[_-]?key|private[_-]?key|signing[_-]?key|encryption[_-]?key|credential)s?["']?[ \t]{0,8}[:=][ \t]{0,8}["']?)[^\s"',;&]{6,}/gi,
];

/** `NAME=value` and `"NAME": "value"`, as an environment is printed. */
export const ASSIGNMENT = /\b([A-Z][A-Z0-9_]{1,80})(["']?[ \t]{0,3}[=:][ \t]{0,3}["']?)([^\s"',;&]{6,})/g;

const SURE_NAME =
  /SECRET|TOKEN|PASSWORD|PASSWD|PASSPHRASE|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|CREDENTIAL|CREDS|AUTH(?!OR)|_(?:PASS|PWD)$|^(?:set-)?cookies?$/i;
/** Variable names that harmless values have, too, such as `SORT_KEY` and `DESKTOP_SESSION`. */
const LIKELY_NAME = /(?:^|_)(?:PAT|DSN|KEY|JWT|COOKIES?|SESSION(?:_?(?:ID|DATA))?|WEBHOOK(?:_URL)?|SALT|SIGNATURE)$/;
const HARMLESS_NAME =
  /^(?:XDG|DESKTOP|TERM|ITERM|DBUS|HOOKCTL|TMUX|ZELLIJ)_|(?:PUBLIC|PUBLISHABLE|PRIMARY|FOREIGN|SORT|PARTITION|CACHE|OBJECT|HOT)_?KEY$/;

/** True if a value is not a plain word: it has digits and letters, or many letters of both cases. */
export function looksRandom(value: string): boolean {
  const [hasDigit, hasLower, hasUpper] = [/[0-9]/, /[a-z]/, /[A-Z]/].map((kind) => kind.test(value));
  return (hasDigit && (hasLower || hasUpper)) || (hasLower && hasUpper && value.length >= LONG_VALUE) || false;
}

const LONG_VALUE = 16;

/** True if a variable holds a secret. With a name that is only likely, the value must look random. */
export const isSecretVariable = (name: string, value: string): boolean =>
  SURE_NAME.test(name) || (LIKELY_NAME.test(name) && !HARMLESS_NAME.test(name) && looksRandom(value));
