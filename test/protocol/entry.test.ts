import { describe, expect, test } from "vitest";
import { type EntryAction, entryCommand, type ResolvedEntry, schemeRow } from "../../src/protocol/entry.ts";

describe("a scheme and its value belong together", () => {
  const command = ["make", "check"];
  /** One of each: a new scheme does not compile until it stands here. */
  const sayings: Readonly<Record<EntryAction["scheme"], EntryAction>> = {
    command: { scheme: "command", value: command },
    shell_exec: { scheme: "shell_exec", value: command },
    shell_push: { scheme: "shell_push", value: command },
    block: { scheme: "block", value: "no" },
    ask: { scheme: "ask", value: "sure?" },
    inject: { scheme: "inject", value: "see docs" },
    tool: { scheme: "tool", value: "memory.load" },
    template_push: { scheme: "template_push", value: { message: "m" } },
  };

  test.each(Object.values(sayings))("$scheme names a command exactly where its row says so", (saying) => {
    expect(entryCommand(saying)).toEqual(schemeRow(saying.scheme).value === "command" ? command : null);
  });

  test("one with the value of another does not compile", () => {
    // @ts-expect-error: a rule is a text
    const rule: EntryAction = { scheme: "block", value: ["no"] };
    // @ts-expect-error: templates stand under their own scheme
    const push: EntryAction = { scheme: "command", value: { message: "m" } };
    // @ts-expect-error: a tool that is asked has its server
    const tool: ResolvedEntry = { name: "a", event: "agent_stop", on: "Stop", scheme: "tool", value: "a.b", files: [] };
    expect([rule, push, tool]).toHaveLength(3);
  });
});
