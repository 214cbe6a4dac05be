import fc from "fast-check";
import { expect, test } from "vitest";
import { RESPONSE_KEYS } from "../../src/dialects/dialects.ts";
import { readResponse } from "../../src/dialects/response/read-response.ts";
import { EVENT_NAMES } from "../../src/protocol/event.ts";
import { propertyRuns } from "../support/property-runs.ts";
import { blocksInReference } from "./reference-reader.ts";

type Member = readonly [key: string, text: string];
const json = (value: unknown): string => JSON.stringify(value);

/** A block in each dialect, member by member. */
const BLOCKS: readonly (readonly Member[])[] = [
  [["blocked", "true"]],
  [
    ["blocked", "true"],
    ["reason", json("policy")],
  ],
  [["decision", json("deny")]],
  [["decision", json("block")]],
  [
    ["action", json("block")],
    ["reason", json("policy")],
  ],
  [["action", json("reject")]],
  [["Reject", json("policy")]],
  [["continue", "false"]],
  [["permissionDecision", json("deny")]],
  [["hookSpecificOutput", json({ hookEventName: "PreToolUse", permissionDecision: "deny" })]],
  [["hookSpecificOutput", json({ decision: { behavior: "deny", message: "policy" } })]],
];

const NESTED = [
  ...["permissionDecision", "permissionDecisionReason", "additionalContext", "updatedInput", "updatedToolOutput"],
  ...["behavior", "message", "interrupt", "permissions"],
];
const FOREIGN = [
  "ok",
  "status",
  "verdict",
  "state",
  "score",
  "__proto__",
  "constructor",
  "toString",
  "",
  "\ud800",
  "ü",
];

const known = fc.constantFrom(...RESPONSE_KEYS.map(({ key }) => key), ...NESTED);
const oddCase = known.map((key) => key.replace(/./g, (sign, at) => (at % 2 ? sign.toUpperCase() : sign.toLowerCase())));
const affixed = fc
  .tuple(fc.constantFrom("", "is_", "x-", "_"), known, fc.constantFrom("", "s", "_by", "Reason", "2"))
  .map((parts) => parts.join(""));
const key = fc.oneof(known, oddCase, affixed, fc.constantFrom(...FOREIGN), fc.string({ maxLength: 8 }));

const word = fc.constantFrom(
  "deny",
  "ask",
  "allow",
  "Block",
  "yes",
  "none",
  "modify",
  "transform",
  "replace",
  "",
  "false",
);
const scalar = fc.oneof(word, fc.boolean(), fc.integer(), fc.double({ noNaN: true }), fc.constant(null));
const value = fc.oneof(
  scalar.map(json),
  fc.constantFrom("1e400", "-0", "12345678901234567890", '{"a":1,"a":2}', "[".repeat(3000) + "]".repeat(3000)),
  fc.array(scalar, { maxLength: 3 }).map(json),
  fc.dictionary(key, fc.oneof(scalar, fc.dictionary(key, scalar, { maxKeys: 2 })), { maxKeys: 3 }).map(json),
);

const written = (members: readonly Member[]): string =>
  `{${members.map(([name, text]) => `${json(name)}:${text}`).join(",")}}`;

test("a valid block is a block, whatever one to three keys stand beside it, wherever, and however odd", () => {
  const foreign = fc.array(fc.tuple(key, value, fc.nat(5)), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(fc.constantFrom(...BLOCKS), foreign, fc.constantFrom(...EVENT_NAMES), (block, others, event) => {
      const members = others.reduce(
        (all, [name, text, at]) => all.toSpliced(at % (all.length + 1), 0, [name, text]),
        block,
      );
      const reply = readResponse({ name: "guard", path: "/guard" }, event, Buffer.from(written(members)));
      expect({ text: written(members), decision: reply.ok ? reply.value?.decision : reply.error.code }).toEqual({
        text: written(members),
        decision: "block",
      });
    }),
    propertyRuns(3000),
  );
});

test("what a plain reader takes for a block is one here, whatever the response is made of", () => {
  const parts = fc.constantFrom(...BLOCKS.flat());
  const member = fc.oneof(fc.tuple(key, value), parts);
  const seen = { blocks: 0, others: 0 };
  fc.assert(
    fc.property(fc.array(member, { maxLength: 5 }), (members) => {
      const text = written(members);
      const isDue = blocksInReference(text);
      seen[isDue ? "blocks" : "others"]++;
      if (!isDue) return;
      const reply = readResponse({ name: "guard", path: "/guard" }, "before_tool_call", Buffer.from(text));
      expect(reply).toMatchObject({ ok: true, value: { decision: "block" } });
    }),
    propertyRuns(3000),
  );
  const runs = seen.blocks + seen.others;
  expect(Math.min(seen.blocks, seen.others)).toBeGreaterThan(runs / 10);
});

/** A character or two in a text lost, added or replaced. */
const damage = fc.record({
  at: fc.nat(),
  lost: fc.nat(2),
  added: fc.constantFrom("", "", '"', ",", ":", "{", "}", "]", "\\", " ", "\0", "\ufeff", "\u00a0", "é"),
});

test("what a plain reader still takes for a block is one here where the response is damaged", () => {
  const member = fc.oneof(fc.tuple(key, value), fc.constantFrom(...BLOCKS.flat()));
  let blocks = 0;
  fc.assert(
    fc.property(fc.array(member, { minLength: 1, maxLength: 4 }), damage, (members, { at, lost, added }) => {
      const whole = written(members);
      const place = at % (whole.length + 1);
      const text = whole.slice(0, place) + added + whole.slice(place + lost);
      const reply = readResponse({ name: "guard", path: "/guard" }, "before_tool_call", Buffer.from(text));
      if (!isJson(text) || !blocksInReference(text)) return;
      blocks += 1;
      expect({ text, reply }).toMatchObject({ reply: { ok: true, value: { decision: "block" } } });
    }),
    propertyRuns(20_000),
  );
  expect(blocks).toBeGreaterThan(0);
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
