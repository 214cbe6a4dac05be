import { appendFile, rename, symlink, truncate } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type LogPosition, newestFirst, type ScannedLine, type ScanOptions, scanLog } from "../../src/audit/read.ts";
import type { LoggedLine } from "../../src/protocol/logged-run.ts";
import { makeFifo } from "../support/fifo.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const DAY_MS = 86_400_000;
const START_MS = Date.UTC(2026, 0, 1);
/** Noon of a day, counted from the first of January. */
const dayMs = (day: number): number => START_MS + (day + 0.5) * DAY_MS;
const line = (id: string, day = 0, more: object = {}): string =>
  `${JSON.stringify({ schema: "hookctl.record/1", time: new Date(dayMs(day)).toISOString(), run_id: id, ...more })}\n`;
const fileOf = (place: Workspace): string => join(place.dir, "audit.jsonl");
const idOf = (one: LoggedLine): string => (one.kind === "run" ? one.runId : one.kind);
const newest = (place: Workspace, contains = "") =>
  [...newestFirst(fileOf(place), contains)].map(({ line: one }) => idOf(one));
const scanned = (place: Workspace, options: ScanOptions = {}): readonly ScannedLine[] => [
  ...scanLog(fileOf(place), options),
];
const oldest = (place: Workspace, options: ScanOptions = {}) =>
  scanned(place, options).map(({ line: one }) => idOf(one));

describe("both directions", () => {
  const both = (place: Workspace): readonly string[] => {
    const ids = oldest(place);
    expect(newest(place)).toEqual([...ids].reverse());
    return ids;
  };

  test("read lines that lie across the pieces of a file", async () => {
    await using place = await workspace();
    const all = Array.from({ length: 700 }, (_, index) => `r${index}`);
    await place.write("audit.jsonl", all.map((id) => line(id, 0, { reason: `ü${"x".repeat(300)}` })).join(""));
    expect(both(place)).toEqual(all);
  });

  test("read the rotated files, and no other", async () => {
    await using place = await workspace();
    await place.write("audit.2026-01-01T00-00-00.000Z.1.jsonl", line("a"));
    await place.write("audit.2026-02-01T00-00-00.000Z.1.jsonl", line("b") + line("c"));
    await place.write("audit.old.jsonl", line("x"));
    await place.write("audit.jsonl", line("d"));
    expect(both(place)).toEqual(["a", "b", "c", "d"]);
  });

  test("skip a line that is not whole, not UTF-8, or of another schema or an unknown kind", async () => {
    await using place = await workspace();
    const cut = '{"schema":"hookctl.record/1","run_id":"cut';
    const others = [cut, "\n", "[]\n", "7\n", "\n", '{"schema":"x"}\n', "\u0000\n", line("k", 0, { kind: "new" })];
    await place.write("audit.jsonl", [line("a"), ...others, line("b"), '{"schema":"hookctl.record/1"'].join(""));
    await appendFile(fileOf(place), Buffer.from([0xff, 0x0a]));
    expect(both(place)).toEqual(["a", "b"]);
  });

  test("skip a line that is too long, and not those around it", { tags: "slow" }, async () => {
    await using place = await workspace();
    const endless = line("long", 0, { reason: "x".repeat(5 * 1024 * 1024) });
    await place.write("audit.jsonl", line("a") + endless + line("b") + endless + endless + line("c"));
    expect(both(place)).toEqual(["a", "b", "c"]);
  });

  test("find nothing without a log, and end with a problem if a pipe or folder is in its place", async () => {
    await using place = await workspace();
    expect(both(place)).toEqual([]);
    await place.write("audit.2026-01-01T00-00-00.000Z.1.jsonl/file", "");
    expect(() => both(place)).toThrow("LOG_NOT_READ");
    await using other = await workspace();
    makeFifo(fileOf(other));
    expect(() => both(other)).toThrow("LOG_NOT_READ");
  });
});

