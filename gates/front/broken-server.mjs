// The front program, compiled with sanitizers, asks servers that send anything, stall, or close at any byte: it never
// crashes, answers exactly once, and without a whole answer it blocks.
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { casesAt, inParallel } from "../gate.mjs";
import { randomFrom } from "../random.mjs";
import { ended, inWorkspace } from "../scene.mjs";

/** @import { GateContext, Outcome } from "../gate.mjs" */
/** @import { Random } from "../random.mjs" */

const SOURCE = fileURLToPath(new URL("../../native/front.c", import.meta.url));
const CASES = 4_000;
const WIDTH = 6;
const BLOCKED = 2;
const CANNOT_START = 127;
/** The front program waits twenty seconds for a server that says nothing. */
const MOST_STALLS = 6;
const SANITIZERS = { ASAN_OPTIONS: "exitcode=99:detect_leaks=0", UBSAN_OPTIONS: "halt_on_error=1:exitcode=99" };

/**
 * A server: what it sends after the request, and after `g`.
 * @typedef {object} Script
 * @property {Buffer} reply
 * @property {Buffer} answer
 * @property {boolean} stalls it keeps the connection open after its last byte
 */

/** @param {GateContext} context @returns {Promise<Outcome>} */
export const brokenServer = ({ scale, seed }) =>
  inWorkspace(async ({ root }) => {
    const program = join(root, "front");
    const options = ["-std=c11", "-D_GNU_SOURCE", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
    if (spawnSync("cc", [...options, "-o", program, SOURCE]).status !== 0)
      return { isMet: true, figures: "broken servers: skipped, no C compiler with sanitizers", notes: [] };
    const random = randomFrom(seed, "broken-server");
    const cases = Array.from({ length: casesAt(CASES, scale, 40) }, (_, index) => drawn(random, index));
    const notes = /** @type {Set<string>} */ (new Set());
    const endings = { answered: 0, full: 0, blocked: 0 };
    const places = await Promise.all(
      Array.from({ length: WIDTH }, (_, index) => openPlace(join(root, `${index}`), program)),
    );
    let next = 0;
    await inParallel(WIDTH, WIDTH, async (index) => {
      for (let one = cases[next++]; one !== undefined; one = cases[next++]) {
        const place = places[index];
        const { fault, ending } = place === undefined ? { fault: "no place", ending: null } : await tried(one, place);
        if (fault !== null && notes.size < 10) notes.add(fault);
        if (ending !== null) endings[ending]++;
      }
    });
    for (const place of places) place.close();
    const { answered, full, blocked } = endings;
    return {
      isMet: notes.size === 0 && Math.min(answered, full, blocked) > 0,
      figures: `${cases.length} broken servers: ${answered} whole answers, ${full} by the full program, ${blocked} blocked`,
      notes: [...notes],
    };
  });

/**
 * @typedef {object} Case
 * @property {Script} script
 * @property {readonly string[]} words
 * @property {Readonly<Record<string, string>>} env
 * @property {string} input
 * @property {number | null} launcherBytes a launcher that was cut off; null: a whole one
 */

/** @param {Random} random @param {number} index @returns {Case} */
function drawn(random, index) {
  const whole = answerOf(
    random.pick([0, 0, 0, 2, 1, 255]),
    random.text("ab\n", random.int(300)),
    random.text("e", random.int(50)),
  );
  const beats = Buffer.from("h".repeat(random.int(4)));
  const answer = damaged(Buffer.concat([beats, whole]), random);
  const stalls = index < MOST_STALLS;
  const words = Array.from({ length: random.int(6) }, () =>
    random.text("-=a '\"$\\\n", random.int(random.pick([5, 2000]))),
  );
  const names = Array.from({ length: random.int(5) }, (_, at) => [
    `V${at}`,
    random.text("xy=\n", random.int(random.pick([9, 60_000]))),
  ]);
  return {
    script: {
      reply: random.chance(0.9) ? Buffer.from("a") : anyBytes(random, 3),
      answer: stalls ? answer.subarray(0, -3) : answer,
      stalls,
    },
    words: ["bridge", ...words, "--fail-closed"],
    env: Object.fromEntries(names),
    input: random.text(
      '{"a":1}',
      random.pick([0, 10, 70_000, random.int(100_000), 1 << 20, index % 50 === 0 ? 9 << 20 : 5]),
    ),
    launcherBytes: !stalls && random.chance(0.05) ? random.int(700) : null,
  };
}

/** @param {Random} random @param {number} most */
const anyBytes = (random, most) => Buffer.from(Array.from({ length: random.int(most + 1) }, () => random.int(256)));

/** Whole, cut off, with other bytes in it, or nothing but other bytes. @param {Buffer} whole @param {Random} random */
function damaged(whole, random) {
  const at = random.int(whole.length);
  return random.pick([
    () => whole,
    () => whole.subarray(0, at),
    () => Buffer.concat([whole.subarray(0, at), anyBytes(random, 8), whole.subarray(at + random.int(8))]),
    () => anyBytes(random, 40),
    () => Buffer.concat([whole, anyBytes(random, 8)]),
  ])();
}

/** @param {number} code @param {string} stdout @param {string} stderr */
const answerOf = (code, stdout, stderr) =>
  Buffer.concat([Buffer.from("x"), Buffer.of(code), part(stdout), part(stderr)]);

/** @param {string} text */
function part(text) {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(Buffer.byteLength(text));
  return Buffer.concat([length, Buffer.from(text)]);
}

/** What a front program must take from these bytes; null: they are no whole answer. @param {Buffer} bytes */
function wholeAnswer(bytes) {
  let at = 0;
  while (bytes[at] === 104) at++;
  if (bytes[at] !== 120 || bytes.length < at + 6) return null;
  const code = bytes[at + 1] ?? 0;
  const outLength = bytes.readUInt32LE(at + 2);
  const errAt = at + 6 + outLength;
  if (bytes.length < errAt + 4) return null;
  const end = errAt + 4 + bytes.readUInt32LE(errAt);
  return bytes.length < end ? null : { code, stdout: bytes.toString("utf8", at + 6, errAt) };
}

/** @param {string} root @param {string} program */
async function openPlace(root, program) {
  const home = join(root, "home");
  const launcher = join(home, ".kodelet", "hookctl");
  mkdirSync(dirname(launcher), { recursive: true });
  const script = join(root, "full.sh");
  writeFileSync(script, 'printf "full %s" "$(wc -c)"\n');
  const env = { HOME: home, PATH: "/usr/bin:/bin", ...SANITIZERS };
  const text = `#!${program}\ncase \${LD_PRELOAD+x} in x) ;; esac\nexec '/bin/sh' '${script}' "$@"\n`;
  writeLauncher(launcher, text);
  const { stdout } = spawnSync(launcher, ["--resident-place"], { env, encoding: "utf8" });
  const socket = stdout.slice(0, stdout.indexOf("\n"));
  mkdirSync(dirname(socket), { mode: 0o700 });
  const state = { script: /** @type {Script | null} */ (null), begun: 0, requests: 0, fault: "" };
  const server = createServer((client) => {
    const { script } = state;
    if (script === null) return void client.destroy();
    state.requests++;
    let [size, wanted, hasBegun] = [0, -1, false];
    client.on("error", () => {});
    client.on("data", (bytes) => {
      if (hasBegun) return;
      if (wanted < 0) wanted = 4 + bytes.readUInt32LE(0);
      size += bytes.length;
      if (size < wanted) return;
      if (size === wanted) {
        client.write(script.reply);
        if (script.reply[0] !== 97 && !script.stalls) client.end();
        return;
      }
      hasBegun = true;
      state.begun++;
      if (bytes.at(-1) !== 103) state.fault = "something else than g";
      client.write(script.answer);
      if (!script.stalls) client.end();
    });
  });
  await new Promise((settle) => server.listen(socket, () => settle(null)));
  return { root, launcher, text, env, state, close: () => server.close() };
}

/** @param {string} launcher @param {string} text */
function writeLauncher(launcher, text) {
  writeFileSync(launcher, text);
  chmodSync(launcher, 0o755);
}

/** @param {Case} one @param {Awaited<ReturnType<typeof openPlace>>} place */
async function tried({ script, words, env, input, launcherBytes }, { root, launcher, text, env: own, state }) {
  Object.assign(state, { script, begun: 0, requests: 0, fault: "" });
  const isCut = launcherBytes !== null && launcherBytes < text.length - 8;
  if (isCut) writeLauncher(launcher, text.slice(0, Math.max(launcherBytes, text.indexOf("\n") + 1)));
  const { code, signal, stdout, stderr } = await ended({
    file: launcher,
    args: words,
    cwd: root,
    env: { ...env, ...own },
    input,
  });
  if (isCut) writeLauncher(launcher, text);
  const whole = wholeAnswer(script.answer);
  const isFull = stdout === `full ${input.length}`;
  const seen = `code ${code}, signal ${signal}, stdout ${JSON.stringify(stdout.slice(0, 80))}, stderr ${JSON.stringify(stderr.slice(0, 400))}, begun ${state.begun} ${state.fault}, reply ${script.reply.toString("hex")}, answer ${script.answer.toString("hex").slice(0, 80)}`;
  const fault = (/** @type {string} */ what) => ({ fault: `${what}: ${seen}`, ending: null });
  if (signal !== null || code === 99 || /Sanitizer|runtime error/.test(stderr)) return fault("crashed");
  if (isCut) return code === CANNOT_START ? { fault: null, ending: null } : fault("a launcher that was cut off");
  if (state.fault !== "" || state.begun > 1) return fault("began wrongly");
  if (state.begun === 0)
    return isFull && code === 0 ? { fault: null, ending: /** @type {const} */ ("full") } : fault("nobody answered");
  if (isFull) return fault("answered twice");
  if (whole === null)
    return code === BLOCKED && stdout === ""
      ? { fault: null, ending: /** @type {const} */ ("blocked") }
      : fault("passed without a whole answer");
  const expected = whole.code === 0 ? 0 : BLOCKED;
  const isSame = Buffer.from(stdout).equals(Buffer.from(whole.stdout)) && code === expected;
  return isSame ? { fault: null, ending: /** @type {const} */ ("answered") } : fault("changed the answer");
}
