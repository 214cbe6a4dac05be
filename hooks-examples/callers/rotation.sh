#!/bin/sh
# The rotation from its first block to the check in the fresh session, as an agent's runtime would drive it.
# Needs rotate-session in a hooks folder. Prints each step and what hookctl answered.
set -eu

hookctl=${HOOKCTL:-hookctl}
old=${1:-rotation-old}
new=${2:-rotation-new}

# step EVENT SESSION MORE WANTED-EXIT-CODE
step() {
  code=0
  answer=$(printf '{"hook":"%s","sessionId":"%s"%s}' "$1" "$2" "$3" | "$hookctl" run "$1" --as basecoat -q) || code=$?
  printf '%s %s: %s\n' "$1" "$2" "$answer"
  [ "$code" -eq "$4" ] || { echo "$1 ended with $code, not with $4" >&2; exit 1; }
}

# What the session knows and must not lose.
"$hookctl" state set issue '"#145"' --session "$old" >/dev/null
"$hookctl" state set blockers '["feed login"]' --session "$old" >/dev/null
"$hookctl" state set next_step '"restore, then test"' --session "$old" >/dev/null

# 1. The budget is crossed: further expensive work is blocked, and that is what starts the rotation.
step OnBudgetExceeded "$old" ',"budget":{"usedTokens":131200,"effectiveLimit":160000}' 2
# 2. The state is saved before anything is compacted.
step PreCompact "$old" '' 0
# 3. The handoff is written, the old session ends.
step SessionEnd "$old" ',"reason":"rotate"' 0
# 4. The fresh session restores it.
step SessionStart "$new" ',"source":"rotate"' 0
# 5. Later it is compacted. The summary has lost two anchors: they are put back.
step PreCompact "$new" '' 0
step PostCompact "$new" ',"summary":"We work on #145 and the feed login is open.","removed_count":40' 0
