import { spawnSync } from "node:child_process";

/** May a folder be mounted for one process alone? */
export const canMount =
  spawnSync("unshare", ["-m", "mount", "-t", "tmpfs", "tmpfs", "/mnt"], { stdio: "ignore" }).status === 0;

const mounted = (script: string, path: string): readonly string[] => [
  ...["unshare", "-m", "sh", "-c", `path=$1; shift; ${script} || exit 99; exec "$@"`, "sh", path],
];

/** Words before a command line: it finds this folder on a full disk, with all that lies in it. */
export const full = (folder: string): readonly string[] =>
  mounted(
    [
      'mkdir -p "$path" && kept=$(mktemp -d) && cp -a "$path/." "$kept/"',
      'mount -t tmpfs -o size=256k,mode=755 tmpfs "$path" && cp -a "$kept/." "$path/" && rm -r "$kept"',
      '{ head -c 1M /dev/zero > "$path/full" 2>/dev/null || true; }',
    ].join(" && "),
    folder,
  );

/** Words before a command line: nothing can be written below this folder. */
export const readOnly = (folder: string): readonly string[] =>
  mounted('mount --bind "$path" "$path" && mount -o remount,bind,ro "$path"', folder);
