import { describe, expect, test } from "vitest";
import type { DeclaredEntry } from "../../src/contract/entry.ts";
import { wordsOf } from "../../src/contract/entry-text.ts";

const entry = (value: string | readonly string[]): DeclaredEntry => {
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
