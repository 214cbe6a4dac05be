import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  itemsOf,
  JSON_DEPTH,
  type JsonFault,
  type JsonSpan,
  membersOf,
  readJson,
  readJsonLenient,
  readObjectAt,
  startOfRaw,
  stringOf,
} from "../../src/protocol/json/read.ts";
import { propertyRuns } from "../support/property-runs.ts";

const NO_LIMIT = Number.POSITIVE_INFINITY;

describe("what is JSON and what is not", () => {
  const valid = [
    ...["{}", "[]", '""', "0", "-0", "-1", "1.10", "1e400", "1E+2", "12345678901234567890", "true", "false", "null"],
    ...[' \t\r\n{ "a" : [ 1 , 2 ] } \n', '{"":0}', '{"a":{"a":{"a":1}}}', '[[],{},"",null]', '"\u007f\u2028"'],
    ...['"\\u0000\\ud800\\"\\\\\\/\\b\\f\\n\\r\\t"', '[{"a":1},{"a":1}]'],
  ];
  const invalid = [
    ...[
      "",
      " ",
      "{",
      "}",
      "[",
      "]",
      "[1,]",
      "[,1]",
      "[1 2]",
      '{"a"}',
      '{"a":}',
      '{"a":1,}',
      "{a:1}",
      "{'a':1}",
      '{"a" 1}',
    ],
    ...["01", "+1", ".5", "1.", "1e", "1e+", "--1", "0x10", "NaN", "Infinity", "undefined", "tru", "True", "nulll"],
    ...[
      '"',
      '"\\',
      '"\\x"',
      '"\\u12g4"',
      '"\\u12"',
      '"\t"',
      '"\n"',
      '"\u0000"',
      '"\u001f"',
      "{}{}",
      "{} x",
      "\ufeff{}",
      "\u00a0{}",
    ],
    ...["// a\n{}", "[1]]", '{"a":1}}', '"a"b'],
  ];

  test.each(valid)("%j is one JSON value, kept as it was written", (text) => {
    const read = readJson(text, NO_LIMIT);
    expect(read.ok && read.value.raw).toBe(text.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, ""));
    expect(() => JSON.parse(text)).not.toThrow();
  });

  test.each(invalid)("%j is not one JSON value", (text) => {
    expect(faultIn(text)?.kind).toBe("syntax");
    expect(() => JSON.parse(text)).toThrow();
  });

  test("every JSON text is accepted and means what it means elsewhere", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.nat(3), (value, indent) => {
        const read = readJson(JSON.stringify(value, null, indent), NO_LIMIT);
        expect(read.ok && meaningOf(read.value)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  const scrap = fc.constantFrom(...'{}[]",:\\ 0123456789.eE+-truefalsn\t\n\u0000é/');
  const edit = fc.record({ at: fc.nat(200), drop: fc.nat(2), put: fc.array(scrap, { maxLength: 2 }) });
  const edits = fc.array(edit, { minLength: 1, maxLength: 3 });
  const damagedBy = (text: string, all: readonly { at: number; drop: number; put: readonly string[] }[]): string =>
    all.reduce((now, { at, drop, put }) => {
      const from = at % (now.length + 1);
      return now.slice(0, from) + put.join("") + now.slice(from + drop);
    }, text);

  test("a damaged text is accepted exactly when every other reader accepts it", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), edits, (text, edits) => {
        const damaged = damagedBy(text, edits);
        const fault = faultIn(damaged);
        if (fault?.kind !== "duplicate-key") expect(fault === null).toBe(isJson(damaged));
      }),
      propertyRuns(3000),
    );
  });

  test("the bytes of a text are the same value with the same parts, or have the same fault", () => {
    const key = fc.constantFrom("a", "b", "\\u0061");
    const twice = fc.array(fc.tuple(key, fc.json({ maxDepth: 2 })), { maxLength: 4 });
    const object = twice.map((members) => ` {${members.map(([name, value]) => `"${name}" :${value}`).join(", ")}} `);
    const texts = fc.oneof(fc.json({ maxDepth: 4 }), object);
    fc.assert(
      fc.property(texts, fc.option(edits), fc.integer({ min: 1, max: 5 }), (text, edits, depth) => {
        const given = edits === null ? text : damagedBy(text, edits);
        const read = readJson(given, depth);
        const ofBytes = readJson(Buffer.from(given), depth);
        expect(ofBytes.ok ? partsOf(ofBytes.value) : ofBytes).toEqual(read.ok ? partsOf(read.value) : read);
      }),
      propertyRuns(3000),
    );
  });

  test("no text makes the reader throw", () => {
    fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 60 }), (text) => void readJson(text, 64)));
  });
});

