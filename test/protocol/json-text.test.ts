import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type JsonValue, jsonText, printableJson, rawJson } from "../../src/protocol/json/write.ts";
import { escapeControls, truncateEscaped } from "../../src/protocol/text/text.ts";

/** Everything that can steer a terminal or turn a line around. */
const STEERING = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;
const HOSTILE = "\u001b[31mred\u0007\u009b2J\u202eevil\u2066x\u200f\r\n\u0000\u007f\u2028";

describe("JSON that is shown", () => {
  test("is the same value, and no character of it can steer a terminal", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string({ unit: "binary" }), (value, text) => {
        const written = printableJson({ value: rawJson(JSON.stringify(value, null, 2)), text: `${HOSTILE}${text}` });
        expect(written).not.toMatch(STEERING);
        expect(JSON.parse(written)).toEqual(JSON.parse(JSON.stringify({ value, text: `${HOSTILE}${text}` })));
      }),
    );
  });

  test("half of a surrogate pair is U+FFFD in every text, key and raw value, and nothing else is", () => {
    const parts = ["\ud800", "\udbff", "\udc00", "\udfff", "😀", "\\", "\\ud800", '"', "ud83d", "\ufffd", "é", "\n"];
    const mixed = fc.array(fc.constantFrom(...parts)).map((all) => all.join(""));
    fc.assert(
      fc.property(mixed, mixed, (text, other) => {
        const code = (at: number): string => other.charCodeAt(at).toString(16).toUpperCase().padStart(4, "0");
        const escaped = `"${Array.from(Array(other.length).keys(), (at) => `\\u${code(at)}`).join("")}"`;
        const raw = JSON.stringify(other);
        const written = printableJson({ [`k${text}`]: text, raw: rawJson(raw), escaped: rawJson(escaped) });
        const strict = (given: string): string => Buffer.from(given).toString();
        expect(JSON.parse(written)).toEqual({
          [`k${strict(text)}`]: strict(text),
          raw: strict(other),
          escaped: strict(other),
        });
      }),
    );
  });

  test("raw JSON is written as it came, on one line", () => {
    expect(printableJson({ a: rawJson("[ 1.10,\n\t1e400 ]"), b: [null, true] })).toBe(
      '{"a":[ 1.10, 1e400 ],"b":[null,true]}',
    );
  });

  test("a value is the same text with raw JSON in it and without", () => {
    const inRaw = (value: JsonValue): JsonValue => {
      if (value === null || typeof value !== "object") return rawJson(JSON.stringify(value));
      if (Array.isArray(value)) return value.map(inRaw);
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, inRaw(item)]));
    };
    fc.assert(
      fc.property(fc.jsonValue(), (given) => {
        const value = given as JsonValue;
        expect(jsonText(inRaw(value))).toBe(jsonText(value));
      }),
    );
  });

  test("a member that is undefined is left out", () => {
    expect(jsonText({ a: undefined, b: null, c: "" })).toBe('{"b":null,"c":""}');
  });

  test("a member named __proto__ is written like any other", () => {
    expect(jsonText(Object.fromEntries([["__proto__", 1]]))).toBe('{"__proto__":1}');
  });

  test("JSON for a hook keeps every character", () => {
    expect(JSON.parse(jsonText({ text: HOSTILE }))).toEqual({ text: HOSTILE });
    expect(jsonText({ text: "\u202e" })).toContain("\u202e");
    expect(jsonText({ text: rawJson('"\\uD800"') })).toBe('{"text":"\\uD800"}');
  });
});

describe("text that is shown", () => {
  test("control, C1 and bidi characters are written escaped", () => {
    expect(escapeControls("a\u001bb\u009b\u202e\nc")).toBe("a\\u001bb\\u009b\\u202e\\u000ac");
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(escapeControls(HOSTILE + text)).not.toMatch(STEERING);
      }),
    );
  });

  test("everything else stays as it is", () => {
    for (const text of ["", "plain words", "Grüße, 日本語, 😀", "\\u001b", "a\u00a0b"])
      expect(escapeControls(text)).toBe(text);
  });

  test("a text that is too long is cut and says so, however hostile", () => {
    expect(truncateEscaped("abcdef", 6)).toBe("abcdef");
    expect(truncateEscaped("abcdefg", 6)).toBe("abcdef…");
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), fc.integer({ min: 1, max: 60 }), (text, limit) => {
        const shown = truncateEscaped(HOSTILE.repeat(3) + text, limit);
        expect(shown).not.toMatch(STEERING);
        expect(shown.length).toBe(limit + 1);
      }),
    );
  });
});
