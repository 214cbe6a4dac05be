import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { eventJsonSchema, type JsonSchema } from "../../../packages/authoring/json-schema.ts";
import { type allEventNames, EVENT_ROWS, fieldsOf, findEvent } from "../../../src/protocol/event.ts";
import type { FieldKind } from "../../../src/protocol/payload/field.ts";
import { payloadText, readPayload } from "../../../src/protocol/payload/payload.ts";
import { minimalPayload } from "../../../src/protocol/payload/sample.ts";
import { runInProcess } from "../../support/in-process.ts";
import { type Workspace, workspace } from "../../support/workspace.ts";

const ajv = new Ajv2020({ allowUnionTypes: true });

/** What a program in Go writes for a field that it has not set. */
const UNSET: Readonly<Record<FieldKind, unknown>> = { text: "", number: 0, list: null, object: null, json: null };

/** What a validator of somebody else finds wrong; null when it finds nothing. */
export function faults(schema: JsonSchema, value: unknown): string | null {
  const validate = ajv.compile(schema);
  return validate(value) ? null : ajv.errorsText(validate.errors);
}

/** What a hook gets. `payload` of an event that an agent names prints what the agent sends, which a hook never gets alone. */
async function sampleOf(place: Workspace, name: string): Promise<string> {
  if (!name.includes(":")) return (await runInProcess(place, `payload ${name}`)).stdout;
  await place.hook("recorder", `cat > "$HOME/seen"`, { says: name });
  const event = findEvent(name)?.event ?? "";
  const { stdout } = await runInProcess(place, `payload ${event}`);
  await runInProcess(place, `run ${event} -q`, { stdin: stdout });
  return (await place.read("home/seen")) ?? "";
}

type NamedEvents = ReturnType<typeof allEventNames>;

export function testEventSchemas(names: NamedEvents): void {
  describe.each([...names])("%s", (name, named) => {
    const { payload, reply } = eventJsonSchema(named);
    const row = EVENT_ROWS[named.event];

    test("a sample fits the schema of its payload", async () => {
      await using place = await workspace();
      const sample = JSON.parse(await sampleOf(place, name));
      expect(faults(payload, sample)).toBeNull();
      expect(faults(payload, { ...sample, something_else: 1 })).toBeNull();
    });

    test("a payload without a required field, or with a wrong value, does not fit", async () => {
      await using place = await workspace();
      const sample = JSON.parse(await sampleOf(place, name));
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
      const sample = JSON.parse(await sampleOf(place, name));
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
}
