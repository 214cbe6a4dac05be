import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { appendLine } from "../../src/record/append.ts";
import { workspace } from "../support/workspace.ts";

test("a full record is put aside whole, and the next line begins a new one", async () => {
  await using place = await workspace();
  const file = join(place.dir, "state", "audit.jsonl");
  for (const line of ["one", "two", "three", "four"]) expect(appendLine(file, line, 6)).toBeNull();
  const names = (await readdir(join(place.dir, "state"))).sort();
  expect(names).toHaveLength(2);
  const texts = await Promise.all(names.map((name) => readFile(join(place.dir, "state", name), "utf8")));
  expect(texts).toEqual(["one\ntwo\nthree\n", "four\n"]);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test("of the files put aside the last five are kept", async () => {
  await using place = await workspace();
  const file = join(place.dir, "state", "audit.jsonl");
  for (let day = 1; day <= 7; day++) await place.write(`state/audit.2020-01-0${day}T00-00-00.000Z.1.jsonl`, "old\n");
  await place.write("state/audit.notes.jsonl", "not ours\n");
  for (const line of ["one", "two"]) expect(appendLine(file, line, 1)).toBeNull();
  const names = (await readdir(join(place.dir, "state"))).sort();
  expect(names.slice(0, 4)).toEqual([4, 5, 6, 7].map((day) => `audit.2020-01-0${day}T00-00-00.000Z.1.jsonl`));
  expect(names[4]).toMatch(/^audit\.20(?!20).*\.jsonl$/);
  expect(names.slice(5)).toEqual(["audit.notes.jsonl"]);
});

test("an empty record gets no blank line", async () => {
  await using place = await workspace();
  const file = await place.write("audit.jsonl", "");
  expect(appendLine(file, "one")).toBeNull();
  expect(await place.read("audit.jsonl")).toBe("one\n");
});
