import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Match } from "../../src/protocol/hook.ts";
import { membersOf, readJson } from "../../src/protocol/json/read.ts";
import {
  certainMismatch,
  firstMismatch,
  globMatches,
  type Mismatch,
  matchableFields,
  matches,
} from "../../src/protocol/match.ts";
import { propertyRuns } from "../support/property-runs.ts";

const PAYLOAD = {
  tool_name: "bash",
  tool_input: {
    command: "sudo rm -rf /",
    deep: { er: "yes" },
    argv: ["rm", "-rf", "/"],
    empty: [],
    edits: [{ path: "a" }, { path: "b/.env" }],
    nested: [["deep"]],
  },
  turn_number: 3,
  is_new: true,
  nothing: null,
};

describe("`match` limits a hook to payloads", () => {
  test.each<{ title: string; match: Match | null; isMet: boolean }>([
    { title: "no match is met by everything", match: null, isMet: true },
    { title: "an empty match is met by everything", match: {}, isMet: true },
    { title: "an exact text", match: { tool_name: "bash" }, isMet: true },
    { title: "another text", match: { tool_name: "Bash" }, isMet: false },
    { title: "one of a list", match: { tool_name: ["mcp_*", "bash"] }, isMet: true },
    { title: "none of a list", match: { tool_name: ["mcp_*", "edit"] }, isMet: false },
    { title: "an empty list is met by nothing", match: { tool_name: [] }, isMet: false },
    { title: "a glob in a nested field", match: { "tool_input.command": "*rm -rf*" }, isMet: true },
    { title: "two levels down", match: { "tool_input.deep.er": "y?s" }, isMet: true },
    { title: "all conditions must be met", match: { tool_name: "bash", "tool_input.command": "ls*" }, isMet: false },
    { title: "a field that is not there meets none", match: { "tool_input.path": "*" }, isMet: false },
    { title: "a path through a text meets none", match: { "tool_name.length": "*" }, isMet: false },
    { title: "a number is compared as it is written", match: { turn_number: "3" }, isMet: true },
    { title: "a boolean is compared as it is written", match: { is_new: "true" }, isMet: true },
    { title: "an object meets none", match: { tool_input: "*" }, isMet: false },
    { title: "a list by one of its items", match: { "tool_input.argv": "-rf" }, isMet: true },
    { title: "a list by its items in one line", match: { "tool_input.argv": "rm -rf *" }, isMet: true },
    { title: "a list by none of them", match: { "tool_input.argv": "mv *" }, isMet: false },
    { title: "an empty list meets none", match: { "tool_input.empty": "*" }, isMet: false },
    { title: "a member of one of the objects in a list", match: { "tool_input.edits.path": "*.env" }, isMet: true },
    { title: "a member that none of them has", match: { "tool_input.edits.name": "*" }, isMet: false },
    { title: "a list in a list is not looked into", match: { "tool_input.nested": "deep" }, isMet: false },
    {
      title: "a field that every object has by birth is not there",
      match: { "tool_input.constructor": "*" },
      isMet: false,
    },
    { title: "nor is it there at the top", match: { toString: "*" }, isMet: false },
  ])("$title", ({ match, isMet }) => {
    const read = readJson(JSON.stringify(PAYLOAD), 64);
    expect(read.ok && matches(match, membersOf(read.value))).toBe(isMet);
  });
});

