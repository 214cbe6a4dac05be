import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { WHY } from "../reasons.mjs";

/** @import { Bench, Group } from "../group.mjs" */
/** @import { Command } from "../command.mjs" */
/** @import { Scene } from "../workspace.mjs" */

const HOOKS = 200;
const CASES = 5;
const LARGE_BYTES = 1024 * 1024;
/** A guard as people write them: it takes the command out of the payload, and looks for words in it. */
const GUARD = `#!/bin/sh
[ "$1" = hook ] && { echo before_tool_call; exit; }
command=$(sed -n 's/.*"command":"\\([^"]*\\)".*/\\1/p')
if printf '%s' "$command" | grep -q 'rm -rf'; then echo '{"blocked":true,"reason":"no rm -rf"}'; else echo '{}'; fi
`;
const LOOP = `xargs -P2 -L1 sh -c 'exec "$0" "$1" <"$2"' <"$1"`;

/**
 * P11: `hookctl test` of 200 hooks with 5 cases each, against xargs over the same processes.
 * @param {Bench} bench
 * @returns {Group}
 */
export function testRunner({ workspace, commands, stopwatch }) {
  const scene = workspace.scene();
  const hooks = writeGuards(scene);
  const list = writeList(hooks, workspace.file);
  const test = { ...commands.hookctl(scene, ["test", "--jobs", "2"]), stdin: "/dev/null" };
  const loop = { ...commands.plain(scene, ["sh", "-c", LOOP, "loop", list]), stdin: "/dev/null" };
  return {
    commands: { test, loop },
    mostRounds: 3,
    figures: [
      {
        ...{ id: "P11", what: `test of ${HOOKS} hooks, ${CASES} cases each`, ours: { test: 1 } },
        ...{
          against: "xargs -P2, same processes",
          theirs: { loop: 1 },
          target: { node: 1.3 },
          whyMissed: { node: WHY.checks },
        },
      },
      {
        ...{ id: "P11", measure: /** @type {const} */ ("wallMs"), what: "its first result", ours: { testFirst: 1 } },
        ...{ against: "the first of xargs", theirs: { loopFirst: 1 } },
      },
    ],
    sample: async (rounds) => {
      const all = [];
      for (let round = 0; round < rounds; round++)
        all.push({
          loop: await stopwatch.measure(loop),
          test: await stopwatch.measure(test),
          loopFirst: await firstOutput(loop),
          testFirst: await firstOutput(test),
        });
      return all;
    },
  };
}

/** @param {Scene} scene @returns {readonly string[]} paths */
function writeGuards({ home, userHooks }) {
  const tests = join(home, ".kodelet", "tests");
  for (const folder of [userHooks, tests]) mkdirSync(folder, { recursive: true, mode: 0o755 });
  const anHourAgo = new Date(Date.now() - 3_600_000);
  return Array.from({ length: HOOKS }, (_, index) => {
    const name = `guard-${String(index + 1).padStart(3, "0")}`;
    const path = join(userHooks, name);
    writeFileSync(path, GUARD);
    chmodSync(path, 0o755);
    utimesSync(path, anHourAgo, anHourAgo);
    const cases = Array.from({ length: CASES }, (_, place) => ({
      ...{ name: `case ${place}`, event: "before_tool_call", payload: { tool_input: { command: commandOf(place) } } },
      expect: { decision: isBlocked(place) ? "block" : "continue" },
    }));
    writeFileSync(join(tests, `${name}.json`), JSON.stringify({ hook: name, cases }));
    return path;
  });
}

const isBlocked = (/** @type {number} */ place) => place % 2 === 0;
const commandOf = (/** @type {number} */ place) => (isBlocked(place) ? `rm -rf build-${place}` : `ls -l src-${place}`);

/** What a test starts: the declaration twice, the payloads of the contract, and the cases. */
/** @param {readonly string[]} hooks @param {(name: string, content: string) => string} file */
function writeList(hooks, file) {
  const payload = (/** @type {object} */ input) =>
    JSON.stringify({ event: "before_tool_call", conv_id: "x", cwd: "/", tool_name: "bash", tool_input: input });
  const inputs = [
    ...[{ command: "ls" }, {}, { command: "ls", x: 1 }, { command: "ls", content: "x".repeat(LARGE_BYTES) }],
    ...Array.from({ length: CASES }, (_, place) => ({ command: commandOf(place) })),
  ].map((input, index) => file(`input-${index}.json`, payload(input)));
  const starts = [...Array(2).fill("hook /dev/null"), ...inputs.map((input) => `run ${input}`)];
  return file("starts", hooks.flatMap((hook) => starts.map((start) => `${hook} ${start}\n`)).join(""));
}

/** @param {Command} command */
async function firstOutput({ argv: [program = "", ...words], scene }) {
  const startedAt = performance.now();
  const child = spawn(program, words, {
    cwd: scene.project,
    env: scene.env,
    stdio: ["ignore", "pipe", "ignore"],
    detached: true,
  });
  await new Promise((settle) => child.stdout.once("data", settle).once("close", settle));
  const wallMs = performance.now() - startedAt;
  const ended = new Promise((settle) => child.once("close", settle));
  if (child.pid !== undefined) process.kill(-child.pid, "SIGTERM");
  child.stdout.resume();
  await ended;
  return { cpuMs: Number.NaN, wallMs, peakMb: Number.NaN };
}
