import fc from "fast-check";
import { expect, test } from "vitest";
import { dialectFields } from "../../../src/dialects/dialects.ts";
import { AGENT_NAMES, type AgentName } from "../../../src/protocol/agent-names.ts";
import { DIALECT_NAMES } from "../../../src/protocol/event.ts";
import { JSON_DEPTH, piecesOf, readJson } from "../../../src/protocol/json/read.ts";
import type { JsonSource } from "../../../src/protocol/json/scan.ts";
import { payloadSpan } from "../../../src/protocol/payload/payload.ts";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { AGENTS } from "../agents.ts";
import { canonicalFields, raisedPayload } from "../native-payload.ts";
import { NATIVE } from "./payloads.ts";

const MOMENT = { isoTime: "2026-01-02T03:04:05.000Z", checkout: () => ({ repository: null, branch: null }) };

/** One way to write a text in JSON: as it is, or with escapes. */
const written = fc
  .tuple(fc.string({ unit: "binary", maxLength: 12 }), fc.constantFrom(0, 1, 2))
  .map(([text, form]) =>
    form === 0
      ? JSON.stringify(text)
      : JSON.stringify(text).replace(/[^\x20-\x7e]|[a-e]/g, (char) =>
          form === 1 || char > "\x7e" ? `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}` : char,
        ),
  );

const space = fc.constantFrom("", "", " ", "\n\t");
/** So long that its bytes are written without a copy. */
const long = fc
  .constantFrom("plain text ", "\\n", "語", "é", "😀", "\\ud83d\\ude00")
  .map((part) => `"${part.repeat(10_000)}"`);
const scalar = fc.oneof(written, fc.constantFrom("1.10", "1e400", "-0", "12345678901234567890", "null", "true"));

const { value } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    scalar,
    fc.tuple(fc.array(tie("value"), { maxLength: 3 }), space).map(([items, gap]) => `[${items.join(`,${gap}`)}]`),
    fc
      .tuple(fc.array(fc.tuple(written, tie("value")), { maxLength: 3 }), space)
      .map(([members, gap]) => `{${gap}${members.map((pair) => pair.join(`:${gap}`)).join(",")}}`),
  ),
}));

const samples = AGENT_NAMES.flatMap((agent) =>
  Object.entries(NATIVE[agent]).map((sample) => [agent, ...sample] as const),
);

/** A payload of an agent in which members have other values, or occur twice. */
const payload = fc
  .tuple(
    fc.constantFrom(...samples),
    fc.array(fc.tuple(fc.nat(30), fc.oneof(value, long), fc.boolean()), { maxLength: 3 }),
    fc.option(written, { freq: 9 }),
  )
  .map(([[agent, event, sample], changes, extra]) => {
    const members = Object.entries(sample).map(([key, own]) => [JSON.stringify(key), JSON.stringify(own)]);
    for (const [at, text, isInside] of changes) {
      const member = members[at % members.length];
      // Within the arguments of a tool, or in place of a member.
      if (member !== undefined)
        member[1] = isInside ? (member[1] ?? "").replace(/"[^"]*"(?=[,}\]])/, () => text) : text;
    }
    if (extra !== null) members.push([extra, extra]);
    return { agent, event, text: ` {${members.map((pair) => pair.join(" : ")).join(",")}}\n` };
  });

/** What a hook of each dialect gets on stdin for each event that the payload raises; a fault of the payload. */
function hookInputs(agent: AgentName, event: string, source: JsonSource): readonly unknown[] {
  const read = readJson(source, JSON_DEPTH);
  if (!read.ok) return [read.error];
  return (AGENTS[agent].events[event]?.raises ?? []).flatMap((raised): readonly unknown[] => {
    const { payload, problems } = raisedPayload(
      raised.event,
      canonicalFields(AGENTS[agent], event, raised, read.value),
      "/",
    );
    if (payload === null) return [problems];
    return DIALECT_NAMES.map((name) => {
      const pieces = piecesOf(payloadSpan(payload, dialectFields(name, payload, MOMENT)));
      return Buffer.concat(pieces.map((piece) => Buffer.from(piece))).toString();
    });
  });
}

test("hooks get the same bytes of a payload that was read as bytes as of its text, and the payload as it was sent", () => {
  fc.assert(
    fc.property(payload, ({ agent, event, text }) => {
      const inputs = hookInputs(agent, event, Buffer.from(text));
      expect(inputs).toEqual(hookInputs(agent, event, text));
      for (const input of inputs) {
        if (typeof input !== "string") continue;
        expect(JSON.parse(input).native.payload).toEqual(JSON.parse(text));
        expect(input).toContain(`"payload":${text.trim()}`);
      }
    }),
    propertyRuns(600),
  );
});
