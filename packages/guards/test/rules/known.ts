import type { RuleList, RuleSubject, ScopedRule } from "../../../../src/protocol/rule-settings.ts";
import { ownFiles } from "../../../guard-hooks/own-files.ts";
import type { GuardContext } from "../../guard.ts";
import { PLACE } from "./examples-of.ts";

const STATE = "/home/dev/.local/state/hookctl";

/** A rule of the user's settings. */
export const rule = (
  subject: RuleSubject,
  list: RuleList,
  match: string,
  more: Partial<ScopedRule> = {},
): ScopedRule => ({
  ...{ subject, list, match, file: "/home/dev/.kodelet/hooks.json", source: "config", level: 2, folder: null },
  ...more,
});

/** What the examples of the guards are judged with: files of hookctl, and globs and rules of a user. */
export const KNOWN: Required<Pick<GuardContext, "ownFiles" | "paths" | "rules">> = {
  rules: [
    rule("commands", "block", "npm publish *", { unless: ["npm publish --dry-run *"] }),
    rule("commands", "ask", "terraform apply *"),
    rule("files", "block", "infra/**"),
    rule("files", "ask", "db/*.sql"),
    rule("hosts", "block", "*.example.org"),
    rule("hosts", "ask", "db.example"),
  ],
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
