// Hooks that leave processes, each in its own way: some never answer in time, some answer and leave one behind.
import { entry } from "../entry.mjs";

const HEAD = `#!/bin/sh
if [ "$1" = hook ]; then echo before_tool_call; exit 0; fi
`;
const QUIET = "</dev/null >/dev/null 2>&1";
const ANSWER = "echo '{\"blocked\":false}'";
/** Its mark stands in its words: nothing is left of it in an environment that was emptied. */
const UNNAMED = `env -i sh -c "while :; do sleep 1; done; : GATE_MARK=$GATE_MARK" ${QUIET}`;

/**
 * @typedef {object} Kind
 * @property {string} text lines of sh
 * @property {boolean} finishes within its timeout
 */

/** @type {Readonly<Record<string, Kind>>} */
export const KINDS = {
  sleeps: hangs("exec sleep 600"),
  "ignores TERM": hangs("trap '' TERM INT HUP; while :; do sleep 600; done"),
  "forks on": hangs(
    "for i in 1 2 3 4; do (while :; do sleep 600; done) & done; while :; do sleep 0.05 & wait $!; done",
  ),
  "escapes with setsid, holds stdout": hangs("setsid sh -c 'trap \"\" TERM; sleep 600; sleep 600' & exec sleep 600"),
  "escapes with setsid, holds nothing": hangs(`setsid sleep 600 ${QUIET} & exec sleep 600`),
  "escapes with two forks, holds nothing": hangs(
    `(setsid sh -c '(sleep 600; sleep 600) &' ${QUIET} &); exec sleep 600`,
  ),
  // In a session of its own it would not be found: docs/protocol.md says so.
  "starts a child with an empty environment": hangs(`${UNNAMED} & exec sleep 600`),
  "stops itself": hangs("kill -STOP $$; sleep 600"),
  "floods stderr": hangs("exec yes flood >&2"),
  "leaves a daemon that holds stdout": hangs(
    "(setsid sh -c '(sleep 600; sleep 600) &' &) ; (setsid nohup sleep 600 2>/dev/null &); exec sleep 600",
  ),
  "asks hookctl again, whose hook hangs": hangs("$GATE_HOOKCTL run before_tool_call -q; exec sleep 600"),
  "asks hookctl again in a session of its own": hangs(
    `setsid sh -c 'echo "{\\"tool_name\\":\\"bash\\",\\"tool_input\\":{}}" | $GATE_HOOKCTL run before_tool_call -q' >/dev/null 2>&1 & exec sleep 600`,
  ),
  "answers and leaves a child": finishesWith(`sleep 600 ${QUIET} & ${ANSWER}`),
  "answers and leaves a child with setsid": finishesWith(`setsid sleep 600 ${QUIET} & ${ANSWER}`),
  "answers and leaves a grandchild with two forks": finishesWith(
    `(setsid sh -c '(sleep 600; sleep 600) &' ${QUIET} &); ${ANSWER}`,
  ),
};

/** @param {string} text @returns {Kind} */
function hangs(text) {
  return { text, finishes: false };
}

/** @param {string} text @returns {Kind} */
function finishesWith(text) {
  return { text, finishes: true };
}

/** @param {string} kind */
export const hookText = (kind) => `${HEAD}${entry(KINDS, kind).text}\n`;
