// Hooks that leave processes, each in its own way: some never answer in time, some answer and leave one behind.
import { entry } from "../entry.mjs";

const HEAD = `#!/bin/sh
if [ "$1" = hook ]; then echo before_tool_call; exit 0; fi
`;
const QUIET = "</dev/null >/dev/null 2>&1";
const ANSWER = "echo '{\"blocked\":false}'";
/** Its mark stands in its words: nothing is left of it in an environment that was emptied. */
const UNNAMED = `env -i sh -c "while :; do sleep 1; done; : GATE_MARK=$GATE_MARK" ${QUIET}`;

/** Lines of sh of hooks that do not end within their timeout. */
const HANGING = {
  sleeps: "exec sleep 600",
  "ignores TERM": "trap '' TERM INT HUP; while :; do sleep 600; done",
  "forks on": "for i in 1 2 3 4; do (while :; do sleep 600; done) & done; while :; do sleep 0.05 & wait $!; done",
  "escapes with setsid, holds stdout": "setsid sh -c 'trap \"\" TERM; sleep 600; sleep 600' & exec sleep 600",
  "escapes with setsid, holds nothing": `setsid sleep 600 ${QUIET} & exec sleep 600`,
  "escapes with two forks, holds nothing": `(setsid sh -c '(sleep 600; sleep 600) &' ${QUIET} &); exec sleep 600`,
  // In a session of its own it would not be found: docs/protocol.md says so.
  "starts a child with an empty environment": `${UNNAMED} & exec sleep 600`,
  "stops itself": "kill -STOP $$; sleep 600",
  "floods stderr": "exec yes flood >&2",
  "leaves a daemon that holds stdout":
    "(setsid sh -c '(sleep 600; sleep 600) &' &) ; (setsid nohup sleep 600 2>/dev/null &); exec sleep 600",
  "asks hookctl again, whose hook hangs": "$GATE_HOOKCTL run before_tool_call -q; exec sleep 600",
  "asks hookctl again in a session of its own": `setsid sh -c 'echo "{\\"tool_name\\":\\"bash\\",\\"tool_input\\":{}}" | $GATE_HOOKCTL run before_tool_call -q' >/dev/null 2>&1 & exec sleep 600`,
};
/** Of hooks that do. */
const FINISHING = {
  "answers and leaves a child": `sleep 600 ${QUIET} & ${ANSWER}`,
  "answers and leaves a child with setsid": `setsid sleep 600 ${QUIET} & ${ANSWER}`,
  "answers and leaves a grandchild with two forks": `(setsid sh -c '(sleep 600; sleep 600) &' ${QUIET} &); ${ANSWER}`,
};

export const KINDS = [...Object.keys(HANGING), ...Object.keys(FINISHING)];

/** @param {string} kind */
export const finishes = (kind) => Object.hasOwn(FINISHING, kind);

/** @param {string} kind */
export const hookText = (kind) => `${HEAD}${entry({ ...HANGING, ...FINISHING }, kind)}\n`;
