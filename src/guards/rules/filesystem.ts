import type { Call, CommandAnalysis } from "../command/call.ts";
import { resolvePath, zoneOf } from "../command/paths.ts";
import type { Finding, Guard, GuardContext } from "../guard.ts";
import { aboutOf, type CommandRule, commandRules, judgeByForm } from "./command-rules.ts";
import { type Effect, effectsOf } from "./filesystem/effects.ts";
import { EFFECT_RULES, judgeEffect, judgeToolFile } from "./filesystem/judge-effect.ts";

const rules = (): Readonly<Record<string, CommandRule>> => ({
  "format-disk": {
    about: "a disk, a partition or a volume is formatted, erased or overwritten: mkfs, wipefs, dd of=/dev/…",
    decision: "block",
    effect: "destroys what is on the disk",
    instead: "Let the person do it.",
    forms: {
      "mkfs|mke2fs|mkswap|mkdosfs|newfs|newfs_apfs|newfs_hfs|blkdiscard": ["* !-n|-N"],
      "mkfs.bfs|mkfs.btrfs|mkfs.cramfs|mkfs.exfat|mkfs.ext2|mkfs.ext3|mkfs.ext4|mkfs.f2fs|mkfs.fat": ["* !-n"],
      "mkfs.jfs|mkfs.minix|mkfs.msdos|mkfs.nilfs2|mkfs.ntfs|mkfs.reiserfs|mkfs.ubifs|mkfs.vfat|mkfs.xfs": ["* !-n"],
      wipefs: ["-a|--all !-n|--no-act", "-o|--offset !-n|--no-act"],
      sgdisk: ["-Z|--zap-all|-z|--zap|-o|--clear|-d|--delete|-n|--new|-g|--mbrtogpt|-l|--load-backup"],
      gdisk: ["* !-l"],
      "fdisk|cfdisk": ["* !-l|--list|-x|--list-details|-s"],
      sfdisk: ["* !-l|--list|-d|--dump|-J|--json|-s|--show-size|-F|--list-free|-V|--verify|-n|--no-act"],
      parted: ["* mklabel|mktable|mkpart|rm|resizepart|mkfs", "* ** mklabel|mktable|rm"],
      hdparm: ["--security-erase", "--security-erase-enhanced", "--trim-sector-ranges", "--make-bad-sector"],
      nvme: ["format|sanitize|write-zeroes|delete-ns"],
      cryptsetup: ["luksFormat|erase|luksErase|luksKillSlot|luksRemoveKey|reencrypt"],
      "lvremove|vgremove|pvremove|lvreduce": ["* !-t|--test|-h|--longhelp"],
      lvm: ["lvremove|vgremove|pvremove|lvreduce * !-t|--test|-h|--longhelp"],
      zpool: ["destroy|labelclear"],
      zfs: ["destroy"],
      mdadm: ["--zero-superblock"],
      badblocks: ["-w"],
      btrfs: ["subvolume delete", "sub del"],
      diskutil: [
        ...["eraseDisk|eraseVolume|eraseall|zeroDisk|randomDisk|secureErase|partitionDisk|reformat", "eraseOptical"],
        ...["apfs|ap deleteContainer|deleteVolume|eraseVolume", "cs|coreStorage delete*"],
      ],
      dmsetup: ["remove_all|wipe_table"],
      "flashrom|flash_erase|flash_eraseall": ["-w|-E", "*"],
    },
  },
  "delete-system-data": {
    about: "users, scheduled tasks or backups of the machine are deleted: userdel -r, crontab -r",
    decision: "block",
    effect: "deletes data of the machine outside the project",
    instead: "Let the person do it.",
    forms: {
      userdel: ["-r|--remove"],
      "deluser|deluser.pl": ["--remove-home|--remove-all-files"],
      crontab: ["-r"],
      tmutil: ["delete|deletelocalsnapshots|deleteinprogress"],
      timeshift: ["--delete|--delete-all"],
      snapper: ["delete|remove|rm"],
      vssadmin: ["delete|Delete"],
      wbadmin: ["delete"],
    },
  },
});

const DISK_RULES = commandRules(rules, () => ({
  crontab: { values: ["-u"] },
  parted: { values: ["-a", "--align"] },
  "mkfs|mke2fs": { values: ["-t", "--type", "-L", "-b", "-N", "-O", "-E", "-m", "-U"] },
  "lvremove|vgremove|pvremove|lvreduce|lvm": { values: ["--reportformat", "--config", "-S", "--select"] },
  tmutil: { values: ["-d", "-t", "-p"] },
}));

