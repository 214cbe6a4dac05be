// Secrets as they turn up in the words of hooks: their shapes, and what stands around them.

/** @import { Random } from "../random.mjs" */

/**
 * @typedef {object} Plant
 * @property {string} core the part that nobody could guess: none of it may show
 * @property {string} text the secret with what makes it one, such as `ghp_…`
 * @property {Readonly<Record<string, string>>} env variables that hold it
 */

const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const CAPITALS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const HEX = "0123456789abcdef";

/** @type {readonly [alphabet: string, length: number, text: (core: string) => string][]} */
const SHAPES = [
  [CAPITALS, 16, (core) => `AKIA${core}`],
  [CAPITALS, 16, (core) => `ASIA${core}`],
  [LETTERS, 36, (core) => `ghp_${core}`],
  [LETTERS, 36, (core) => `gho_${core}`],
  [LETTERS, 60, (core) => `github_pat_${core}`],
  [LETTERS, 20, (core) => `glpat-${core}`],
  [LETTERS, 48, (core) => `sk-${core}`],
  [LETTERS, 40, (core) => `sk-proj-${core}`],
  [LETTERS, 40, (core) => `sk-ant-api03-${core}`],
  [LETTERS, 24, (core) => `sk_live_${core}`],
  [LETTERS, 24, (core) => `xoxb-${core}`],
  [LETTERS, 35, (core) => `AIza${core}`],
  [LETTERS, 36, (core) => `npm_${core}`],
  [LETTERS, 34, (core) => `hf_${core}`],
  [LETTERS, 60, (core) => `pypi-${core}`],
  [HEX, 64, (core) => `dop_v1_${core}`],
  [HEX, 32, (core) => `shpat_${core}`],
  [LETTERS, 66, (core) => `SG.${core.slice(0, 22)}.${core.slice(22)}`],
  [LETTERS, 24, (core) => `https://hooks.slack.com/services/T0AB12CD3/B0AB12CD3/${core}`],
  [LETTERS, 80, (core) => `eyJhbGciOiJIUzI1NiJ9.eyJ${core.slice(0, 40)}.${core.slice(40)}`],
  [LETTERS, 32, (core) => `Authorization: Bearer ${core}`],
  [LETTERS, 24, (core) => `authorization: basic ${core}==`],
  [LETTERS, 20, (core) => `postgres://app:${core}@db.example/app`],
  [LETTERS, 16, (core) => `password=${core}`],
  [LETTERS, 16, (core) => `"api_key": "${core}"`],
  [LETTERS, 16, (core) => `DB_PASSWORD='${core}'`],
  [LETTERS, 32, (core) => `client_secret: ${core}`],
  [
    LETTERS,
    128,
    (core) => `-----BEGIN RSA PRIVATE KEY-----\n${core.slice(0, 64)}\n${core.slice(64)}\n-----END RSA PRIVATE KEY-----`,
  ],
];

const NAMES = [
  ...["GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "OPENAI_API_KEY", "DB_PASSWORD", "PGPASSWORD", "MYSQL_PWD"],
  ...["APP_SECRET", "SSH_PASSPHRASE", "SERVICE_CREDENTIALS", "DEPLOY_PRIVATE_KEY", "npm_config__auth", "REDIS_PASS"],
];
/** Around a variable's value: characters that JSON or a terminal writes in another way. */
const ODD = ["", "", "", '"', "\\", "/", "é", "$&", "\u{1f511}", "\t", "^(", " "];

/** @param {Random} random @returns {Plant} */
export function drawPlant(random) {
  if (random.chance(0.6)) {
    const [alphabet, length, text] = random.pick(SHAPES);
    const core = random.text(alphabet, length);
    return { core, text: text(core), env: {} };
  }
  const core = random.text(LETTERS, 8 + random.int(40));
  const value = `${random.pick(ODD)}${core}${random.pick(ODD)}`.trim();
  return { core, text: value, env: { [`${random.pick(["", "CI_", "MY_"])}${random.pick(NAMES)}`]: value } };
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

/** Does a text show the secret, or enough of it to matter? */
/** @param {string} text @param {Plant} plant */
export function shows(text, { core }) {
  for (let at = 0; at + SHOWING <= core.length; at++) if (text.includes(core.slice(at, at + SHOWING))) return true;
  return false;
}
