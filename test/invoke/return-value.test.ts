import { runInNewContext } from "node:vm";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mayDecide } from "../../packages/sdk/library/deciding-keys.ts";
import { containsInfinity, serializeReturnValue } from "../../packages/sdk/library/return-value.ts";

const rules = { isDecisive: mayDecide, mayBeInfinite: () => false };
const read = (value: unknown) => serializeReturnValue(value, rules);

/** What JSON cannot say, by what a function may have meant to return. */
const UNSAYABLE: readonly (readonly [title: string, value: unknown])[] = [
  ["undefined", undefined],
  ["a function", () => true],
  ["a symbol", Symbol("x")],
  ["NaN", Number.NaN],
  ["Infinity", Number.POSITIVE_INFINITY],
  ["an error", new Error("x")],
  ["a map", new Map([["blocked", true]])],
  ["a set", new Set(["x"])],
  ["bytes", new Uint8Array(2)],
  ["a generator", (function* () {})()],
  ["a promise in it", Promise.resolve(true)],
  ["a pattern", /x/],
  ["an instance", new (class Guard {})()],
  ["an object with inherited members", Object.create({ blocked: true })],
  ["an object whose JSON is nothing", { toJSON: () => undefined }],
  ["a list with a hole", [undefined]],
  ["a number deep inside", { a: [{ b: Number.NaN }] }],
  ["a map deep inside", { a: [{ b: new Map() }] }],
];

const DECISIVE = [
  "blocked",
  "decision",
  "Reject",
  "Transform",
  "Replace",
  "action",
  "value",
  "input",
  "output",
  "message",
];
const MORE = [
  "modifiedInput",
  "modifiedOutput",
  "modifiedArgs",
  "continue",
  "permissionDecision",
  "hookSpecificOutput",
];
/** In odd case, or meant as one of them. */
const MEANT = ["reject", "Blocked", "blokced", "block", "denied"];

describe.each(UNSAYABLE)("%s", (_title, value) => {
  test.each([...DECISIVE, ...MORE, ...MEANT])("under %s is a fault", (key) => {
    expect(read({ reason: "x", [key]: value }).fault).toContain(`"${key}" is`);
  });

  test.each(["reason", "metadata", "additional_context", "state", "warnings", "note"])("under %s is none", (key) => {
    expect(read({ blocked: false, [key]: value }).fault).toBeNull();
  });
});

const WHOLE = UNSAYABLE.filter(([title]) => title !== "undefined" && !title.endsWith("deep inside"));
test.each(WHOLE)("%s as the whole return is a fault", (_title, value) => {
  expect(read(value).fault).not.toBeNull();
});

test("what decides stays to be read: as null, or as the value beside the fault", () => {
  expect(read({ Reject: undefined })).toMatchObject({ text: '{"Reject":null}' });
  expect(read(Object.assign(new (class Answer {})(), { blocked: true }))).toMatchObject({ text: '{"blocked":true}' });
  expect(read({ blocked: true, input: () => 1 })).toMatchObject({ text: '{"blocked":true,"input":null}' });
});

test("a key inside of Claude's object counts, and an absent member of a value does not", () => {
  for (const key of ["permissionDecision", "updatedInput", "decision"]) {
    expect(read({ hookSpecificOutput: { hookEventName: "x", [key]: undefined } }).fault).toContain(key);
  }
  expect(read({ hookSpecificOutput: { decision: { behavior: undefined } } }).fault).toContain("behavior");
  expect(read({ hookSpecificOutput: { additionalContext: undefined } }).fault).toBeNull();
  expect(read({ input: { command: "ls", timeout: undefined, nested: { blocked: undefined } } }).fault).toBeNull();
});

test("a member that is there but that JSON passes over is a fault", () => {
  expect(read(Object.defineProperty({}, "blocked", { value: true })).fault).toContain('"blocked"');
});

test("an object of another realm, without a prototype, or with a JSON of its own is one", () => {
  expect(read(runInNewContext("({ blocked: true, input: { a: [1] } })"))).toEqual({
    ...{ text: '{"blocked":true,"input":{"a":[1]}}', fault: null },
  });
  expect(read(Object.assign(Object.create(null), { blocked: true })).fault).toBeNull();
  expect(
    read(
      new (class {
        toJSON() {
          return { blocked: true };
        }
      })(),
    ),
  ).toEqual({ text: '{"blocked":true}', fault: null });
  expect(read({ input: { at: new Date(0), bytes: Buffer.from("x") } }).fault).toBeNull();
});

test("an infinite number is one where the payload holds one", () => {
  const open = { isDecisive: mayDecide, mayBeInfinite: () => containsInfinity(JSON.parse('{"a":[{"b":1e400}]}')) };
  expect(serializeReturnValue({ input: { a: Number.POSITIVE_INFINITY } }, open).fault).toBeNull();
  expect(serializeReturnValue({ input: { a: Number.NaN } }, open).fault).toContain("NaN");
  expect([containsInfinity({ a: [1, null, "Infinity"] }), containsInfinity({ a: -Infinity })]).toEqual([false, true]);
});

test("any JSON value is written as JSON writes it, without a fault", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      // -0 is 0 in JSON.
      expect(read(value)).toEqual({ text: JSON.stringify(value), fault: null });
    }),
  );
});

test("whatever is returned, nothing is thrown, and the text is JSON", () => {
  fc.assert(
    fc.property(fc.anything({ withMap: true, withSet: true, withBigInt: true, withDate: true }), (value) => {
      const { text, fault } = read(value);
      if (text === "") expect(value === undefined || fault !== null).toBe(true);
      else JSON.parse(text);
    }),
  );
});
