#!/bin/sh
# Runs an agent's command with the hooks around it, for an agent that knows no hooks:
#   hooks-examples/callers/wrapper.sh [--no-hooks] COMMAND [ARGUMENT…]
# A hook that blocks session_start keeps the agent from starting; --no-hooks is passed through to hookctl.
set -u

hookctl=${HOOKCTL:-hookctl}
no_hooks=
if [ "${1:-}" = --no-hooks ]; then
  no_hooks=--no-hooks
  shift
fi
if [ $# -eq 0 ]; then
  echo "usage: $0 [--no-hooks] COMMAND [ARGUMENT…]" >&2
  exit 64
fi

session="wrapped-$$"
hooks() {
  "$hookctl" ${no_hooks:+"$no_hooks"} run "$1" >/dev/null
}

printf '{"conv_id":"%s","source":"startup"}' "$session" | hooks session_start
status=$?
if [ "$status" -ne 0 ]; then
  echo "$0: the hooks did not let the agent start (exit $status)" >&2
  exit "$status"
fi

"$@"
status=$?

printf '{"conv_id":"%s","reason":"exit %d"}' "$session" "$status" | hooks session_end ||
  echo "$0: a hook at session_end failed" >&2
exit "$status"
