#!/bin/sh
# Prints one push directive: the agent goes on while TODO.md has a line that begins with "- [ ]".
todo=${HOOKCTL_PROJECT_DIR:-.}/TODO.md
open=0
[ -r "$todo" ] && open=$(grep -c '^- \[ \]' "$todo")

echo "$open open in $todo" >&2 # stdout is the directive and nothing else
if [ "$open" -gt 0 ]; then
  printf '{"push_when": true, "wake": true, "message": "TODO.md has %d open points. Do the next one."}\n' "$open"
else
  printf '{"push_when": false, "wake": false, "message": "Nothing is open."}\n'
fi
