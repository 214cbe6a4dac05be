import { newestFirst } from "../../audit/read.ts";
import type { RunContext } from "../../engine/run-context.ts";

/** Why there is nothing to show, and what to type next. */
export function nothingRecorded({ auditFile, settings }: Pick<RunContext, "auditFile" | "settings">): string {
  if (settings.record === "off") return "• No runs are recorded: your settings say `record: off`.\n";
  if (auditFile === null)
    return "• No runs are recorded: there is no private folder for the audit log. See: hookctl doctor\n";
  if (isEmptyLog(auditFile)) return "• No runs recorded yet. Connect your agent: hookctl install\n";
  return "• No recorded run matches. All runs: hookctl log\n";
}

export const isEmptyLog = (file: string): boolean => newestFirst(file).next().done === true;
