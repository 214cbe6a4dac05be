import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { describeCall, readTraceParent } from "../../src/audit/log-lines.ts";
import { createRedactor } from "../../src/audit/redact.ts";
import { membersOf, spanOfRaw } from "../../src/protocol/json/read.ts";
import { cpuMs, expectGrowth } from "../support/cpu-time.ts";

const SECRET = `ghp_${"aB3dE6gH9".repeat(4)}`;
const redact = createRedactor({ DEPLOY_TOKEN: "correct horse battery" });

const described = (input: unknown): string | null =>
  describeCall(membersOf(spanOfRaw(JSON.stringify({ tool_name: "any", tool_input: input }))), redact);

const calls: { title: string; input: unknown; expected: string | null }[] = [
  { title: "a command", input: { description: "List", command: "ls -l" }, expected: "ls -l" },
  { title: "a list of arguments", input: { command: ["bash", "-c", "a b"] }, expected: "bash -c 'a b'" },
  { title: "a program and its arguments", input: { command: "git", args: ["push", "-f"] }, expected: "git push -f" },
  { title: "a command that is the whole input", input: "make all", expected: "make all" },
  { title: "a command of an MCP tool", input: { request: { shell_command: "id" } }, expected: "id" },
  { title: "an edit", input: { file_path: "/a b", old_string: "x", content: "y" }, expected: "/a b" },
  { title: "a search", input: { pattern: "TODO", path: "src" }, expected: "TODO src" },
  { title: "a move", input: { source: "a", destination: "b" }, expected: "a b" },
  { title: "a page", input: { url: "https://a.example/", prompt: "Read" }, expected: "https://a.example/" },
  { title: "a task", input: { description: "Find it", prompt: "long" }, expected: "Find it" },
  { title: "several lines", input: { command: "cat <<E\n\n  a\r\n\tb\nE\n" }, expected: "cat <<E a b E" },
  { title: "escapes", input: { command: "a\u001b[2J\u202eb\u0000" }, expected: "a\\u001b[2J\\u202eb\\u0000" },
  { title: "an empty command", input: { command: " ", path: "x" }, expected: "x" },
  { title: "nothing known", input: { todos: [{ content: "a" }] }, expected: null },
  { title: "no object", input: 7, expected: null },
  { title: "a secret of the environment", input: { command: "x correct horse battery" }, expected: "x [redacted]" },
];

test.each(calls)("$title", ({ input, expected }) => {
  expect(described(input)).toBe(expected);
});

test("a call without an input is not described", () => {
  expect(describeCall(new Map(), redact)).toBeNull();
});

describe("a long call", () => {
  test("is cut at 120 characters, and no character is cut in half", () => {
    expect(described({ command: "x".repeat(120) })).toBe("x".repeat(120));
    expect(described({ command: "x".repeat(121) })).toBe(`${"x".repeat(119)}…`);
    expect(described({ command: `${"x".repeat(118)}\u{1f511}yz` })).toBe(`${"x".repeat(118)}…`);
  });

  test.each([0, 90, 100, 110, 115, 119, 120, 5_000])("shows no part of a secret after %i characters", (before) => {
    for (const secret of [SECRET, "correct horse battery"]) {
      const text = described({ command: `${"a ".repeat(before / 2)}${secret} ${"b".repeat(300_000)}` }) ?? "";
      expect(text.length).toBeLessThanOrEqual(120);
      for (let at = 0; at + 6 <= secret.length; at++) expect(text).not.toContain(secret.slice(at, at + 6));
    }
  });

  test("shows no part of a secret where the examined text ends", () => {
    for (const end of [128, 256].map((kib) => kib * 1024)) {
      const command = `${" ".repeat(end - 10)}${SECRET} ${"b".repeat(300_000)}`;
      expect(described({ command }) ?? "").not.toMatch(/ghp_a/);
    }
  });
});

test("any input is described in one line of at most 120 characters without control characters", {
  tags: "slow",
}, () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.json(),
        fc.string({ unit: "binary" }).map((c) => JSON.stringify({ command: c })),
      ),
      (json) => {
        const text = describeCall(new Map([["tool_input", spanOfRaw(json)]]), redact) ?? "";
        expect(text.length).toBeLessThanOrEqual(120);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: none of these may be left.
        expect(text).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e]/);
      },
    ),
  );
});

test("a call with a million members takes time in proportion", { tags: "slow" }, () => {
  const inputOf = (count: number) => ({ items: Array.from({ length: count }, (_, at) => ({ [`k${at}`]: "v" })) });
  const membersFor = (count: number) => membersOf(spanOfRaw(JSON.stringify({ tool_input: inputOf(count) })));
  const members = { small: membersFor(20_000), large: membersFor(200_000) };
  expectGrowth(40, (size) => cpuMs(() => describeCall(members[size], redact)));
});

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN = "00f067aa0ba902b7";
test.each([
  [`00-${TRACE}-${SPAN}-01`, true],
  [`cc-${TRACE}-${SPAN}-01`, true],
  [`cc-${TRACE}-${SPAN}-01-what-comes-later`, true],
  [`00-${TRACE}-${SPAN}-01-x`, false],
  [`ff-${TRACE}-${SPAN}-01`, false],
  [`00-${"0".repeat(32)}-${SPAN}-01`, false],
  [`00-${TRACE}-${"0".repeat(16)}-01`, false],
  [`00-${TRACE.toUpperCase()}-${SPAN}-01`, false],
  [`00-${TRACE}-${SPAN}`, false],
  [`00-${TRACE}-${SPAN}-01\n`, false],
  ["", false],
  [undefined, false],
])("TRACEPARENT=%s", (text, isValid) => {
  expect(readTraceParent(text)).toEqual(isValid ? { trace_id: TRACE, span_id: SPAN } : null);
});
