#!/bin/sh
# Tries the package of a release on the machine that it is for: tools/try-package.sh PACKAGE.tgz VERSION
# It installs and starts, a built-in guard blocks one call and allows another, and a hook of its user is asked.
set -eu
# npm takes a relative path for a repository.
package=$(cd "$(dirname "$1")" && pwd)/$(basename "$1") version=$2

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/home/.kodelet/hooks" "$scratch/project"
cat >"$scratch/home/.kodelet/hooks/guard" <<'HOOK'
#!/bin/sh
[ "$1" = hook ] && echo before_tool_call && exit
case $(cat) in *forbidden*) echo '{"blocked":true,"reason":"no"}' ;; esac
HOOK
chmod +x "$scratch/home/.kodelet/hooks/guard"

npm install --offline --no-audit --no-fund --prefix "$scratch/installed" "$package" >"$scratch/stderr" 2>&1 || {
  cat "$scratch/stderr" >&2
  exit 1
}
cd "$scratch/project"
hookctl() { env -i HOME="$scratch/home" PATH="$PATH" "$scratch/installed/node_modules/.bin/hookctl" "$@"; }

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
hookctl on git >/dev/null
expect "a guard blocks" '*"permissionDecision":"deny"*(git, *' "$(answer 'git reset --hard')"
expect "a hook blocks" '*"permissionDecision":"deny"*(guard, *' "$(answer 'echo forbidden')"
expect "other calls pass" '' "$(answer 'ls -la')"
