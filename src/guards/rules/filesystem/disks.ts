import { type CommandRule, commandRules } from "../command-rules.ts";

const RULES: Readonly<Record<string, CommandRule>> = {
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
};

export const DISK_RULES = commandRules(RULES, {
  crontab: { values: ["-u"] },
  parted: { values: ["-a", "--align"] },
  "mkfs|mke2fs": { values: ["-t", "--type", "-L", "-b", "-N", "-O", "-E", "-m", "-U"] },
  "lvremove|vgremove|pvremove|lvreduce|lvm": { values: ["--reportformat", "--config", "-S", "--select"] },
  tmutil: { values: ["-d", "-t", "-p"] },
});
