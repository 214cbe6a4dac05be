import { describe, expect, test } from "vitest";
import { tableOf } from "../../../../src/protocol/json/table.ts";
import { GUARDS } from "../../guards.ts";
import cloud from "../../rules/cloud/rules.json" with { type: "json" };
import filesystem from "../../rules/filesystem/rules.json" with { type: "json" };
import git from "../../rules/git/rules.json" with { type: "json" };
import secrets from "../../rules/secrets/rules.json" with { type: "json" };
import selfProtection from "../../rules/self-protection/rules.json" with { type: "json" };
import system from "../../rules/system/rules.json" with { type: "json" };
import { findingOf } from "./examples-of.ts";

interface Row {
  readonly decision?: string;
  readonly examples?: { readonly stopped: readonly string[]; readonly allowed: readonly string[] };
}

const TABLES = { cloud, filesystem, git, secrets, "self-protection": selfProtection, system };
const ROWS = Object.entries(TABLES).flatMap(([guard, { rules }]) =>
  Object.entries(tableOf<Record<string, Row>>(rules)).flatMap(([rule, { decision, examples }]) =>
    examples === undefined ? [] : [{ guard: GUARDS[guard as keyof typeof TABLES], rule, decision, examples }],
  ),
);

describe.each(ROWS)("$guard.name/$rule", ({ guard, rule, decision, examples }) => {
  test.each(examples.stopped)("stops: %s", (command) => {
    expect(findingOf(guard, { command })).toMatchObject({ rule });
  });

  test("decides as the row says", () => {
    const decisions = examples.stopped.map((command) => findingOf(guard, { command })?.decision);
    expect(decisions).toContain(decision);
  });

  test.each(examples.allowed)("allows: %s", (command) => expect(findingOf(guard, { command })).toBeNull());
});
