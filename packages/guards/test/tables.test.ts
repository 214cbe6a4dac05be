import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { jsonTableFaults, TABLE_SCHEMAS } from "../../../tools/table-schemas.mjs";

const root = fileURLToPath(new URL("../../..", import.meta.url));

test("each table fits its schema", () => expect(jsonTableFaults(root)).toEqual([]));

test("each table of the guards and the shell has a schema", () => {
  const files = ["packages/guards", "packages/guard-hooks", "src/redact", "src/shell"].flatMap((room) =>
    readdirSync(join(root, room), { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".json") && path !== "package.json")
      .map((path) => `${room}/${path}`),
  );
  expect(files.filter((path) => TABLE_SCHEMAS[path] === undefined)).toEqual([]);
});

const faults: readonly (readonly [title: string, path: string, from: string, to: string, fault: string])[] = [
  ["an unknown field", "packages/guards/rules/git/rules.json", '"about"', '"abuot"', "abuot"],
  [
    "a program in two rows",
    "packages/guards/rules/filesystem/effects.json",
    '"rm grm"',
    '"rm unlink"',
    "unlink is in two rows",
  ],
  [
    "two spaces",
    "packages/guards/command/started/wrappers.json",
    '"-n --adjustment"',
    '"-n  --adjustment"',
    "separated by single spaces",
  ],
  [
    "a broken pattern",
    "packages/guards/command/inline-code/interpreters.json",
    '"^perl[0-9.]*$"',
    '"^perl[0-9.*$"',
    "not a valid pattern",
  ],
];

test.each(faults)("%s is a fault", (_, path, from, to, fault) => {
  const folder = mkdtempSync(join(tmpdir(), "tables-"));
  try {
    for (const table of Object.keys(TABLE_SCHEMAS)) cpSync(join(root, table), join(folder, table));
    const text = readFileSync(join(folder, path), "utf8");
    writeFileSync(join(folder, path), text.replace(from, to));
    expect(text).toContain(from);
    expect(jsonTableFaults(folder).join("\n")).toContain(fault);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