const examples = (): Guard["examples"] => ({
  blocked: [
    { command: "rm -rf /" },
    { command: "sudo rm --recursive --force --no-preserve-root /*" },
    { command: "rm -rf ~" },
    { command: 'X=$HOME; rm -rf "$X/"' },
    { command: "cd src && rm -rf ../*", why: "that is the whole project" },
    { command: "rm -rf .git" },
    { command: "rm -fr ./{*,.*}" },
    { command: "bash -c 'cd / && rm -rf etc'" },
    { command: "find . -type f -delete" },
    { command: "find / -exec rm -rf {} +" },
    { command: "mv ~ /tmp/old" },
    { command: "mv src/../ /dev/null" },
    { command: "dd if=/dev/zero of=/dev/sda bs=1M" },
    { command: "cat disk.img > /dev/nvme0n1" },
    { command: "mkfs.ext4 /dev/sdb1" },
    { command: "wipefs --all /dev/sdb" },
    { command: "chmod -R 777 /" },
    { command: "sudo chown -R nobody /etc" },
    { command: "rsync -a --delete empty/ ~/" },
    { command: "echo root::0:0:::/bin/sh > /etc/passwd" },
    { command: "f() { f | f & }; f" },
    { command: "crontab -r" },
  ],
  asked: [
    { command: "sed -i 's/no/yes/' /etc/ssh/sshd_config" },
    { command: "rm -rf ../other-project" },
    { command: "rm -rf ~/Documents/2024" },
    { command: 'rm -rf "$TARGET"', why: "it is known only at run time" },
    { command: "rm -rf $DIR/*", why: "an empty value deletes everything below /" },
    { command: "cat list.txt | xargs rm -rf" },
    { command: "find ~ -name '*.bak' -delete" },
    { command: "rsync -a --delete dist/ /srv/www/" },
    { command: "truncate -s 0 ~/notes.md" },
    { command: "chmod -R a+w /srv/www" },
    { command: "rm ~/.ssh/id_ed25519" },
    { command: "rm .git/hooks/pre-commit" },
    { command: "chmod -x .git/hooks/*" },
  ],
  allowed: [
    { command: "rm -rf build dist node_modules" },
    { command: "rm -rf ./*.log" },
    { command: "cd packages/web && rm -rf *" },
    { command: 'rm -rf /tmp/scratch "$(mktemp -d)"' },
    { command: "rm -rf ~/.cache/pip/http ~/.gradle/caches /var/lib/apt/lists/*" },
    { command: "rm -rf /root/.cache" },
    { command: "find . -name '*.pyc' -delete" },
    { command: "find src -type f -name '*.orig' -exec rm {} +" },
    { command: "rm -f .git/index.lock" },
    { command: "dd if=/dev/zero of=disk.img bs=1M count=64" },
    { command: "mkfs.ext4 build/disk.img" },
    { command: "chmod +x scripts/build.sh .git/hooks/pre-commit" },
    { command: "cp scripts/pre-commit .git/hooks/" },
    { command: "chmod -R u+w build" },
    { command: "rsync -a --delete src/ build/" },
    { command: "rsync -an --delete src/ ~/", why: "-n is a trial" },
    { command: "truncate -s 0 debug.log" },
    { command: "cp config.json ~/.config/app/config.json" },
    { command: "make > /dev/null 2>&1" },
    { command: "echo 'rm -rf /' >> notes.txt" },
    { command: "git commit -m 'Explain rm -rf ~'" },
    { command: "grep -rn 'mkfs' docs" },
  ],
  gaps: [
    { command: "./cleanup.sh", why: "Scripts are not read." },
    { command: "cp -f new.conf ~/.config/app/app.conf", why: "Whether a file exists is not looked up." },
    { command: "rm -rf src", why: "Folders of the project may be deleted; the repository has them." },
  ],
});

export const filesystem: Guard = {
  name: "filesystem",
  about:
    "Keeps files outside the project, the project itself, .git, the home and disks from being deleted or overwritten.",
  get rules() {
    return {
      ...aboutOf(EFFECT_RULES),
      ...aboutOf(DISK_RULES.rules()),
      "fork-bomb": "a function or an endless loop starts processes without end",
    };
  },
  programs: ["rm", "dd", "shred", "mkfs", "wipefs", "truncate", "find", "rsync", "chmod", "chown", "mv"],
  judgeCall: judge,
  judgeCommand: judgeForkBomb,
  judgeFile: (access, { place }) => (access.call === null ? judgeToolFile(access, place) : null),
  get examples() {
    return examples();
  },
};

function judge(call: Call, { place }: GuardContext): Finding | null {
  const disk = formatsImageFile(call, place) ? null : judgeByForm(call, DISK_RULES);
  if (disk !== null) return disk;
  const judged = [...effectsOf(call), ...redirected(call)].map((effect) => judgeEffect(effect, call, place));
  return worst(judged);
}

const worst = (findings: readonly (Finding | null)[]): Finding | null =>
  findings.find((found) => found?.decision === "block") ?? findings.find((found) => found !== null) ?? null;

const redirected = ({ redirections }: Call): readonly Effect[] =>
  redirections.flatMap(({ kind, target }): readonly Effect[] => {
    if (kind === "read") return [];
    return [{ kind: kind === "write" ? "rewrite" : "append", target }];
  });

/** True if the command formats an image file in the project or in a temporary folder, and no disk. */
function formatsImageFile(call: Call, place: GuardContext["place"]): boolean {
  if (!/^(?:mkfs|mke2fs|mkswap|mkdosfs|newfs|wipefs|parted|(?:c?f|g|sf|sg)disk)/.test(call.program)) return false;
  const zones = call.args
    .filter(({ text }) => (!text.startsWith("-") && text.includes("/")) || /\.\w+$/.test(text))
    .map((word) => zoneOf(resolvePath(word, call), place));
  return zones.length > 0 && zones.every((zone) => zone === "inside" || zone === "temp");
}

function judgeForkBomb({ gaps }: CommandAnalysis): Finding | null {
  const bomb = gaps.find(({ kind }) => kind === "fork bomb");
  if (bomb === undefined) return null;
  return {
    rule: "fork-bomb",
    decision: "block",
    part: bomb.source,
    effect: "starts processes without end until the machine stops responding",
    instead: "Start a fixed number of processes.",
  };
}
