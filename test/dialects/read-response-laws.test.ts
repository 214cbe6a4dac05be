import fc from "fast-check";
import { expect, test } from "vitest";
import { RESPONSE_KEYS } from "../../src/dialects/dialects.ts";
import { readResponse } from "../../src/dialects/response/read-response.ts";
import { EVENT_NAMES } from "../../src/protocol/event.ts";
import { DECISIONS, type Decision, strictestDecision } from "../../src/protocol/hook-response.ts";
import { propertyRuns } from "../support/property-runs.ts";

/** Every way to decide something, with what it means alone. */
const DECIDING: readonly (readonly [members: Readonly<Record<string, unknown>>, meaning: Decision])[] = [
  [{ blocked: true }, "block"],
  [{ blocked: false }, "none"],
  [{ decision: "deny" }, "block"],
  [{ decision: "block" }, "block"],
  [{ decision: "ask" }, "ask"],
  [{ decision: "allow" }, "allow"],
  [{ decision: "approve" }, "allow"],
  [{ action: "block" }, "block"],
  [{ action: "reject", reason: "no" }, "block"],
  [{ action: "passThrough" }, "none"],
  [{ action: "continue" }, "none"],
  [{ Reject: "no" }, "block"],
  [{ Continue: {} }, "none"],
  [{ Continue: false }, "block"],
  [{ continue: false }, "block"],
  [{ continue: true }, "none"],
  [{ permissionDecision: "deny" }, "block"],
  [{ permissionDecision: "ask" }, "ask"],
  [{ permissionDecision: "allow" }, "allow"],
  [{ hookSpecificOutput: { permissionDecision: "deny" } }, "block"],
  [{ hookSpecificOutput: { permissionDecision: "ask" } }, "ask"],
  [{ hookSpecificOutput: { permissionDecision: "allow" } }, "allow"],
  [{ hookSpecificOutput: { decision: { behavior: "deny" } } }, "block"],
  [{ hookSpecificOutput: { decision: { behavior: "allow" } } }, "allow"],
];

test("the most restrictive meaning wins over every pair of deciding keys, in either order", () => {
  for (const [one, meaning] of DECIDING) {
    for (const [other, otherMeaning] of DECIDING) {
      if (Object.keys(one).some((key) => key in other)) continue;
      expect([{ ...one, ...other }, decisionOf({ ...one, ...other })]).toEqual([
        { ...one, ...other },
        strictestDecision([meaning, otherMeaning]),
      ]);
    }
  }
});

test("the most restrictive meaning wins inside Claude's own object", () => {
  const words = { allow: "allow", ask: "ask", deny: "block" } as const;
  for (const permissionDecision of ["allow", "ask", "deny"] as const) {
    for (const behavior of ["allow", "ask", "deny"] as const) {
      const wanted = strictestDecision([words[permissionDecision], words[behavior]]);
      expect(decisionOf({ hookSpecificOutput: { permissionDecision, decision: { behavior } } })).toBe(wanted);
      expect(decisionOf({ hookSpecificOutput: { decision: { behavior }, permissionDecision } })).toBe(wanted);
    }
  }
});

test("a block stays a block whatever harmless keys stand around it", () => {
  const harmless = fc.dictionary(
    fc.constantFrom(
      "input",
      "reason",
      "metadata",
      "additional_context",
      "system_message",
      "priority",
      "zebra",
      "__proto__",
    ),
    fc.constant(null),
  );
  const blocking = fc.constantFrom(
    ...DECIDING.filter(([, meaning]) => meaning === "block").map(([members]) => members),
  );
  fc.assert(
    fc.property(
      blocking,
      harmless,
      fc.boolean(),
      fc.constantFrom(...EVENT_NAMES),
      (members, around, isFirst, event) => {
        const object = isFirst ? { ...members, ...around, ...members } : { ...around, ...members };
        expect(decisionOf(object, event)).toBe("block");
      },
    ),
  );
});

test("no bytes from a hook make the reader throw", () => {
  const event = fc.constantFrom(...EVENT_NAMES);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), event, (bytes, name) => {
      const reply = readResponse({ name: "h", path: "/h" }, name, bytes);
      if (!reply.ok) expect(reply.error.code).toMatch(/^REPLY_/);
    }),
  );
});

test("no object of known keys and any values makes the reader throw, and what it reads is whole", () => {
  const key = fc.constantFrom(...RESPONSE_KEYS.map((row) => row.key), "__proto__", "constructor", "BLOCKED", "x");
  const word = fc.constantFrom("deny", "ask", "allow", "block", "reject", "modify", "overwrite", "Continue");
  const value = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.boolean(), word, fc.array(fc.string()));
  const pairs = fc.array(fc.tuple(key, value), { maxLength: 5 });
  fc.assert(
    fc.property(pairs, fc.constantFrom(...EVENT_NAMES), (members, event) => {
      const text = `{${members.map(([name, item]) => `${JSON.stringify(name)}:${JSON.stringify(item)}`).join(",")}}`;
      const reply = readResponse({ name: "h", path: "/h" }, event, Buffer.from(text));
      if (!reply.ok) {
        expect(reply.error).toMatchObject({ hook: "h", path: "/h" });
        return;
      }
      expect(DECISIONS).toContain(reply.value?.decision);
      if (reply.value?.change != null) expect(() => JSON.parse(reply.value?.change ?? "")).not.toThrow();
      expect(reply.value?.followUps).not.toContain("");
    }),
    propertyRuns(3000),
  );
});

function decisionOf(
  members: Readonly<Record<string, unknown>>,
  event = EVENT_NAMES[0] ?? "session_start",
): Decision | string {
  const reply = readResponse({ name: "h", path: "/h" }, event, Buffer.from(JSON.stringify(members)));
  return reply.ok ? (reply.value?.decision ?? "silent") : reply.error.code;
}

test("a megabyte of objects that break off takes no more than linear time", { tags: "slow", timeout: 120_000 }, () => {
  for (const line of ["{\n", '{"a":x\n', '{"a":"\n', '{"blocked":false}\n']) {
    const bytes = Buffer.from(`${line.repeat(2 ** 20 / line.length / 4)}{"blocked":true}`);
    const reply = readResponse({ name: "h", path: "/h" }, "before_tool_call", bytes);
    expect(reply).toMatchObject({ ok: true, value: { decision: "block" } });
  }
});
