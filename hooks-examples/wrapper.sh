#!/usr/bin/env bash
# Runs an agent that knows nothing of hooks between the hooks of its session:
#
#   wrapper.sh [--no-hooks] COMMAND [ARGUMENT…]
#
# session_start may forbid the start; session_end is told how it ended. stdin and stdout belong to the command.
set -euo pipefail

hookctl=${HOOKCTL:-hookctl}
flags=()
if [[ ${1:-} == --no-hooks ]]; then
  flags=(--no-hooks)
  # For whatever hookctl the command calls itself.
  export HOOKCTL_NO_HOOKS=1
  shift
fi
if (($# == 0)); then
  echo "usage: $0 [--no-hooks] COMMAND [ARGUMENT…]" >&2
  exit 64
fi

session="wrapper-$(date +%s)-$$"

# The answer goes nowhere: the exit code says it, and stderr tells the story. (An empty list is unset to bash 3.)
ask() {
  printf '{"conv_id":"%s","%s":"%s"}' "$session" "$2" "$3" |
    "$hookctl" run "$1" ${flags[@]+"${flags[@]}"} >/dev/null
}

# Any code but 0 means: do not go on.
ask session_start source startup || exit

# Ctrl-C is for the command; the end of the session is told all the same.
trap ':' INT
status=0
"$@" || status=$?
ask session_end reason "exit $status" || true
exit "$status"