describe("values travel as they were written", () => {
  test.each([
    { title: "an integer beyond 2^53", raw: "12345678901234567890" },
    { title: "a number beyond every double", raw: "1e400" },
    { title: "a trailing zero", raw: "1.10" },
    { title: "an odd key order", raw: '{"b":1,"2":2,"a":3,"1":4}' },
    { title: "white space inside a value", raw: "[ 1,\n\t2 ]" },
    { title: "escapes", raw: '"\\u0041\\/\\ud83d\\ude00"' },
  ])("$title is not touched", ({ raw }) => {
    const read = readJson(`{ "value" : ${raw} }`, NO_LIMIT);
    expect(read.ok && membersOf(read.value).get("value")?.raw).toBe(raw);
  });

  test("the parts of any value, put together again, are the text byte for byte", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const text = JSON.stringify(value);
        const read = readJson(text, NO_LIMIT);
        expect(read.ok && rebuilt(read.value)).toBe(text);
      }),
    );
  });

  test("keys such as __proto__ are keys like any other", () => {
    const read = readJson('{"__proto__":{"blocked":true},"constructor":1,"toString":2}', NO_LIMIT);
    expect(read.ok && [...membersOf(read.value).keys()]).toEqual(["__proto__", "constructor", "toString"]);
  });
});

describe("what other readers let pass", () => {
  test.each(['{"a":1,"a":1}', '{"a":1,"\\u0061":2}', '{"x":{"b":1,"b":2}}', '[{"é":1,"\\u00e9":2}]', '{"":1,"":1}'])(
    "a key that occurs twice is refused, compared after decoding: %s",
    (text) => expect(faultIn(text)?.kind).toBe("duplicate-key"),
  );

  test.each([
    { text: "[[[1]]]", depth: 3, isRead: true },
    { text: "[[[1]]]", depth: 2, isRead: false },
    { text: '{"a":[{"b":1}]}', depth: 3, isRead: true },
    { text: '{"a":[{"b":1}]}', depth: 2, isRead: false },
    { text: '"flat"', depth: 0, isRead: true },
  ])("$text with at most $depth levels: read = $isRead", ({ text, depth, isRead }) => {
    expect(faultIn(text, depth)?.kind ?? null).toBe(isRead ? null : "too-deep");
  });

  test("a text nested 50,000 deep is refused, closed or not, and nothing breaks", () => {
    const [open, close] = ["[".repeat(50_000), "]".repeat(50_000)];
    expect(faultIn(open + close, 64)?.kind).toBe("too-deep");
    expect(faultIn(open, 512)?.kind).toBe("too-deep");
    expect(faultIn('{"a":'.repeat(50_000), 512)?.kind).toBe("too-deep");
  });

  test("a text nested as deep as the limit is read, and so is each part of it", () => {
    const text = '{"a":['.repeat(JSON_DEPTH / 2) + "]}".repeat(JSON_DEPTH / 2);
    const read = readJson(text, JSON_DEPTH);
    expect(read.ok && membersOf(read.value).get("a")?.raw).toBe(text.slice(5, -1));
    expect(faultIn(`[${text}]`, JSON_DEPTH)?.kind).toBe("too-deep");
  });

  test("a string of 5 MB is read in one go", () => {
    const text = `${"a".repeat(4_999_990)}\\"\n`;
    const read = readJson(JSON.stringify({ text }), 64);
    expect(read.ok && stringOf(membersOf(read.value).get("text") ?? { kind: "string", raw: '""' }) === text).toBe(true);
  });
});

