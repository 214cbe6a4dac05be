import { ownFiles } from "../../../guard-hooks/own-files.ts";
import type { GuardContext } from "../../guard.ts";
import { PLACE } from "./examples-of.ts";

const STATE = "/home/dev/.local/state/hookctl";

/** What the examples of the guards are judged with: files of hookctl, and globs that a user protects. */
export const KNOWN: Pick<GuardContext, "ownFiles" | "paths"> = {
  paths: ["infra/**", "*.lock", "~/.bashrc", "config/prod.yml"],
  ownFiles: ownFiles({
    home: PLACE.home,
    moved: [],
    project: PLACE.project,
    trustFile: `${STATE}/trust.json`,
    auditFile: `${STATE}/audit.jsonl`,
    sessionsDir: `${STATE}/sessions`,
    backupsDir: `${STATE}/backups`,
    cacheDir: "/home/dev/.cache/hookctl",
    runtimeDir: "/run/user/1000",
    settingsFiles: ["/home/dev/shop/.kodelet/hooks.json"],
    approvedFiles: ["/home/dev/shop/.kodelet/hooks/approved"],
  }),
};
