import { exportCursorFile } from "../audit/remove-log.ts";
import type { RunContext } from "../engine/run-context.ts";
import { readCursor } from "../export/cursor.ts";
import { broken, type Checkup, doubtful, fine } from "../protocol/doctor-check.ts";
import { ok } from "../protocol/result.ts";

/** Says how the last export ended; nothing where nobody exports. */
export function exportChecks({ auditFile, settings }: RunContext): readonly Checkup[] {
  const path = auditFile === null ? null : exportCursorFile(auditFile);
  const read = path === null ? ok(null) : readCursor(path);
  if (!read.ok) return [broken("export", `${path} cannot be used: ${read.error}`, "Run: hookctl export")];
  const cursor = read.value;
  if (cursor === null) {
    const start = "Run it as a service: hookctl export --follow";
    return settings.exportTo === null
      ? []
      : [doubtful("export", "a collector is set, but nothing was exported yet", start)];
  }
  const { problem, lost, gaps, rejected, lastRun } = cursor;
  const lacks = [
    ...(problem === null ? [] : [problem.text]),
    ...(lost > 0 ? [`${lost} lines were removed before they were exported`] : []),
    ...(gaps > 0 ? ["files of the audit log were removed by another program"] : []),
    ...(rejected > 0 ? [`the collector rejected ${rejected} items`] : []),
  ];
  return lacks.length === 0
    ? [fine("export", `exported up to ${lastRun ?? "now"}`)]
    : lacks.map((text) => doubtful("export", text, problem === null ? null : "Try again: hookctl export"));
}
