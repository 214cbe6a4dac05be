// The hooks that meet a fault, and what must hold of every answer then.
import { existsSync, rmSync } from "node:fs";

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
 * What is wrong with an answer; null: nothing. Whatever happens, a closed hook that was not asked stops the caller.
 * @param {string} name
 * @param {Ended} ended
 * @param {string} askedFile where a hook that was asked leaves a word
 */
export function faultIn(name, { code, signal, stdout, stderr }, askedFile) {
  const wasAsked = existsSync(askedFile);
  rmSync(askedFile, { force: true });
  const said = stdout + stderr;
  if (/^\s+at .+:\d+:\d+\)?$/m.test(said) || said.includes("node:internal")) return "a stack trace";
  // Its own files may be out of reach as well; any other fault of its own is a bug.
  if (said.includes("INTERNAL_FAULT") && !/\bE[A-Z]{2,}: /.test(said)) return "a fault of its own (INTERNAL_FAULT)";
  if (signal !== null) return `ended by ${signal}`;
  if (stdout.trim() !== "" && !isObject(stdout)) return "stdout is not one JSON object";
  if (code !== 0) return null;
  if (name === "a closed hook that blocks") return "went on";
  return name === "a closed hook that allows" && !wasAsked ? "went on unasked" : null;
}

/** @param {string} text */
function isObject(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" && value !== null;
  } catch {
    return false;
  }
}
