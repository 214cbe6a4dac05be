import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, renameSync } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { appendLine, rotateLog } from "../../src/audit/append.ts";
import { makeFifo } from "../support/fifo.ts";
import { workspace } from "../support/workspace.ts";

test("a full record is put aside whole, and the next line begins a new one", async () => {
  await using place = await workspace();
  const file = join(place.dir, "state", "audit.jsonl");
  for (const line of ["one", "two", "three", "four"])
    expect(appendLine(file, line, { sizeBytes: 48, days: null })).toBeNull();
  const names = (await readdir(join(place.dir, "state"))).sort();
  expect(names).toHaveLength(2);
  const texts = await Promise.all(names.map((name) => readFile(join(place.dir, "state", name), "utf8")));
  expect(texts).toEqual(["one\ntwo\nthree\n", "four\n"]);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test("the oldest files put aside are removed until all of them, and the next one, are within the size", async () => {
  await using place = await workspace();
  const file = join(place.dir, "state", "audit.jsonl");
  for (let day = 1; day <= 7; day++)
    await place.write(`state/audit.2020-01-0${day}T00-00-00.000Z.1.jsonl`, "old old\n");
  await place.write("state/audit.notes.jsonl", "not ours\n");
  for (const line of ["one two", "three"]) expect(appendLine(file, line, { sizeBytes: 48, days: null })).toBeNull();
  const names = (await readdir(join(place.dir, "state"))).sort();
  expect(names.slice(0, 2)).toEqual([6, 7].map((day) => `audit.2020-01-0${day}T00-00-00.000Z.1.jsonl`));
  expect(names[2]).toMatch(/^audit\.20(?!20).*\.jsonl$/);
  expect(names.slice(3)).toEqual(["audit.notes.jsonl"]);
});

test("files put aside before the limit of days are removed, and the others stay", async () => {
  await using place = await workspace();
  const file = join(place.dir, "state", "audit.jsonl");
  const stamp = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().replaceAll(":", "-");
  const [old, young] = [31, 29].map((days) => `audit.${stamp(days)}.1.jsonl`);
  for (const name of [old, young]) await place.write(`state/${name}`, "x\n");
  for (const line of ["a long line", "more"]) expect(appendLine(file, line, { sizeBytes: 80, days: 30 })).toBeNull();
  expect(await readdir(join(place.dir, "state"))).toEqual([young, expect.stringMatching(/^audit\.20/)]);
});

test("a pipe in place of the log is told, and holds nothing up", async () => {
  await using place = await workspace();
  const file = join(place.dir, "audit.jsonl");
  makeFifo(file);
  expect(appendLine(file, "x".repeat(1_000_000))).toBe("it is not a regular file");
});

test("a process that rotates several times in a millisecond keeps all files", async () => {
  await using place = await workspace();
  const file = join(place.dir, "state", "audit.jsonl");
  const limits = { sizeBytes: 9_000, days: null };
  for (const digit of "1234") expect(appendLine(file, digit.repeat(1_200), limits)).toBeNull();
  const names = (await readdir(join(place.dir, "state"))).sort();
  const texts = await Promise.all(names.map((name) => readFile(join(place.dir, "state", name), "utf8")));
  expect(
    texts
      .join("")
      .replaceAll(/(.)\1+\n/g, "$1")
      .split("")
      .sort(),
  ).toEqual([..."1234"]);
  expect(texts.length).toBeGreaterThan(1);
});

test("only the file that was too large is put aside, not the fresh one of another process", async () => {
  await using place = await workspace();
  const file = await place.write("state/audit.jsonl", "large\n");
  const descriptor = openSync(file, "a+");
  renameSync(file, join(place.dir, "state", "audit.2020-01-01T00-00-00.000Z.1.jsonl"));
  await place.write("state/audit.jsonl", "fresh\n");
  rotateLog(file, descriptor);
  closeSync(descriptor);
  const names = (await readdir(join(place.dir, "state"))).sort();
  expect(names).toEqual(["audit.2020-01-01T00-00-00.000Z.1.jsonl", "audit.jsonl"]);
  expect(await place.read("state/audit.jsonl")).toBe("fresh\n");
});

test("an empty record gets no blank line", async () => {
  await using place = await workspace();
  const file = await place.write("audit.jsonl", "");
  expect(appendLine(file, "one")).toBeNull();
  expect(await place.read("audit.jsonl")).toBe("one\n");
});

test("a line is not joined to half a line that a killed writer left", async () => {
  await using place = await workspace();
  const file = await place.write("audit.jsonl", 'one\n{"half');
  expect(appendLine(file, "two")).toBeNull();
  expect(await place.read("audit.jsonl")).toBe('one\n{"half\ntwo\n');
});

/** Leaves halves of lines at moments that nobody can foresee, as writers do that are killed. */
const HALVES = `const { appendFileSync } = require("node:fs");
const pause = new Int32Array(new SharedArrayBuffer(4));
process.stdout.write("ready");
for (;;) {
  appendFileSync(process.argv[1], "{half");
  Atomics.wait(pause, 0, 0, Math.random() / 5);
}`;

test("a line that was joined to half a line of another process is there once more, whole", async () => {
  await using place = await workspace();
  const file = await place.write("audit.jsonl", "");
  const other = spawn(process.execPath, ["-e", HALVES, file], { stdio: ["ignore", "pipe", "inherit"] });
  await once(other.stdout, "data");
  const wanted: string[] = [];
  // Until a half came between a look and a write: how soon that is depends on the machine.
  while (!/halfline \d+\n/.test((await place.read("audit.jsonl")) ?? "")) {
    for (let count = 0; count < 100; count++) {
      wanted.push(`line ${wanted.length}`);
      expect(appendLine(file, wanted.at(-1) ?? "")).toBeNull();
    }
  }
  other.kill("SIGKILL");
  await once(other, "exit");
  const lines = ((await place.read("audit.jsonl")) ?? "").split("\n");
  expect(lines.filter((line) => line.startsWith("line"))).toEqual(wanted);
});

test("a device keeps no line, which is told", () => {
  expect(appendLine("/dev/null", "one")).toBe("it is not a regular file");
});
