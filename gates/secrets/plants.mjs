// Secrets as they turn up in the words of hooks: their shapes, the names of the variables that hold them, and the ways
// in which programs write them. Nothing here comes from src/: names and assignments are made by a grammar, so that the
// gate draws some that nobody wrote down.

/** @import { Random } from "../random.mjs" */

/**
 * @typedef {object} Plant
 * @property {readonly string[]} cores the parts that nobody could guess: none of them may show
 * @property {string} text the secret with what makes it one, such as `ghp_…`
 * @property {Readonly<Record<string, string>>} env variables that hold it
 */

const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const CAPITALS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const LOWER = "abcdefghijklmnopqrstuvwxyz0123456789";
const HEX = "0123456789abcdef";

/** Tokens that are known by their first letters, whatever stands around them. */
/** @type {readonly [alphabet: string, length: number, text: (core: string) => string][]} */
const TOKENS = [
  [CAPITALS, 16, (core) => `AKIA${core}`],
  [CAPITALS, 16, (core) => `ASIA${core}`],
  [LETTERS, 36, (core) => `ghp_${core}`],
  [LETTERS, 36, (core) => `gho_${core}`],
  [LETTERS, 36, (core) => `ghs_${core}`],
  [LETTERS, 60, (core) => `github_pat_${core}`],
  [LETTERS, 20, (core) => `glpat-${core}`],
  [LETTERS, 20, (core) => `glrt-${core}`],
  [LETTERS, 48, (core) => `sk-${core}`],
  [LETTERS, 40, (core) => `sk-proj-${core}`],
  [LETTERS, 40, (core) => `sk-ant-api03-${core}`],
  [LETTERS, 24, (core) => `sk_live_${core}`],
  [LETTERS, 24, (core) => `rk_live_${core}`],
  [LETTERS, 32, (core) => `whsec_${core}`],
  [LETTERS, 24, (core) => `xoxb-${core}`],
  [LETTERS, 60, (core) => `xapp-1-A0${core}`],
  [LETTERS, 35, (core) => `AIza${core}`],
  [LETTERS, 36, (core) => `npm_${core}`],
  [LETTERS, 34, (core) => `hf_${core}`],
  [LETTERS, 60, (core) => `pypi-${core}`],
  [LETTERS, 27, (core) => `dckr_pat_${core}`],
  [HEX, 64, (core) => `dop_v1_${core}`],
  [HEX, 32, (core) => `shpat_${core}`],
  [LETTERS, 90, (core) => `hvs.${core}`],
  [LETTERS, 52, (core) => `gsk_${core}`],
  [LETTERS, 80, (core) => `xai-${core}`],
  [LETTERS, 64, (core) => `nvapi-${core}`],
  [LETTERS, 40, (core) => `lin_api_${core}`],
  [LETTERS, 37, (core) => `r8_${core}`],
  [LETTERS, 180, (core) => `ATATT3x${core}`],
  [LETTERS, 66, (core) => `SG.${core.slice(0, 22)}.${core.slice(22)}`],
  [LETTERS, 24, (core) => `https://hooks.slack.com/services/T0AB12CD3/B0AB12CD3/${core}`],
  [LETTERS, 80, (core) => `eyJhbGciOiJIUzI1NiJ9.eyJ${core.slice(0, 40)}.${core.slice(40)}`],
  [LETTERS, 32, (core) => `Authorization: Bearer ${core}`],
  [LETTERS, 24, (core) => `authorization: basic ${core}==`],
  [LETTERS, 20, (core) => `postgres://app:${core}@db.example/app`],
  [LETTERS, 20, (core) => `amqps://${core.slice(0, 4)}:${core}@mq.example`],
  [LETTERS, 43, (core) => `https://store.example/box?sv=2024-11-04&sig=${core}%3D`],
  [LETTERS, 32, (core) => `Cookie: theme=dark; sid=${core}`],
  [LETTERS, 32, (core) => `Set-Cookie: session=${core}; Path=/; HttpOnly`],
];
const KEY_LABELS = ["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED ", "DSA "];

/** What a secret is called in text: a word of its own, or the end of a longer name. */
const ROLES = [
  ...["token", "secret", "password", "passwd", "passphrase", "api_key", "apikey", "api-key", "apiKey", "access_key"],
  ...["private_key", "client_secret", "clientSecret", "access_token", "refresh_token", "signing_key", "encryption_key"],
];
/** @type {readonly ((name: string, value: string) => string)[]} */
const ASSIGNMENTS = [
  (name, value) => `${name}=${value}`,
  (name, value) => `${name}: ${value}`,
  (name, value) => `${name}='${value}'`,
  (name, value) => `"${name}": "${value}"`,
  (name, value) => `{"${name}":"${value}"}`,
  (name, value) => `--${name.replaceAll("_", "-")}=${value}`,
  (name, value) => `https://api.example/v1?page=2&${name}=${value}`,
  (name, value) => `export ${name.toUpperCase().replaceAll("-", "_")}=${value}`,
];

