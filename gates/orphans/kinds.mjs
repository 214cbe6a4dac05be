// Hooks that never answer in time, each with its own way of staying.

const HEAD = `#!/bin/sh
if [ "$1" = hook ]; then echo before_tool_call; exit 0; fi
`;

/** @type {Readonly<Record<string, string>>} */
export const KINDS = {
  sleeps: "exec sleep 600",
  "ignores TERM": "trap '' TERM INT HUP; while :; do sleep 600; done",
  "forks on": "for i in 1 2 3 4; do (while :; do sleep 600; done) & done; while :; do sleep 0.05 & wait $!; done",
  "escapes with setsid, holds stdout": "setsid sh -c 'trap \"\" TERM; sleep 600; sleep 600' & exec sleep 600",
  "stops itself": "kill -STOP $$; sleep 600",
  "floods stderr": "exec yes flood >&2",
  "leaves a daemon that holds stdout":
    "(setsid sh -c '(sleep 600; sleep 600) &' &) ; (setsid nohup sleep 600 2>/dev/null &); exec sleep 600",
};

/** @param {string} kind */
export const hookText = (kind) => `${HEAD}${KINDS[kind]}\n`;
