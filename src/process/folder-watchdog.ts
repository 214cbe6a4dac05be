import type { ChildProcess } from "node:child_process";
import { closeInheritedNow } from "./spawn-child.ts";

/** Waits beside hookctl for its end. */
export interface Watchdog {
  /** Nothing is left to end or to remove. */
  readonly dismiss: () => void;
}

/**
 * Its stdin is a pipe from hookctl. Its end means that hookctl was killed: then it ends each process that works in the
 * folder or has it in its environment, with the process group, and removes the folder. The folder goes first, so that a
 * process between its fork and its program finds no working directory; whoever came before is still found in it.
 */
const SCRIPT = `
trap '' HUP INT TERM QUIT PIPE
read -r nothing
root=$1
found() {
  if [ -d /proc/self ]; then
    grep -lsF -e "$root/" /proc/[0-9]*/environ | cut -d / -f 3
    ls -ld /proc/[0-9]*/cwd 2>/dev/null | grep -F -e "-> $root/" | sed -n 's#^[^/]*/proc/\\([0-9]*\\)/.*#\\1#p'
  else
    ps -axwwE -o pid=,command= | grep -F -e "$root/" | awk '{ print $1 }'
  fi
}
group_of() {
  if [ -d /proc/self ]; then
    read -r stat 2>/dev/null </proc/"$1"/stat || return
    set -- \${stat##*) }
    echo "$3"
  else
    ps -o pgid= -p "$1" | tr -d ' '
  fi
}
end() {
  group=$(group_of "$1")
  case $group in '' | *[!0-9]* | 0 | 1 | "$own") ;; *) kill -KILL "-$group" ;; esac
  kill -KILL "$1"
}
own=$$
quiet=0
passes=0
while [ "$quiet" -lt 2 ] && [ "$passes" -lt 100 ]; do
  rm -rf "$root" 2>/dev/null || find "$root" -type d -exec chmod u+rwx {} \\; 2>/dev/null
  pids=$(found)
  for pid in $pids; do end "$pid" 2>/dev/null; done
  passes=$((passes + 1))
  if [ -z "$pids" ] && [ ! -e "$root" ]; then quiet=$((quiet + 1)); else quiet=0; fi
  [ "$passes" -lt 2 ] || sleep 0.05
done
`;

/** Starts the watchdog of a folder, which need not exist yet. Null if it could not be started. */
export function startWatchdog(folder: string): Watchdog | null {
  const child = spawnWatchdog(folder);
  if (child === null) return null;
  child.on("error", () => undefined);
  child.stdin?.on("error", () => undefined);
  // hookctl can end while the watchdog runs.
  child.unref();
  // At once: what is written right before the end of hookctl may never be sent.
  return { dismiss: () => void child.kill("SIGKILL") };
}

/** Removes the folder of a hookctl that was killed together with its watchdog, and ends what still works in it. */
export function cleanUpAfter(folder: string): void {
  const child = spawnWatchdog(folder);
  child?.on("error", () => undefined);
  child?.unref();
  child?.stdin?.destroy();
}

/** In a session of its own, so that nothing that ends hookctl's group or terminal ends it too. */
function spawnWatchdog(folder: string): ChildProcess | null {
  closeInheritedNow();
  const { spawn } = process.getBuiltinModule("node:child_process");
  try {
    return spawn("/bin/sh", ["-c", SCRIPT, "hookctl-watchdog", folder], {
      cwd: "/",
      env: { PATH: "/usr/bin:/bin:/usr/sbin:/sbin" },
      detached: true,
      stdio: ["pipe", "ignore", "ignore"],
    });
  } catch {
    return null;
  }
}
