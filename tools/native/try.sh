#!/bin/sh
# Tries an executable of a release on the machine that it is for: tools/native/try.sh FILE VERSION
# It starts, a built-in guard blocks one call and allows another, and a hook of its user is asked.
set -eu
file=$1 version=$2

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/home/.kodelet/hooks" "$scratch/project"
cat >"$scratch/home/.kodelet/hooks/guard" <<'HOOK'
#!/bin/sh
[ "$1" = hook ] && echo before_tool_call && exit
case $(cat) in *forbidden*) echo '{"blocked":true,"reason":"no"}' ;; esac
HOOK
chmod +x "$scratch/home/.kodelet/hooks/guard"

# A copy, because what was downloaded may have lost its mode.
cp "$file" "$scratch/hookctl"
chmod +x "$scratch/hookctl"
cd "$scratch/project"
hookctl() { env -i HOME="$scratch/home" PATH=/usr/bin:/bin "$scratch/hookctl" "$@"; }

answer() {
  printf '{"session_id":"s","hook_event_name":"PreToolUse","cwd":"%s","tool_name":"Bash","tool_input":{"command":"%s"}}' "$PWD" "$1" |
    hookctl bridge claude --event PreToolUse --deadline 58s --fail-closed 2>"$scratch/stderr"
}

expect() {
  # shellcheck disable=SC2254 # It is a pattern.
  case $3 in
    $2) echo "ok: $1" ;;
    *)
      echo "failed: $1: $3" >&2
      cat "$scratch/stderr" >&2
      exit 1
      ;;
  esac
}

: >"$scratch/stderr"
expect "it starts" "$version" "$(hookctl --version)"
hookctl enable git >/dev/null
expect "a guard blocks" '*"permissionDecision":"deny"*(git, *' "$(answer 'git reset --hard')"
expect "a hook blocks" '*"permissionDecision":"deny"*(guard, *' "$(answer 'echo forbidden')"
expect "other calls pass" '' "$(answer 'ls -la')"