test.each([
  { text: "x", line: 1 },
  { text: '{\n  "a": 1,\n  b: 2\n}', line: 3 },
  { text: "{}\r\n\r\nx", line: 3 },
  { text: '{"a":1,\n"a":2}', line: 2 },
  { text: "[\n[\n[", line: 3 },
])("a fault names its line as an editor counts: $line in %j", ({ text, line }) => {
  expect(faultIn(text, 2)?.line).toBe(line);
});

function faultIn(text: string, maxDepth = NO_LIMIT): JsonFault | null {
  const read = readJson(text, maxDepth);
  return read.ok ? null : read.error;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function meaningOf(span: JsonSpan): unknown {
  if (span.kind === "array") return itemsOf(span).map(meaningOf);
  if (span.kind === "object") {
    return Object.fromEntries([...membersOf(span)].map(([key, value]) => [key, meaningOf(value)]));
  }
  return span.kind === "string" ? stringOf(span) : JSON.parse(span.raw);
}

/** What each reader of a span gets. */
function partsOf(span: JsonSpan): unknown {
  const { kind, raw } = span;
  const members = [...membersOf(span)].map(([key, value]) => [key, partsOf(value)]);
  return [kind, raw, members, itemsOf(span).map(partsOf), startOfRaw(span, 3)];
}

function rebuilt(span: JsonSpan): string {
  if (span.kind === "array") return `[${itemsOf(span).map(rebuilt).join(",")}]`;
  if (span.kind !== "object") return span.raw;
  return `{${[...membersOf(span)].map(([key, value]) => `${JSON.stringify(key)}:${rebuilt(value)}`).join(",")}}`;
}

describe("of a key that occurs twice the last value counts, where that is how others read it", () => {
  test.each([
    ['{"a":1,"a":2}', '{"a":2}'],
    ['{"a":1,"b":0,"\\u0061":2}', '{"b":0,"\\u0061":2}'],
    ['{"a":{"x":1,"x":2},"b":{"x":1, "x":3}, "a":{"y":1,"y":2,"y":3}}', '{"b":{"x":3}, "a":{"y":3}}'],
    ['[{"a":1,"a":1,"a":1}, {"a":1}]', '[{"a":1}, {"a":1}]'],
    ['{"a":1.10}', '{"a":1.10}'],
  ])("%s is %s", (text, meant) => {
    const read = readJsonLenient(text);
    expect(read.ok && read.value.raw).toBe(meant);
  });

  test("as JSON.parse reads it, whatever occurs twice at whatever depth", () => {
    const key = fc.constantFrom("a", "b", "\\u0061");
    const { object } = fc.letrec<{ value: string; object: string }>((tie) => ({
      value: fc.oneof({ maxDepth: 4 }, fc.constantFrom("1", '"x"', "[]"), tie("object")),
      object: fc
        .array(fc.tuple(key, tie("value")), { maxLength: 5 })
        .map((members) => `{${members.map(([name, value]) => `"${name}":${value}`).join(", ")}}`),
    }));
    fc.assert(
      fc.property(object, (text) => {
        const read = readJsonLenient(text);
        expect(read.ok && meaningOf(read.value)).toEqual(JSON.parse(text));
        expect(faultIn(read.ok ? read.value.raw : "")).toBe(null);
      }),
      propertyRuns(1000),
    );
  });

  test("what is no JSON stays none", () => expect(readJsonLenient('{"a":1,"a":}').ok).toBe(false));
});

describe("an object is read as far as it can be", () => {
  test.each<[text: string, keys: readonly string[], fault: string | null]>([
    ['{"a":1,"b":2} rest', ["a", "b"], null],
    ['{"a":1,"a":2}', ["a", "a"], null],
    ['{"a":1,"b":NaN,"c":3}', ["a"], "syntax"],
    ['{"a":1,"b":"line\nbreak"}', ["a"], "syntax"],
    ['{"a":{"b":1', [], "syntax"],
    ['{"a":true', ["a"], "syntax"],
    [`{"a":${"[".repeat(500_000)}${"]".repeat(500_000)},"b":1}`, ["a", "b"], null],
  ])("%.40s", (text, keys, fault) => {
    const part = readObjectAt(text, 0);
    expect([part.members.map(([key]) => key), part.fault?.kind ?? null]).toEqual([keys, fault]);
  });
});
