#!/usr/bin/env bash
# One session rotation from beginning to end, as an agent would call it, in a home and a project that are thrown away:
#   HOOKCTL=$PWD/bin/hookctl.js hooks-examples/rotation/run.sh
set -euo pipefail
umask 077

here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME=$work/home XDG_STATE_HOME=$work/state XDG_CONFIG_HOME=$work/config
mkdir -p "$HOME/.kodelet/hooks" "$work/project/.git"
cp "$here/../basecoat/budget-guard" "$here/hand-over" "$HOME/.kodelet/hooks/"
echo 'ref: refs/heads/feat/145-cart' >"$work/project/.git/HEAD"
cd "$work/project"

# raise EVENT SESSION MEMBERS: tells hookctl of one event and prints the answer.
raise() {
  printf '%s (session %s)\n  ' "$1" "$2"
  # HOOKCTL may be two words, such as `node bin/hookctl.js`, so it is split on purpose.
  # shellcheck disable=SC2086
  printf '{"hook":"%s","sessionId":"%s",%s}' "$1" "$2" "$3" | ${HOOKCTL:-hookctl} run "$1" --as basecoat -q
}

# 1. The budget is crossed: exit 2 says that the session must not go on.
status=0
raise OnBudgetExceeded one '"budget":{"usedTokens":131072,"effectiveLimit":160000}' || status=$?
if [ "$status" -ne 2 ]; then
  echo "$0: nothing to rotate (exit $status)" >&2
  exit 1
fi

# 2. Before the context is compacted, the whole working state is saved.
raise PreCompact one '"trigger":"auto","working_state":{"issue":"#145","next_step":"write the test of the empty cart",
  "blockers":["no access to the staging log"],"todos":["empty cart","coupon twice"],"files":["src/cart.ts"]}'

# 3. The full session ends, 4. a fresh one gets what the first one knew.
raise SessionEnd one '"reason":"rotate"'
raise SessionStart two '"source":"startup"'

# 5. Later the fresh session is compacted too. Its summary has lost the branch and the next step; they come back.
raise PostCompact two '"summary":"Working on #145; open: no access to the staging log.","removed_count":42'
