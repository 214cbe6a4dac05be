import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { checkConfig } from "../../../src/config/schema/check-config.ts";
import { DIALECT_FIELDS } from "../../../src/config/schema/dialect-fields.ts";
import { eventJsonSchema, FILE_SCHEMAS, type JsonSchema } from "../../../src/config/schema/json-schema.ts";
import { DIALECTS } from "../../../src/dialects/dialects.ts";
import { allEventNames, EVENT_NAMES, eventRow, fieldsOf } from "../../../src/protocol/event.ts";
import type { FieldKind } from "../../../src/protocol/payload/field.ts";
import { payloadText, readPayload } from "../../../src/protocol/payload/payload.ts";
import { minimalPayload } from "../../../src/protocol/payload/sample.ts";
import { expectedOutput, lines, type Row, runInProcess, runMain, runRow } from "../../support/in-process.ts";
import { workspace } from "../../support/workspace.ts";

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");
const ajv = new Ajv2020({ allowUnionTypes: true });

/** What a program in Go writes for a field that it has not set. */
const UNSET: Readonly<Record<FieldKind, unknown>> = { text: "", number: 0, list: null, object: null, json: null };

/** What a validator of somebody else finds wrong; null when it finds nothing. */
function faults(schema: JsonSchema, value: unknown): string | null {
  const validate = ajv.compile(schema);
  return validate(value) ? null : ajv.errorsText(validate.errors);
}

describe.each([...allEventNames()])("%s", (name, named) => {
  const { payload, reply } = eventJsonSchema(named);
  const row = eventRow(named.event);

  test("a sample fits the schema of its payload", async () => {
    await using place = await workspace();
    const sample = JSON.parse((await runInProcess(place, `payload ${name}`)).stdout);
    expect(faults(payload, sample)).toBeNull();
    expect(faults(payload, { ...sample, something_else: 1 })).toBeNull();
  });

  test("a payload without a required field, or with a wrong value, does not fit", async () => {
    await using place = await workspace();
    const sample = JSON.parse((await runInProcess(place, `payload ${name}`)).stdout);
    expect(faults(payload, { ...sample, event: "other" })).not.toBeNull();
    for (const [field, { isRequired, kind }] of Object.entries(fieldsOf(named.event))) {
      if (isRequired) expect(faults(payload, { ...sample, [field]: undefined }), field).not.toBeNull();
      if (kind !== "json") expect(faults(payload, { ...sample, [field]: true }), field).not.toBeNull();
    }
  });

  test("what a hook gets fits, whichever fields the caller sent empty", () => {
    const { event } = named;
    const least = minimalPayload(event, "/work");
    const fields = Object.entries(fieldsOf(event)).filter(([, { kind, isRequired, fallback }]) => {
      return !(isRequired && fallback === undefined) || ["json", "list"].includes(kind);
    });
    for (const [field] of [...fields, ["none"]]) {
      const read = readPayload(event, JSON.stringify({ ...least, [field]: null }), "/work");
      expect(read.ok, field).toBe(true);
      if (!read.ok || named.dialect !== "kodelet") continue;
      expect(faults(payload, JSON.parse(payloadText(read.value))), field).toBeNull();
    }
    const unset = Object.fromEntries(Object.entries(fieldsOf(event)).map(([name, { kind }]) => [name, UNSET[kind]]));
    const read = readPayload(event, JSON.stringify(unset), "/work");
    expect(read.ok).toBe(true);
  });

  test("invoked_by fits as main and as subagent alone", async () => {
    await using place = await workspace();
    const sample = JSON.parse((await runInProcess(place, `payload ${name}`)).stdout);
    for (const invoked_by of ["main", "subagent"]) expect(faults(payload, { ...sample, invoked_by })).toBeNull();
    for (const invoked_by of ["robot", "", "Main"]) expect(faults(payload, { ...sample, invoked_by })).not.toBeNull();
  });

  test("no action fits the schema of the reply, and a misspelt key does not", () => {
    for (const nothing of [{}, null, { blocked: null }]) expect(faults(reply, nothing)).toBeNull();
    for (const wrong of [{ blokced: true }, { blocked: "yes" }, { reason: 1 }, 1, []]) {
      expect(faults(reply, wrong)).not.toBeNull();
    }
  });

  test("a change fits where there is something to change, with the shape of that", () => {
    const { target, fields, phase } = row;
    const key = target === "message" ? "message" : phase === "pre" ? "input" : "output";
    const samples = [target ?? []].flat().map((field) => [field, fields[field]?.sample] as const);
    const value = typeof target === "string" ? samples[0]?.[1] : Object.fromEntries(samples);
    expect(faults(reply, { [key]: value }) === null).toBe(target !== null);
    expect(faults(reply, { [phase === "pre" ? "output" : "input"]: value })).not.toBeNull();
  });
});

describe.each(Object.values(DIALECTS))("$name", ({ name, extraFields, responseKeys }) => {
  test("has a field for all that its payloads get added", () => {
    expect(Object.keys(DIALECT_FIELDS[name]).sort()).toEqual(Object.keys(extraFields).sort());
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
    const [, text = ""] = /^```json\n(\{\n(?: {2}"\$schema".*\n)? {2}"hook"[\s\S]*?)^```$/m.exec(read(page)) ?? [];
    expect(faults(schema, JSON.parse(text))).toBeNull();
  });

  test.each(wrong)("does not fit: %j", (value) => expect(faults(schema, value)).not.toBeNull());
});

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
      stdout: lines("config", "case", "lock", ...EVENT_NAMES),
      stderr: "",
      code: 0,
    },
    {
      title: "says it to a program as well",
      call: "schema --json",
      stdout: lines(
        JSON.stringify({ schema: "hookctl.schema/1", subjects: ["config", "case", "lock", ...allEventNames().keys()] }),
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
