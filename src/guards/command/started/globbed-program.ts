import type { Word } from "../call.ts";

/** Programs that guards judge, or that start others: what a pattern in the place of a program may mean. */
const PROGRAMS = [
  ..."rm rmdir mv cp dd ln tee sed shred unlink truncate chmod chown chattr find rsync tar cat base64 xxd".split(" "),
  ..."mkfs wipefs fdisk parted mount umount kill pkill killall crontab at systemctl shutdown reboot".split(" "),
  ..."sh bash dash zsh ksh fish busybox sudo doas su env nice nohup timeout xargs parallel setsid eval".split(" "),
  ..."python python3 node perl ruby php awk gawk bun deno curl wget nc ncat socat ssh scp sftp ftp".split(" "),
  ..."git gh npm docker podman kubectl helm terraform aws gcloud az psql mysql sqlite3 redis-cli mongosh".split(" "),
];

const LONGEST = 100;

/** The words that `/bin/r?` or `/usr/bin/c*l` may become. The shell knows the files of the folder; these are the ones that matter. */
export function programsOfPattern(name: Word): readonly Word[] {
  if (!name.isGlob || name.text.length > LONGEST) return [];
  const slash = name.text.lastIndexOf("/") + 1;
  const pattern = patternOf(name.text.slice(slash));
  if (pattern === null) return [];
  const folder = name.text.slice(0, slash);
  return PROGRAMS.filter((one) => pattern.test(one)).map((one) => ({ ...name, text: folder + one, isGlob: false }));
}

/** Null: no pattern, or one of every name, which says nothing about the program. A set of characters may be any character. */
function patternOf(glob: string): RegExp | null {
  if (!/[*?[]/.test(glob) || !/[a-z]|\?/.test(glob)) return null;
  const source = glob.replace(/\[[^\]]+\]|\*+|[\s\S]/g, (part) => {
    if (part.startsWith("*")) return "[^/]*";
    return part === "?" || part.length > 1 ? "." : part.replace(/\W/g, "\\$&");
  });
  return new RegExp(`^${source}$`);
}
