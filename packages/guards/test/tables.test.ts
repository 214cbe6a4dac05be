import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { ownRulesSchema } from "../../../src/config/schema/guard-rules-schema.ts";
import { jsonTableFaults, tableSchemas } from "../../../tools/table-schemas.mjs";

const root = fileURLToPath(new URL("../../..", import.meta.url));

const RULES = ownRulesSchema();
const SCHEMAS = tableSchemas(RULES);

test("each table fits its schema", () => expect(jsonTableFaults(root, RULES)).toEqual([]));

test("each table of the guards and the shell has a schema", () => {
  const files = ["packages/guards", "packages/guard-hooks", "src/redact", "src/shell"].flatMap((room) =>
    readdirSync(join(root, room), { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".json") && path !== "package.json")
      .map((path) => `${room}/${path}`),
  );
  expect(files.filter((path) => SCHEMAS[path] === undefined)).toEqual([]);
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
    for (const table of Object.keys(SCHEMAS)) cpSync(join(root, table), join(folder, table));
    const text = readFileSync(join(folder, path), "utf8");
    writeFileSync(join(folder, path), text.replace(from, to));
    expect(text).toContain(from);
    expect(jsonTableFaults(folder, RULES).join("\n")).toContain(fault);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