test("only lines of a time range are read", async () => {
  await using place = await workspace();
  const undated = '{"schema":"hookctl.record/1","run_id":"undated"}\n';
  await place.write("audit.jsonl", undated + [1, 2, 3, 4].map((day) => line(`day${day}`, day)).join(""));
  const range = { sinceMs: dayMs(2), untilMs: dayMs(3) };
  expect(oldest(place, range)).toEqual(["day2", "day3"]);
  expect(oldest(place, { untilMs: dayMs(1) })).toEqual(["day1"]);
  expect(oldest(place)).toContain("undated");
});

test("lines without a text are skipped, newest first", async () => {
  await using place = await workspace();
  await place.write("audit.jsonl", line("a1") + line("b") + line("a2"));
  expect(newest(place, '"run_id":"a')).toEqual(["a2", "a1"]);
});

test("a rotated file outside the time range is not read", async () => {
  await using place = await workspace();
  // The times in these files contradict their names, so that reading them would show.
  await place.write("audit.2026-01-05T00-00-00.000Z.1.jsonl", line("old", 20));
  await place.write("audit.2026-01-10T00-00-00.000Z.1.jsonl", line("b", 6));
  await place.write("audit.2026-01-20T00-00-00.000Z.1.jsonl", line("new", 6));
  expect(oldest(place, { sinceMs: dayMs(5), untilMs: dayMs(30) })).toEqual(["b", "new"]);
  expect(oldest(place, { sinceMs: dayMs(5), untilMs: dayMs(7) })).toEqual(["b"]);
});

describe("after a position", () => {
  const upTo = async (place: Workspace): Promise<LogPosition | null> => scanned(place).at(-1)?.position ?? null;

  test("only new lines are read, also if the file was rotated meanwhile", async () => {
    await using place = await workspace();
    await place.write("audit.2026-01-01T00-00-00.000Z.1.jsonl", line("old"));
    await place.write("audit.jsonl", line("a") + line("b"));
    const after = await upTo(place);
    expect(oldest(place, { after })).toEqual([]);
    await appendFile(fileOf(place), line("c"));
    expect(oldest(place, { after })).toEqual(["c"]);
    await rename(fileOf(place), join(place.dir, "audit.2026-02-01T00-00-00.000Z.1.jsonl"));
    await place.write("audit.jsonl", line("d"));
    expect(oldest(place, { after })).toEqual(["c", "d"]);
  });

  test("a line is read when it is whole", async () => {
    await using place = await workspace();
    await place.write("audit.jsonl", line("a"));
    const after = await upTo(place);
    const [begin, end] = [line("b").slice(0, 30), line("b").slice(30)];
    await appendFile(fileOf(place), begin);
    expect(oldest(place, { after })).toEqual([]);
    await appendFile(fileOf(place), end);
    expect(oldest(place, { after })).toEqual(["b"]);
  });

  test("everything is read from a truncated file", async () => {
    await using place = await workspace();
    await place.write("audit.jsonl", line("a") + line("b"));
    const after = await upTo(place);
    await truncate(fileOf(place), 0);
    await appendFile(fileOf(place), line("c"));
    expect(oldest(place, { after })).toEqual(["c"]);
  });
});

test("progress grows from 0 to 1", async () => {
  await using place = await workspace();
  const some = (from: number) => Array.from({ length: 2500 }, (_, index) => line(`r${from + index}`)).join("");
  await place.write("audit.2026-02-01T00-00-00.000Z.1.jsonl", some(0));
  await place.write("audit.jsonl", some(2500));
  const seen: number[] = [];
  scanned(place, { onProgress: (done) => seen.push(done) });
  expect(seen).toEqual(seen.toSorted((one, other) => one - other));
  expect([999, 2499, 4999].map((at) => seen[at]?.toFixed(1))).toEqual(["0.2", "0.5", "1.0"]);
});

test("a link that leads nowhere is an empty log, one to itself is none", async () => {
  await using place = await workspace();
  await symlink("nowhere", fileOf(place));
  expect([newest(place), oldest(place)]).toEqual([[], []]);
  await using other = await workspace();
  await symlink("audit.jsonl", fileOf(other));
  expect(() => newest(other)).toThrow("LOG_NOT_READ");
  expect(() => oldest(other)).toThrow("LOG_NOT_READ");
});
