import { describe, expect, test } from "vitest";
import { type EntrySaying, schemeRow, type TiedEntry } from "../../src/contract/entry.ts";
import { commandOf, wordsOf } from "../../src/contract/entry-text.ts";

const entry = (value: string | readonly string[]): TiedEntry => {
  return { name: "a", event: "agent_stop", on: "Stop", scheme: "command", value, files: [] };
};

describe("the words of a command", () => {
  const rows: readonly (readonly [command: string | readonly string[], words: readonly string[]])[] = [
    ["python3 hooks/pre.py --all", ["python3", "hooks/pre.py"]],
    ["sh 'a.sh'; ./b.sh|c.sh", ["sh", "a.sh", "./b.sh", "c.sh"]],
    ["cat < in.txt", ["cat", "in.txt"]],
    [
      ["sh", "a.sh", "> b"],
      ["sh", "a.sh", "> b"],
    ],
  ];
  test.each(rows)("%j are %j", (command, words) => {
    expect(wordsOf(entry(command))).toEqual(words);
  });

  test.each([
    ["date >> sessions.log", ["date"]],
    ["date >sessions.log 2>>logs/err.log; sh a.sh", ["date", "sh", "a.sh"]],
    ["sh a.sh &> all.log", ["sh", "a.sh"]],
    ["sh a.sh >| all.log", ["sh", "a.sh"]],
    ["sh a.sh > a.sh", ["sh", "a.sh"]],
    [": > a.sh; sh a.sh", [":", "sh", "a.sh"]],
  ])("%j: where its output goes is none of them", (command, words) => {
    expect(wordsOf(entry(command))).toEqual(words);
  });

  test.each([
    "echo '>' a.sh",
    'echo ">" a.sh',
    "echo \\> a.sh",
    "x=>a.sh",
    "> 'a.sh'",
    "sh >&2 a.sh",
    "cat <(sh a.sh)",
  ])("%j: what only looks like that is one", (command) => {
    expect(wordsOf(entry(command))).toContain("a.sh");
  });
});

describe("a scheme and its value belong together", () => {
  const command = ["make", "check"];
  /** One of each: a new scheme does not compile until it stands here. */
  const sayings: Readonly<Record<EntrySaying["scheme"], EntrySaying>> = {
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
    expect(commandOf(saying)).toEqual(schemeRow(saying.scheme).value === "command" ? command : null);
  });

  test("one with the value of another does not compile", () => {
    // @ts-expect-error: a rule is a text
    const rule: EntrySaying = { scheme: "block", value: ["no"] };
    // @ts-expect-error: templates stand under their own scheme
    const push: EntrySaying = { scheme: "command", value: { message: "m" } };
    // @ts-expect-error: a tool that is asked has its server
    const tool: TiedEntry = { name: "a", event: "agent_stop", on: "Stop", scheme: "tool", value: "a.b", files: [] };
    expect([rule, push, tool]).toHaveLength(3);
  });
});
