import { join } from "node:path";
import { newTally } from "../../packages/insight/export/export-log.ts";
import { httpSink } from "../../packages/insight/export/http-sink.ts";
import type { ExportRequest } from "../../packages/insight/export/run-export.ts";
import { readTarget, resourceOf } from "../../packages/insight/export/target.ts";
import { appendLine } from "../../src/audit/append.ts";
import type { Workspace } from "./workspace.ts";

/** A line of the audit log with these members. */
export const auditLine = (index: number, members: Readonly<Record<string, unknown>> = {}): string =>
  JSON.stringify({
    schema: "hookctl.record/1",
    time: new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString(),
    run_id: `RUN${index}`,
    event: "before_tool_call",
    session: "s1",
    tool: "bash",
    decision: "continue",
    duration_ms: 12.5,
    hooks: [
      {
        ...{ name: "guard", source: "user", path: "/h/guard", outcome: "continue" },
        ...{ start_ms: 2, duration_ms: 10, trust: "trusted" },
      },
    ],
    ...members,
  });

export const auditFileIn = ({ home }: Workspace): string => join(home, ".local/state/hookctl/audit.jsonl");

/** Appends these runs as hookctl does. */
export function appendRuns(file: string, [from, to]: readonly [number, number], sizeBytes?: number): void {
  for (let index = from; index < to; index++) {
    const cause = appendLine(file, auditLine(index), sizeBytes === undefined ? undefined : { sizeBytes, days: null });
    if (cause !== null) throw new Error(cause);
  }
}

/** An export in this process, with a clock that waits for nothing but counts what it was asked to wait. */
export function exportJob(auditFile: string, url: string, env: Readonly<Record<string, string>> = {}) {
  const target = readTarget(url, env);
  if (target === null) throw new Error("no target");
  const waited: number[] = [];
  const pause = async (ms: number): Promise<boolean> => {
    waited.push(ms);
    return true;
  };
  const elapsedMs = (): number => waited.reduce((sum, ms) => sum + ms, 0);
  const clock = { nowMs: () => Date.UTC(2026, 1, 1), elapsedMs, random: () => 0.5, pause };
  const sink = httpSink(target, "1.2.3", { ...clock, forMs: 30_000, firstPauseMs: 1_000, onFailure: () => undefined });
  const request: ExportRequest = {
    ...{ auditFile, sink, tally: newTally(), isStopped: () => false, ...clock },
    exporterFor: (instance) => ({
      version: "1.2.3",
      resource: resourceOf({ "service.name": "hookctl", "service.instance.id": instance }, env),
    }),
  };
  return { request, waited };
}
