// A container in which an attempt can do no harm: a home of its own, no network, its own processes, nothing of this home.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const tree = fileURLToPath(new URL("../../", import.meta.url));
const inside = "/opt/hookctl/gates/disarm/inside.mjs";

/** The words that start the driver. @param {string} folder for the files that are mounted */
export function containerWords(folder) {
  const passwd = join(folder, "passwd");
  writeFileSync(passwd, "root:x:0:0::/root:/bin/sh\ndev:x:1000:1000::/home/dev:/bin/bash\n");
  const isolation = "--unshare-user --uid 1000 --gid 1000 --unshare-pid --as-pid-1 --unshare-net --unshare-ipc";
  return [
    ...`bwrap ${isolation} --unshare-uts --die-with-parent --new-session --clearenv`.split(" "),
    ..."--setenv PATH /usr/bin:/bin --ro-bind /usr /usr --symlink usr/bin /bin --symlink usr/sbin /sbin".split(" "),
    ..."--symlink usr/lib /lib --symlink usr/lib64 /lib64 --ro-bind /etc /etc --proc /proc --dev /dev".split(" "),
    ..."--tmpfs /tmp --tmpfs /home --tmpfs /template --dir /opt --symlink /bin/bash /opt/sh/sh".split(" "),
    ...["--ro-bind", passwd, "/etc/passwd", "--ro-bind", tree, "/opt/hookctl"],
    ...["--ro-bind", process.execPath, "/opt/node", "--chdir", "/home", "/opt/node", inside],
  ];
}

/** Why no container can be started here; null if one can. @returns {string | null} */
export function noContainer() {
  const words =
    "--unshare-all --ro-bind /usr /usr --symlink usr/bin /bin --symlink usr/lib /lib --symlink usr/lib64 /lib64 true";
  const { error, status, stderr } = spawnSync("bwrap", words.split(" "), { encoding: "utf8" });
  if (status === 0) return null;
  return error === undefined
    ? `bubblewrap starts no container here: ${stderr.trim()}`
    : "bubblewrap (bwrap) is not installed";
}