describe("the first condition that a payload does not meet", () => {
  test.each<{ title: string; match: Match; mismatch: Mismatch | null }>([
    { title: "none", match: { tool_name: "bash" }, mismatch: null },
    {
      title: "one text",
      match: { tool_name: "web" },
      mismatch: { field: "tool_name", wanted: ["web"], found: ["bash"] },
    },
    {
      title: "the second condition",
      match: { tool_name: "bash", "tool_input.command": ["ls*", "cd*"] },
      mismatch: { field: "tool_input.command", wanted: ["ls*", "cd*"], found: ["sudo rm -rf /"] },
    },
    {
      title: "a field that is not there",
      match: { "tool_input.path": "*" },
      mismatch: { field: "tool_input.path", wanted: ["*"], found: [] },
    },
    {
      title: "a list",
      match: { "tool_input.edits.path": "c" },
      mismatch: { field: "tool_input.edits.path", wanted: ["c"], found: ["a", "b/.env"] },
    },
  ])("$title", ({ match, mismatch }) => {
    const read = readJson(JSON.stringify(PAYLOAD), 64);
    expect(read.ok && firstMismatch(match, membersOf(read.value))).toEqual(mismatch);
  });
});

describe("globs", () => {
  test.each([
    ["*", "", true],
    ["", "", true],
    ["", "a", false],
    ["?", "", false],
    ["?", "ab", false],
    ["a*", "a", true],
    ["*.env", "/home/a/.env", true],
    ["a.c", "abc", false],
    ["[ab]", "a", false],
    ["*\n*", "one\ntwo", true],
    ["?", "😀", true],
    ["??", "😀", false],
    ["*?x", "😀x", true],
  ])("%j fits %j: %s", (pattern, text, fits) => expect(globMatches(pattern, text)).toBe(fits));

  test("a glob means what its regular expression means", () => {
    const pattern = fc.array(fc.constantFrom("a", "b", "*", "?", ".", "😀"), { maxLength: 8 });
    const text = fc.array(fc.constantFrom("a", "b", ".", "\n", "*", "😀"), { maxLength: 10 });
    fc.assert(
      fc.property(pattern, text, (some, letters) => {
        expect(globMatches(some.join(""), letters.join(""))).toBe(model(some).test(letters.join("")));
      }),
      propertyRuns(5000),
    );
  });

  test("a glob of many stars over a long text comes to an end", () => {
    expect(globMatches(`${"*a".repeat(100)}b`, "a".repeat(20_000))).toBe(false);
    expect(globMatches("*".repeat(10_000), "a".repeat(10_000))).toBe(true);
  });
});

function model(pattern: readonly string[]): RegExp {
  const parts = pattern.map((char) => (char === "*" ? "[^]*" : char === "?" ? "[^]" : char === "." ? "\\." : char));
  return new RegExp(`^${parts.join("")}$`, "u");
}

describe("a condition on who calls", () => {
  const inside = JSON.stringify({ name: "claude", session: "s1", subagent: { type: "explorer", id: "a1" } });
  const members = (agent: string) => {
    const read = readJson(`{"agent":${agent}}`, 64);
    return read.ok ? membersOf(read.value) : new Map();
  };
  const event = "before_tool_call";

  test.each<[path: string, pattern: string, agent: string, isMet: boolean]>([
    ["agent.name", "claude", inside, true],
    ["agent.name", "codex", inside, false],
    ["agent.subagent.type", "explor*", inside, true],
    ["agent.subagent.type", "*", '{"subagent":null}', false],
    ["agent.subagent.type", "*", '{"subagent":{"type":null,"id":null}}', true],
    ["agent.subagent.id", "a1", inside, true],
  ])("%s: %s at %s: %j", (path, pattern, agent, isMet) => {
    const match = { [path]: pattern };
    expect(matches(match, members(agent))).toBe(isMet);
    expect(certainMismatch(match, members(agent), { event, dialect: "kodelet" }) === null).toBe(isMet);
  });

  test("is not certain for a hook of Base Coat, which gets a text", () =>
    expect(certainMismatch({ agent: "claude" }, members(inside), { event, dialect: "basecoat" })).toBeNull());

  test("the fields are known, and one that is added later is never a certain mismatch", () => {
    expect(matchableFields(event)).toContain("agent");
    expect(matchableFields("after_tool_call")).toContain("requested_input");
    const named = { event: "after_tool_call", dialect: "kodelet" } as const;
    expect(certainMismatch({ "requested_input.command": "rm" }, members(inside), named)).toBeNull();
  });
});
