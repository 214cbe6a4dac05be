import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { errorText, readCall } from "../../serve/json-rpc.ts";
import { createLineReader } from "../../serve/line-reader.ts";

const bytes = (text: string): Uint8Array => Buffer.from(text);

/** What a reader makes of a stream that comes in these chunks. */
function linesOf(chunks: readonly Uint8Array[], limit: number): readonly string[] {
  const reader = createLineReader(limit);
  const found: string[] = [];
  const take = (line: ReturnType<typeof reader.next>): void => {
    if (line !== null) found.push(line.kind === "line" ? Buffer.from(line.bytes).toString("latin1") : "too long");
  };
  for (const chunk of chunks) {
    reader.push(chunk);
    for (let line = reader.next(); line !== null; line = reader.next()) take(line);
  }
  take(reader.end());
  return found;
}

describe("lines", () => {
  test("are the same however the stream is cut", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: fc.constantFrom("a", "é", " ", "\r"), maxLength: 12 }), { maxLength: 8 }),
        fc.array(fc.nat(60), { maxLength: 12 }),
        fc.boolean(),
        (texts, cuts, isEnded) => {
          const stream = Buffer.from(texts.map((text) => `${text}\n`).join("") + (isEnded ? "" : "rest"));
          const places = [0, ...cuts.map((at) => Math.min(at, stream.length)).sort((a, b) => a - b), stream.length];
          const chunks = places.slice(1).map((to, index) => stream.subarray(places[index], to));
          const expected = [...texts, ...(isEnded ? [] : ["rest"])].map((text) =>
            Buffer.byteLength(text) > 8 ? "too long" : Buffer.from(text).toString("latin1"),
          );
          expect(linesOf(chunks, 8)).toEqual(expected);
        },
      ),
    );
  });

  test("a line byte by byte", () => {
    const stream = Buffer.from(`${"x".repeat(300)}\ny\n`);
    expect(
      linesOf(
        [...stream].map((byte) => Buffer.from([byte])),
        300,
      ),
    ).toEqual(["x".repeat(300), "y"]);
    expect(
      linesOf(
        [...stream].map((byte) => Buffer.from([byte])),
        299,
      ),
    ).toEqual(["too long", "y"]);
  });
});

/** What one line asks for, in a few words. */
function told(line: string): string {
  const call = readCall(bytes(line));
  if (call === null) return "nothing";
  const texts = call.requests.map((one) =>
    one.ok
      ? `${one.value.id ?? "notification"} ${one.value.method}`
      : `${one.error.id ?? "null"} ${one.error.code} ${one.error.problem.code}`,
  );
  return call.isBatch ? `[${texts.join(", ")}]` : texts.join();
}

test.each([
  ['{"jsonrpc":"2.0","id":1,"method":"run"}', "1 run"],
  ['{"jsonrpc":"2.0","id":1,"method":"run"}\r', "1 run"],
  ['{"jsonrpc":"2.0","id":-12345678901234567890,"method":"run"}', "-12345678901234567890 run"],
  ['{"jsonrpc":"2.0","id":"\\ud800","method":"run"}', '"\\ud800" run'],
  ['{"jsonrpc":"2.0","id":null,"method":"run"}', "null run"],
  ['{"jsonrpc":"2.0","method":"run","params":{}}', "notification run"],
  ["", "nothing"],
  [" \r", "nothing"],
  ["nothing", "null -32700 PAYLOAD_NOT_JSON"],
  ['{"jsonrpc":"2.0","id":1,"method":"run"} {}', "null -32700 PAYLOAD_NOT_JSON"],
  ['{"jsonrpc":"2.0","id":1,"method":"run","params":{"a":1,"a":2}}', "1 -32700 PAYLOAD_NOT_JSON"],
  ['{"jsonrpc":"2.0","id":1,"id":2,"method":"run"}', "null -32700 PAYLOAD_NOT_JSON"],
  ['{"jsonrpc":"1.0","id":1,"method":"run"}', "1 -32600 USAGE_BAD_REQUEST"],
  ['{"id":1,"method":"run"}', "1 -32600 USAGE_BAD_REQUEST"],
  ['{"jsonrpc":"2.0","id":1}', "1 -32600 USAGE_BAD_REQUEST"],
  ['{"jsonrpc":"2.0","id":{},"method":"run"}', "null -32600 USAGE_BAD_REQUEST"],
  ['{"jsonrpc":"2.0","id":true,"method":"run"}', "null -32600 USAGE_BAD_REQUEST"],
  ['{"jsonrpc":"2.0","id":1.0,"method":"run"}', "null -32600 USAGE_BAD_REQUEST"],
  ['{"jsonrpc":"2.0","id":1e0,"method":"run"}', "null -32600 USAGE_BAD_REQUEST"],
  ['{"jsonrpc":"2.0","id":-0,"method":"run"}', "null -32600 USAGE_BAD_REQUEST"],
  ['{"jsonrpc":"2.0","id":[1],"method":"run"}', "null -32600 USAGE_BAD_REQUEST"],
  ['{"jsonrpc":"2.0","id":1,"method":"run","params":[]}', "1 -32602 USAGE_BAD_REQUEST"],
  ['{"jsonrpc":"2.0","id":1,"method":"run","parms":{}}', "1 -32600 USAGE_BAD_REQUEST"],
  ["[]", "null -32600 USAGE_BAD_REQUEST"],
  ["[1]", "[null -32600 USAGE_BAD_REQUEST]"],
  ['[{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","id":2,"method":"b"}]', "[notification a, 2 b]"],
  [`[${Array(1001).fill("1").join()}]`, "null -32600 USAGE_BAD_REQUEST"],
])("%s", (line, expected) => {
  expect(told(line)).toBe(expected);
});

test("bytes that are not UTF-8 are no request", () => {
  const call = readCall(Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]));
  expect(call?.requests[0]).toMatchObject({ ok: false, error: { problem: { code: "PAYLOAD_NOT_UTF8" } } });
});

test("any line gets one answer that is one line", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.json()), (line) => {
      for (const one of readCall(bytes(line))?.requests ?? []) {
        if (one.ok) continue;
        const text = errorText(one.error);
        expect(text).not.toContain("\n");
        expect(JSON.parse(text)).toMatchObject({ jsonrpc: "2.0", error: { code: one.error.code } });
      }
    }),
  );
});
