import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type AuditEntry, numberField, readAuditLog, textField } from "../../src/audit/read.ts";
import { makeFifo } from "../support/fifo.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const line = (id: string, more: object = {}): string =>
  `${JSON.stringify({ schema: "hookctl.record/1", run_id: id, ...more })}\n`;
const read = (place: Workspace): readonly AuditEntry[] => [...readAuditLog(join(place.dir, "audit.jsonl"))];
const ids = (place: Workspace) => read(place).map((entry) => textField(entry, "run_id"));

test("the newest comes first, also where lines lie across the pieces that are read", async () => {
  await using place = await workspace();
  const all = Array.from({ length: 700 }, (_, index) => `r${index}`);
  await place.write("audit.jsonl", all.map((id) => line(id, { reason: `ü${"x".repeat(300)}` })).join(""));
  expect(ids(place)).toEqual([...all].reverse());
});

test("it goes on through the files that were set aside, and through no other", async () => {
  await using place = await workspace();
  await place.write("audit.2026-01-01T00-00-00.000Z.1.jsonl", line("a"));
  await place.write("audit.2026-02-01T00-00-00.000Z.1.jsonl", line("b") + line("c"));
  await place.write("audit.old.jsonl", line("x"));
  await place.write("audit.jsonl", line("d"));
  expect(ids(place)).toEqual(["d", "c", "b", "a"]);
});

test("what is no whole line of ours is passed over", async () => {
  await using place = await workspace();
  const others = ['{"schema":"hookctl.record/1","run_id":"cut', "\n", "[]\n", "7\n", '{"schema":"x"}\n', "\u0000\n"];
  await place.write("audit.jsonl", [line("a"), ...others, line("b"), '{"schema":"hookctl.record/1"'].join(""));
  await appendFile(join(place.dir, "audit.jsonl"), Buffer.from([0xff, 0x0a]));
  expect(ids(place)).toEqual(["b", "a"]);
});

test("a line beyond every measure is passed over as well, and those around it are not", async () => {
  await using place = await workspace();
  const endless = line("long", { reason: "x".repeat(5 * 1024 * 1024) });
  await place.write("audit.jsonl", line("a") + endless + line("b"));
  expect(ids(place)).toEqual(["b", "a"]);
});

describe("nothing is read where", () => {
  test("there is no record", async () => {
    await using place = await workspace();
    expect(ids(place)).toEqual([]);
  });

  test("a pipe lies in its place", async () => {
    await using place = await workspace();
    makeFifo(join(place.dir, "audit.jsonl"));
    expect(ids(place)).toEqual([]);
  });
});

test("a member of another kind is none", async () => {
  await using place = await workspace();
  await place.write("audit.jsonl", line("a", { duration_ms: "soon", reason: 7 }));
  const [entry] = read(place);
  expect(entry && [numberField(entry, "duration_ms"), textField(entry, "reason"), textField(entry, "event")]).toEqual([
    null,
    null,
    null,
  ]);
});
