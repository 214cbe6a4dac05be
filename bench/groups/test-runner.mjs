import { spawn } from "node:child_process";
import { wallOf } from "../child.mjs";
import { times, writeProgram, writeTests } from "../workspace.mjs";

/** @import { Command } from "../command.mjs" */
/** @import { Preparation } from "../group.mjs" */
/** @import { Scene, Workspace } from "../workspace.mjs" */

const HOOKS = 50;
const LARGE_BYTES = 1024 * 1024;
const WHY_CHECKS = "Each hook also gets the checks of the protocol and copies of its folder";
/** A guard as people write them: it takes the command out of the payload, and looks for words in it. */
const GUARD = `#!/bin/sh
[ "$1" = hook ] && { echo before_tool_call; exit; }
command=$(sed -n 's/.*"command":"\\([^"]*\\)".*/\\1/p')
if printf '%s' "$command" | grep -q 'rm -rf'; then echo '{"blocked":true,"reason":"no rm -rf"}'; else echo '{}'; fi
`;
const CASES = times(5, (index) =>
  index % 2 === 0
    ? { command: `rm -rf build-${index}`, decision: "block" }
    : { command: `ls -l src-${index}`, decision: "continue" },
);
const LOOP = `xargs -P2 -L1 sh -c 'exec "$0" "$1" <"$2"' <"$1"`;

/** @type {Readonly<Record<string, Preparation>>} */
export const TEST_RUNNER = {
  /** `hookctl test` of 200 hooks with 5 cases each, against xargs over the same processes. */
  P11: ({ workspace, commands, measure }) => {
    const scene = workspace.scene();
    const list = writeList(writeGuards(scene), workspace);
    const test = { ...commands.hookctl(scene, ["test", "--jobs", "2"]), stdin: "/dev/null" };
    const loop = { ...commands.plain(scene, ["sh", "-c", LOOP, "loop", list]), stdin: "/dev/null" };
    return {
      commands: { test, loop },
      mostRounds: 3,
      figures: [
        {
          what: `test of ${HOOKS} hooks, ${CASES.length} cases each`,
          ours: { test: 1 },
          against: "xargs -P2, same processes",
          theirs: { loop: 1 },
          target: 1.3,
          whyMissed: WHY_CHECKS,
        },
        {
          what: "its first result",
          ours: { testFirst: 1 },
          against: "the first of xargs",
          theirs: { loopFirst: 1 },
          measure: "wallMs",
        },
      ],
      sample: async (rounds) => {
        const all = [];
        for (let round = 0; round < rounds; round++)
          all.push({
            loop: await measure(loop),
            test: await measure(test),
            loopFirst: await firstOutput(loop),
            testFirst: await firstOutput(test),
          });
        return all;
      },
    };
  },
};

/** @param {Scene} scene @returns {readonly string[]} paths */
function writeGuards(scene) {
  return times(HOOKS, (index) => {
    const name = `guard-${String(index + 1).padStart(3, "0")}`;
    writeTests(scene, name, CASES);
    return writeProgram(scene.userHooks, name, GUARD);
  });
}

/** What a test starts: the declaration twice, the payloads of the contract, and the cases. */
/** @param {readonly string[]} hooks @param {Workspace} workspace */
function writeList(hooks, { file }) {
  const payload = (/** @type {object} */ input) =>
    JSON.stringify({ event: "before_tool_call", conv_id: "x", cwd: "/", tool_name: "bash", tool_input: input });
  const inputs = [
    { command: "ls" },
    {},
    { command: "ls", x: 1 },
    { command: "ls", content: "x".repeat(LARGE_BYTES) },
    ...CASES.map(({ command }) => ({ command })),
  ].map((input, index) => file(`input-${index}.json`, payload(input)));
  const starts = [...Array(2).fill("hook /dev/null"), ...inputs.map((input) => `run ${input}`)];
  return file("starts", hooks.flatMap((hook) => starts.map((start) => `${hook} ${start}\n`)).join(""));
}

/** @param {Command} command */
async function firstOutput({ argv: [program = "", ...words], scene: { project, env } }) {
  /** @type {import("node:child_process").ChildProcess | undefined} */
  let child;
  const used = await wallOf(() => {
    child = spawn(program, words, { cwd: project, env, stdio: ["ignore", "pipe", "ignore"], detached: true });
    const { stdout } = child;
    return new Promise((settle) => stdout?.once("data", settle).once("close", settle));
  });
  const ended = new Promise((settle) => child?.once("close", settle));
  if (child?.pid !== undefined) process.kill(-child.pid, "SIGTERM");
  child?.stdout?.resume();
  await ended;
  return used;
}
