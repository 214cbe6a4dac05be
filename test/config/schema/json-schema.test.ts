import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { FILE_SCHEMAS, outputSchemas } from "../../../packages/authoring/commands/schema.ts";
import { DIALECT_KEYS, eventJsonSchema } from "../../../packages/authoring/json-schema.ts";
import { checkConfig } from "../../../src/config/schema/check-config.ts";
import { DIALECTS } from "../../../src/dialects/dialects.ts";
import { allEventNames, EVENT_NAMES } from "../../../src/protocol/event.ts";
import { expectedOutput, lines, type Row, runInProcess, runMain, runRow } from "../../support/in-process.ts";
import { workspace } from "../../support/workspace.ts";
import { faults, testEventSchemas } from "./event-schema.ts";

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");
// The names of the other dialects are in json-schema.slow.test.ts.
testEventSchemas(new Map([...allEventNames()].filter(([, { dialect }]) => dialect === "kodelet")));

describe.each(Object.values(DIALECTS))("$name", ({ name, extraFields, responseKeys }) => {
  test("has a field for all that its payloads get added", () => {
    expect(Object.keys(DIALECT_KEYS[name].payload).sort()).toEqual(Object.keys(extraFields).sort());
  });

  test("has a property for each key of a reply", () => {
    const own = EVENT_NAMES.flatMap((event) => {
      const { anyOf } = eventJsonSchema({ event, dialect: name }).reply as { anyOf: { properties?: object }[] };
      return anyOf.flatMap(({ properties = {} }) => Object.keys(properties));
    });
    const known = [...DIALECTS.kodelet.responseKeys, ...responseKeys].map(({ key }) => key);
    expect([...new Set(own)].sort()).toEqual([...new Set(known)].sort());
  });
});

describe("config", () => {
  const schema = FILE_SCHEMAS.config();
  const examples = [...read("docs/configuration.md").matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(
    ([, text = ""]) => text,
  );
  const right: readonly unknown[] = [
    ...examples.map((text) => JSON.parse(text) as unknown),
    { settings: { timeouts: { agent_stop: "1m" }, env_allow: ["SLACK_WEBHOOK_URL"], project_hooks: "allow" } },
    { overrides: { guard: { match: { tool_name: ["bash", "mcp_*"] }, sandbox: "off", priority: -1.5 } } },
    {},
  ];
  const wrong: readonly unknown[] = [
    { version: 2 },
    { settings: { timout: "5s" } },
    { settings: { timeout: "5" } },
    { settings: { timeout: 5 } },
    { settings: { timeouts: { before_tool: "5s" } } },
    { overrides: { guard: { fail_opn: false } } },
    { overrides: { guard: { priority: "first" } } },
    { setings: {} },
    [],
  ];

  test("the docs have examples", () => expect(examples.length).toBeGreaterThan(0));

  test.each(right)("fits, and is taken: %j", (value) => {
    expect(faults(schema, value)).toBeNull();
    expect(checkConfig(value, "f", "user")).toMatchObject({ ok: true });
  });

  test.each(wrong)("does not fit, and is not taken: %j", (value) => {
    expect(faults(schema, value)).not.toBeNull();
    expect(checkConfig(value, "f", "user")).toMatchObject({ ok: false });
  });
});

describe("case", () => {
  const schema = FILE_SCHEMAS.case();
  const starter = JSON.parse(read("hooks-examples/starter/deny-dangerous.json"));
  const one = starter.cases[0];
  const wrong: readonly unknown[] = [
    {},
    { hook: "guard", cases: [] },
    { ...starter, hook: "" },
    { ...starter, case: [] },
    { ...starter, cases: [{ ...one, event: "before_tool" }] },
    { ...starter, cases: [{ ...one, expect: {} }] },
    { ...starter, cases: [{ ...one, expect: { decision: "deny" } }] },
    { ...starter, cases: [{ ...one, payload: [] }] },
    { ...starter, cases: [{ ...one, expected: {} }] },
  ];

  test("the cases of the starter fit", () => {
    expect(faults(schema, starter)).toBeNull();
  });

  test.each(["docs/testing.md"])("the cases in %s fit", (page) => {
    const [, text = ""] = /^```json\n(\{\n {2}"guard"[\s\S]*?)^```$/m.exec(read(page)) ?? [];
    expect(faults(schema, JSON.parse(text))).toBeNull();
  });

  test.each(wrong)("does not fit: %j", (value) => expect(faults(schema, value)).not.toBeNull());
});

const OUTPUTS = Object.keys(outputSchemas());

describe("hookctl schema", () => {
  test.each(["before_tool_call", "PreToolUse", "pre_tool_call"])("prints payload and reply of %s", async (name) => {
    await using place = await workspace();
    const result = await runMain(place, ["schema", name]);
    expect(result).toMatchObject({ stderr: "", code: 0 });
    const printed = JSON.parse(result.stdout);
    expect(printed).toEqual(eventJsonSchema(allEventNames().get(name) ?? { event: "agent_stop", dialect: "kodelet" }));
    expect(printed.payload.$schema).toBe("https://json-schema.org/draft/2020-12/schema");
  });

  test.each(["config", "case", "lock"] as const)("prints the schema of a file: %s", async (name) => {
    await using place = await workspace();
    const result = await runInProcess(place, `schema ${name}`);
    expect(result).toMatchObject({ stderr: "", code: 0 });
    expect(JSON.parse(result.stdout)).toEqual(FILE_SCHEMAS[name]());
  });

  const rows: readonly Row[] = [
    {
      title: "without a subject says what there is",
      call: "schema",
      stdout: lines("config", "case", "lock", ...EVENT_NAMES, ...OUTPUTS),
      stderr: "",
      code: 0,
    },
    {
      title: "says it to a program as well",
      call: "schema --json",
      stdout: lines(
        JSON.stringify({
          schema: "hookctl.schema/1",
          subjects: ["config", "case", "lock", ...allEventNames().keys(), ...OUTPUTS],
        }),
      ),
      stderr: "",
      code: 0,
    },
    {
      title: "names the nearest subject",
      call: "schema confg",
      stdout: "",
      stderr: lines(
        '✖ Unknown schema "confg". Did you mean config? (USAGE_UNKNOWN_SUBJECT)',
        "  All schemas: hookctl schema",
      ),
      code: 64,
    },
    {
      title: "names the nearest event",
      call: "schema PreToolUs",
      stdout: "",
      stderr: lines(
        '✖ Unknown schema "PreToolUs". Did you mean PreToolUse? (USAGE_UNKNOWN_SUBJECT)',
        "  All schemas: hookctl schema",
      ),
      code: 64,
    },
  ];
  test.each(rows)("$title", async (row) => expect(await runRow(row)).toEqual(expectedOutput(row)));
});
