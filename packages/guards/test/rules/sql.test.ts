import fc from "fast-check";
import { expect, test } from "vitest";
import { cpuMs, expectGrowth } from "../../../../test/support/cpu-time.ts";
import { sqlDestroys } from "../../rules/cloud/databases.ts";

const LOSSES = [
  "DROP TABLE t",
  "drop\n  database if exists shop",
  "SELECT 1; Drop Schema x CASCADE",
  "TRUNCATE t",
  "DELETE FROM t",
  "DELETE FROM t WHERE 1 = 1",
  "DELETE FROM t /* WHERE id = 1 */",
  "DELETE FROM t -- WHERE id = 1",
  "WITH old AS (SELECT 1) DELETE FROM t",
  "UPDATE t SET a = 1",
  "ALTER TABLE t DROP COLUMN a",
  "ALTER TABLE t DROP a",
  "\\c shop\nDROP TABLE t;",
  "USE shop\nGO\nDROP TABLE t",
];

const HARMLESS = [
  "SELECT * FROM t",
  "DELETE FROM t WHERE id = 7",
  "UPDATE t SET a = 1 WHERE id = 7",
  "INSERT INTO t VALUES ('; DROP TABLE t')",
  "SELECT 'it''s; DROP TABLE t'",
  "-- DROP TABLE t\nSELECT 1",
  "DROP INDEX i",
  "ALTER TABLE t DROP CONSTRAINT c",
  "CREATE TABLE dropped (id int)",
  "EXPLAIN DELETE FROM t",
];

test.each(LOSSES)("destroys: %s", (sql) => {
  expect(sqlDestroys(sql)).not.toBeNull();
});

test.each(HARMLESS)("keeps: %s", (sql) => {
  expect(sqlDestroys(sql)).toBeNull();
});

test("case, white space and comments do not hide a statement", () => {
  const gap = fc.constantFrom(" ", "\n", "\t ", " /* x */ ", " -- x\n");
  const spelled = fc.constantFrom("drop", "DROP", "dRoP");
  fc.assert(
    fc.property(spelled, gap, gap, (drop, first, second) => {
      expect(sqlDestroys(`SELECT 1;${first}${drop}${second}TABLE t`)).not.toBeNull();
    }),
  );
});

test("unclosed quotes and comments take linear time", { tags: "slow" }, () => {
  for (const part of ["/*", "'", "--", "WITH DELETE FROM WHERE ", ";"]) {
    const count = { small: 8000, large: 64_000 };
    // About 8 times as long; the square would be 64 times.
    expectGrowth(24, (size) => cpuMs(() => sqlDestroys(part.repeat(count[size]))));
  }
});