/** What the name of a variable ends in when its value is a secret. */
const ENDINGS = [
  ...["TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASS", "PWD", "PASSPHRASE", "CREDENTIALS", "CREDS", "PAT", "DSN"],
  ...["COOKIE", "KEY", "API_KEY", "APIKEY", "SECRET_KEY", "ACCESS_KEY", "PRIVATE_KEY", "ENCRYPTION_KEY"],
  ...["SIGNING_KEY", "AUTH", "AUTH_TOKEN", "SESSION_SECRET", "SESSION_COOKIE", "WEBHOOK_SECRET", "CLIENT_SECRET"],
];
const NAMES = ["npm_config__auth", "PGPASSWORD", "MYSQL_PWD", "COOKIE", "AWS_SECRET_ACCESS_KEY", "VAULT_TOKEN"];

/** Around and inside a variable's value: characters that JSON or a terminal writes in another way. */
const ODD = ["", "", "", '"', "\\", "/", "é", "$&", "\u{1f511}", "\t", "^(", " ", "\n", "\r\n", "\\n", "ß"];

/** How programs write a value into what they print. @type {readonly ((value: string) => string)[]} */
const WRITTEN = [
  (value) => value,
  (value) => value,
  (value) => JSON.stringify({ k: value }),
  // As `json.dumps` of Python does.
  (value) => JSON.stringify([value]).replace(/[\u0080-\uffff]/g, escaped),
];
const escaped = (/** @type {string} */ unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** @param {Random} random @returns {Plant} */
export function drawPlant(random) {
  return random.pick([token, token, key, assignment, variable, variable, variable, encoded])(random);
}

/** A secret that nothing but its place gives away: the value of a password, or of an option. */
/** @param {Random} random @returns {Plant} */
export function drawBare(random) {
  const core = `${random.text(LETTERS, 10 + random.int(20))}${random.int(10)}`;
  return { cores: [core], text: core, env: {} };
}

/** A token or an assignment in base64, as a header or a manifest has it, or as an address does. */
/** @param {Random} random @returns {Plant} */
function encoded(random) {
  const { text, cores } = random.pick([token, assignment])(random);
  if (random.chance(0.5)) return { cores, text: `${encodeURIComponent(text)}%20`, env: {} };
  const base64 = Buffer.from(random.pick([`${text}`, `{"k":${JSON.stringify(text)}}`])).toString("base64");
  return { cores: [base64.replace(/=+$/, "").slice(4, -4)], text: base64, env: {} };
}

/** @param {Random} random @returns {Plant} */
function token(random) {
  const [alphabet, length, text] = random.pick(TOKENS);
  // Letters alone, in the case of words, are a name to anybody.
  const core = `${random.text(alphabet, length - 1)}${random.int(10)}`;
  return { cores: [core], text: text(core), env: {} };
}

/** @param {Random} random @returns {Plant} */
function key(random) {
  const cores = [random.text(LETTERS, 64), random.text(LETTERS, 64), random.text(LETTERS, 30)];
  const label = random.chance(0.15) ? "PGP PRIVATE KEY BLOCK" : `${random.pick(KEY_LABELS)}PRIVATE KEY`;
  const lines = [`-----BEGIN ${label}-----`, ...cores, `-----END ${label}-----`];
  return { cores, text: lines.join(random.pick(["\n", "\n", "\r\n", "\\n"])), env: {} };
}

/** @param {Random} random @returns {Plant} */
function assignment(random) {
  const core = random.text(LETTERS, 16 + random.int(24));
  const name = `${random.pick(["", "", "my_", `${random.text(LOWER, 5)}_`])}${random.pick(ROLES)}`;
  return { cores: [core], text: random.pick(ASSIGNMENTS)(name, core), env: {} };
}

/** @param {Random} random @returns {Plant} */
function variable(random) {
  // A word of letters alone under a name such as SORT_KEY is no secret to anybody: a random one has a digit.
  const cores = Array.from(
    { length: 1 + random.int(2) },
    () => `${random.text(LETTERS, 10 + random.int(40))}${random.int(10)}`,
  );
  const value = cores
    .map((core) => `${random.pick(ODD)}${core}${random.pick(ODD)}`)
    .join("")
    .trim();
  const made = `${random.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ", 3 + random.int(6))}_${random.pick(ENDINGS)}`;
  const name = random.chance(0.2) ? random.pick(NAMES) : made;
  return { cores, text: random.pick(WRITTEN)(value), env: { [name]: value } };
}

const NOISE = ["using ", "curl failed: ", "token is ", "(", "'", '{"k":"', "x=", "see\n", "\u001b[31m", "… "];
const AFTER = ["", " ", ".", ")", "'", '"}', "\nnext line", ", then more", "\u001b[0m"];

/** Long words before it push it over the places where texts are cut. */
/** @param {Random} random @param {Plant} plant @param {number} room */
export function sentenceWith(random, plant, room) {
  const before = random.chance(0.3) ? "a ".repeat(random.int(Math.floor(room / 2))) : "";
  return `${before}${random.pick(NOISE)}${plant.text}${random.pick(AFTER)}`;
}

const SHOWING = 8;

/** Does a text show the secret, or enough of it to matter? @param {string} text @param {Plant} plant */
export const shows = (text, { cores }) => cores.some((core) => showsCore(text, core));

/** @param {string} text @param {string} core */
function showsCore(text, core) {
  for (let at = 0; at + SHOWING <= core.length; at++) if (text.includes(core.slice(at, at + SHOWING))) return true;
  return false;
}
