#!/bin/sh
# Starts hookctl as the tests do, but each call of `bridge` through the front program, with a server that answers it: see
# HOOKCTL_TEST_FRONT in workspace.ts. `install` writes such a launcher, too, and also settings of agents, which tests read.
root=$(dirname "$(dirname "$(dirname "$(realpath "$0")")")")
node=$(realpath "$(command -v node || echo /usr/bin/node)")
main=$root/bin/hookctl.js
launcher=${HOME:-}/.kodelet/hookctl

[ "${1:-}" = bridge ] && [ -d "${HOME:-}" ] || exec "$node" "$main" "$@"
if [ ! -e "$launcher" ]; then
  front=$(echo "$root"/dist/front/*)
  mkdir -p "$HOME/.kodelet"
  printf "#!%s\nexec '%s' '%s' \"\$@\"\n" "$front" "$node" "$main" >"$launcher.$$"
  chmod 755 "$launcher.$$" && mv "$launcher.$$" "$launcher"
fi
# The front program tells its callers apart by their rights and variables: the server is started with the same ones.
socket=$("$launcher" --resident-place </dev/null 2>/dev/null | head -n 1)
if [ -n "$socket" ] && [ ! -S "$socket" ] && ! env | grep -q '^HOOKCTL_'; then
  (cd / && exec setsid "$node" "$main" serve --resident "$launcher" </dev/null >/dev/null 2>&1) &
  while [ ! -S "$socket" ] && kill -0 $! 2>/dev/null; do sleep 0.02; done
fi
exec "$launcher" "$@"
