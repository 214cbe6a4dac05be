// Where secrets come in: the parts of a reply that are told, stderr, replies that are quoted because they fail, and the
// call itself, which the record shows in short and keeps whole if the user wants that.

/** @import { Random } from "../random.mjs" */

/**
 * @typedef {object} Said
 * @property {string} stdout
 * @property {string} stderr
 * @property {number} exitCode
 * @property {string} [session] the conversation that the payload names
 * @property {Readonly<Record<string, unknown>>} [call] further fields of the payload
 * @property {string} [project] the folder of the project
 */

/** @param {object} reply @returns {Said} */
const replied = (reply) => ({ stdout: JSON.stringify(reply), stderr: "", exitCode: 0 });

/** The first and the last 32 KiB of stderr are kept: the secret lies across the end of the one, and the start of the other. */
/** @param {string} text */
function acrossTheCut(text) {
  const half = Math.floor(text.length / 2);
  const [before, after] = ["a ".repeat(16_384).slice(half), "b ".repeat(16_384).slice(half)];
  return `${before}${text} ${"c ".repeat(9_000)} ${text}${after}`;
}

/** @param {Readonly<Record<string, unknown>>} input @returns {Said} */
const called = (input) => ({ ...replied({}), call: { tool_input: input } });

/** @typedef {{ room: number, isBare?: true, say: (text: string) => Said }} Place `isBare`: the place alone makes it a secret */

/** @type {Readonly<Record<string, Place>>} */
export const PLACES = {
  reason: { room: 1_000, say: (text) => replied({ blocked: true, reason: text }) },
  additional_context: { room: 9_000, say: (text) => replied({ additional_context: ["first", text] }) },
  warnings: { room: 700, say: (text) => replied({ warnings: [text] }) },
  system_message: { room: 700, say: (text) => replied({ system_message: text }) },
  metadata: { room: 700, say: (text) => replied({ metadata: { note: text, list: [text] } }) },
  stderr: { room: 70_000, say: (text) => ({ stdout: "", stderr: text, exitCode: 0 }) },
  "stderr where it is cut": { room: 0, say: (text) => ({ stdout: "", stderr: acrossTheCut(text), exitCode: 0 }) },
  "stderr of a failure": { room: 300, say: (text) => ({ stdout: "", stderr: `first\n${text}`, exitCode: 3 }) },
  "a reply that is no JSON": { room: 200, say: (text) => ({ stdout: `oops ${text}\n{}`, stderr: "", exitCode: 0 }) },
  "a reply of a wrong type": { room: 30, say: (text) => replied({ blocked: text }) },
  conv_id: { room: 60, say: (text) => ({ ...replied({}), session: text }) },
  "an unknown key": { room: 60, say: (text) => replied({ [text]: 1 }) },
  command: { room: 300, say: (text) => called({ command: `curl ${text}` }) },
  "the command where its summary is cut": { room: 0, say: (text) => called({ command: `${"a ".repeat(50)}${text}` }) },
  "a here-document": { room: 300, say: (text) => called({ command: `cat > .env <<EOF\nA=1\n${text}\nEOF\n` }) },
  "a list of arguments": { room: 60, say: (text) => called({ command: ["curl", "-H", text] }) },
  "a key of the input": { room: 60, say: (text) => called({ [text]: { [`${text}!`]: 1 } }) },
  "a nested text of JSON": { room: 60, say: (text) => called({ body: JSON.stringify({ a: JSON.stringify([text]) }) }) },
  "the path of a file": { room: 0, say: (text) => called({ file_path: `/tmp/${text}`, content: text }) },
  "the tool's output": { room: 300, say: (text) => ({ ...called({}), call: { tool_output: { text } } }) },
  "the tool's name": { room: 0, say: (text) => ({ ...replied({}), call: { tool_name: text } }) },
  "the project's folder": { room: 0, say: (text) => ({ ...replied({}), project: `/home/x/${text}` }) },
  "a field of the payload": { room: 60, say: (text) => ({ ...replied({}), call: { more: [text, { a: text }] } }) },
  "a change": { room: 300, say: (text) => replied({ input: { command: text } }) },
  "a password member": { room: 0, isBare: true, say: (text) => called({ body: { db_password: text } }) },
  "a value beside its name": {
    room: 0,
    isBare: true,
    say: (text) => called({ env: [{ name: "DB_PASSWORD", value: text }] }),
  },
  "an argument after its option": { room: 0, isBare: true, say: (text) => called({ args: ["--token", text] }) },
  "an option in a command": { room: 0, isBare: true, say: (text) => called({ command: `x --password ${text} y` }) },
  "a user and a password": { room: 0, isBare: true, say: (text) => called({ command: `curl -u admin:${text} x` }) },
  "a short option": { room: 0, isBare: true, say: (text) => called({ command: `mysql -u root -p${text} db` }) },
  "an address": { room: 0, isBare: true, say: (text) => called({ url: `https://me:${text}@host.example/` }) },
};

/** @param {Random} random */
export const drawPlace = (random) => random.pick(Object.keys(PLACES));
