// The hooks that meet a fault, and what must hold of every answer then.
import { existsSync, rmSync } from "node:fs";
import { objectIn } from "../json.mjs";
import { payloadFor } from "../scene.mjs";

/** @import { Ended } from "../scene.mjs" */

const CLOSED = '{"event":"before_tool_call","fail_open":false}';

/** @param {string} answer what it says when asked for its event @param {string} reply */
const hook = (answer, reply) => `#!/bin/sh
if [ "$1" = hook ]; then echo '${answer}'; exit 0; fi
echo asked > "$ASKED"
echo '${reply}'
`;

/** @type {Readonly<Record<string, string>>} */
export const HOOKS = {
  "a closed hook that blocks": hook(CLOSED, '{"blocked":true,"reason":"no"}'),
  "a closed hook that allows": hook(CLOSED, '{"blocked":false}'),
  "an open hook": hook("before_tool_call", '{"blocked":false}'),
};

/**
 * How a hook is asked: by `run`, or by the line that is registered with an agent where a fail-closed guard exists.
 * @typedef {object} Way
 * @property {readonly string[]} args
 * @property {(cwd: string) => string} input
 * @property {(ended: Ended) => boolean} goesOn may the tool call run after this end?
 */

/** @type {Readonly<Record<string, Way>>} */
export const WAYS = {
  run: { args: ["run", "before_tool_call"], input: payloadFor, goesOn: ({ code }) => code === 0 },
  bridge: {
    args: ["bridge", "claude", "--event", "PreToolUse", "--fail-closed"],
    input: (cwd) =>
      JSON.stringify({ session_id: "s1", cwd, tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "c1" }),
    // Behind the registered line stands `|| printf` of a deny.
    goesOn: ({ code, stdout }) => code === 0 && !stdout.includes('"permissionDecision":"deny"'),
  },
};

/** What the system says of a file, and Node of a module of ours that it could not look at. */
const OUT_OF_REACH = /\bE[A-Z]{2,}: |Cannot find (module|package) |ERR_MODULE_NOT_FOUND/;

/**
 * What is wrong with an answer; null: nothing. Whatever happens, a closed hook that was not asked stops the caller.
 * @param {string} name
 * @param {Ended} ended
 * @param {{ way: Way, askedFile: string }} call `askedFile`: where a hook that was asked leaves a word
 */
export function faultIn(name, ended, { way, askedFile }) {
  const { signal, stdout, stderr } = ended;
  const wasAsked = existsSync(askedFile);
  rmSync(askedFile, { force: true });
  const said = stdout + stderr;
  if (/^\s+at .+:\d+:\d+\)?$/m.test(said) || said.includes("node:internal")) return "a stack trace";
  // Its own files may be out of reach as well; any other fault of its own is a bug.
  if (said.includes("INTERNAL_FAULT") && !OUT_OF_REACH.test(said)) return `a fault of its own: ${stderr.trim()}`;
  if (signal !== null) return `ended by ${signal}`;
  if (stdout.trim() !== "" && objectIn(stdout) === null) return "stdout is not one JSON object";
  if (!way.goesOn(ended)) return null;
  if (name === "a closed hook that blocks") return "went on";
  return name === "a closed hook that allows" && !wasAsked ? "went on unasked" : null;
}
