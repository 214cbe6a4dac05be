import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AGENT_NAMES } from "../../../src/protocol/agent-names.ts";
import { type JsonSpan, membersOf, objectOf, spanOfRaw } from "../../../src/protocol/json/read.ts";
import { restoredInput } from "../../../src/protocol/tools/restore.ts";
import type { ToolRow } from "../../../src/protocol/tools/tool-table.ts";
import { portableCall } from "../../../src/protocol/tools/translate.ts";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import type { Agent } from "../agent.ts";
import { AGENTS } from "../agents.ts";
import { grok } from "../grok/grok.ts";
import { translatedCall } from "../native-payload.ts";

type Captured = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

const CAPTURED = ["claude", "codex", "copilot", "gemini", "qwen", "opencode", "pi", "droid", "grok"] as const;
const agentOf = (name: (typeof CAPTURED)[number]): Agent => (name === "grok" ? grok : AGENTS[name]);

const capturedOf = (name: string): Captured =>
  JSON.parse(readFileSync(new URL(`../${name}/samples.json`, import.meta.url), "utf8")).captured;

/** Every tool call that an agent has sent. */
const calls = CAPTURED.flatMap((name) =>
  Object.entries(capturedOf(name)).flatMap(([event, variants]) =>
    Object.entries(variants).flatMap(([variant, payload]) => {
      const native = membersOf(spanOfRaw(JSON.stringify(payload)));
      const raised = agentOf(name).events[event]?.raises[0];
      const call = raised === undefined ? null : translatedCall(agentOf(name), raised, native);
      return call === null ? [] : [{ title: `${name} ${event} ${variant}`, name, call }];
    }),
  ),
);

test("each agent has captured calls", () => {
  expect(new Set(calls.map(({ name }) => name))).toEqual(new Set(CAPTURED));
});

test.each(calls)("$title: unchanged arguments go back as they came, and a changed one alone is changed", ({ call }) => {
  const { native, portable } = call;
  const translated = { row: portable.row, native, portable: portable.input };
  expect(portable.ambiguous).toBeNull();
  expect(portable.isMisshapen).toBe(false);
  expect(restoredInput(translated, portable.input)?.raw).toBe(native.raw);
  if (portable.input.kind !== "object") return;
  for (const [key, span] of membersOf(portable.input)) {
    if (span.kind !== "string" && span.kind !== "number") continue;
    const value: JsonSpan = span.kind === "string" ? spanOfRaw('"changed"') : spanOfRaw("7");
    const changed = objectOf(new Map([...membersOf(portable.input), [key, value]]));
    const restored = restoredInput(translated, changed);
    expect(restored).not.toBeNull();
    expect(changedMembers(native, restored ?? native)).toHaveLength(span.raw === value.raw ? 0 : 1);
  }
});

/** The members of the agent's arguments that differ. */
function changedMembers(before: JsonSpan, after: JsonSpan): readonly string[] {
  if (before.kind !== "object") return before.raw === after.raw ? [] : ["the whole"];
  const [old, now] = [membersOf(before), membersOf(after)];
  const keys = [...new Set([...old.keys(), ...now.keys()])];
  return keys.filter((key) => old.get(key)?.raw !== now.get(key)?.raw);
}

const words = fc.constantFrom("a", "", "é", "ls -la", '"', "\u2028", "x y");
const value = fc.oneof(
  words,
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
);
const edit = (names: readonly string[]) => fc.dictionary(fc.constantFrom(...names, "other"), value, { maxKeys: 4 });

/** Arguments of a tool: those that its row names, portable names, and others. */
function argumentsFor(row: ToolRow) {
  const names = [
    ...Object.keys(row.names ?? {}),
    ...Object.keys(row.conversions ?? {}),
    "command",
    "file_path",
    "other",
  ];
  const list = row.edits?.list;
  const members = fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 6 });
  const edits = fc.option(fc.array(edit(Object.keys(row.edits?.names ?? {})), { maxLength: 3 }), { nil: undefined });
  return fc.tuple(members, edits).map(([own, items]) => ({
    ...own,
    ...row.when,
    ...(list === undefined || items === undefined ? {} : { [list]: items }),
  }));
}

describe.each(AGENT_NAMES)("%s", (name) => {
  const { table, mcp } = AGENTS[name].tools;
  const rows = Object.entries(table).flatMap(([tool, row]) => [row].flat().map((one) => ({ tool, row: one })));
  const generated = fc
    .constantFrom(...rows)
    .chain(({ tool, row }) => argumentsFor(row).map((input) => ({ tool, input: spanOfRaw(JSON.stringify(input)) })));

  test("what no hook changes goes back byte for byte", () => {
    fc.assert(
      fc.property(generated, ({ tool, input }) => {
        const call = portableCall({ table, mcp }, { name: tool, input, mcp: null });
        expect(restoredInput({ row: call.row, native: input, portable: call.input }, call.input)?.raw).toBe(input.raw);
      }),
      propertyRuns(10_000),
    );
  });

  test("what a hook wrote is what a hook would see of the call that the agent then makes", () => {
    fc.assert(
      fc.property(
        generated,
        fc.dictionary(fc.constantFrom("command", "file_path", "text", "new_text"), words),
        (one, changes) => {
          const call = portableCall({ table, mcp }, { name: one.tool, input: one.input, mcp: null });
          fc.pre(call.ambiguous === null && call.row?.tool != null);
          const changed = objectOf(
            new Map([...membersOf(call.input), ...[...membersOf(spanOfRaw(JSON.stringify(changes)))]]),
          );
          const native = restoredInput({ row: call.row, native: one.input, portable: call.input }, changed);
          if (native === null) return;
          const again = portableCall({ table, mcp }, { name: one.tool, input: native, mcp: null });
          expect(again.ambiguous).toBeNull();
          expect(JSON.parse(again.input.raw)).toEqual(JSON.parse(changed.raw));
        },
      ),
      propertyRuns(10_000),
    );
  });
});
