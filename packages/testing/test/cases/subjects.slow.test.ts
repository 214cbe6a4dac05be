import { describe, expect, test } from "vitest";
import { runInProcess } from "../../../../test/support/in-process.ts";
import { printResponse } from "../../../../test/support/shell.ts";
import { workspace } from "../../../../test/support/workspace.ts";
import { casesOf, failures, runCases } from "./case-run.ts";

const BLOCK = printResponse({ blocked: true, reason: "the hook says no" });

describe("built-in guards", () => {
  const cases = `
cases:
  - { name: a build folder, guard: filesystem, payload: { tool_input: { command: rm -rf build } }, expect: { decision: allow } }
  - { name: the home, guard: filesystem, payload: { tool_input: { command: rm -rf ~ } }, expect: { decision: block, reason: home } }
  - { name: the project, guard: filesystem, payload: { tool_input: { command: rm -rf . } }, expect: { decision: block } }
  - { name: a push, guard: git, payload: { tool_input: { command: git push --force origin main } }, expect: { decision: block } }
  - { name: own files, guard: self-protection, payload: { tool_input: { command: rm ~/.kodelet/hooks/x } }, expect: { decision: block } }
  - { name: another tool, guard: git, payload: { tool_name: read, tool_input: { path: a } }, expect: { decision: allow } }
`;
  test("are judged in the scratch project, also those that are off", async () => {
    await using place = await workspace();
    const result = await runCases(place, cases);
    expect(failures(result)).toEqual({});
    expect(result).toMatchObject({ code: 0, stderr: "", faults: [] });
    expect(result.cases.map(({ hook }) => hook)).toEqual([
      ...["filesystem", "filesystem", "filesystem", "git", "git", "self-protection"],
    ]);
  });

  test("with the settings of the user", async () => {
    await using place = await workspace();
    await place.write("home/.kodelet/hooks.yaml", "guards: { git: { decision: ask } }\n");
    const push = `{ name: a push, guard: git, payload: { tool_input: { command: git push --force origin main } }`;
    const result = await runCases(place, `cases:\n  - ${push}, expect: { decision: ask } }\n`);
    expect(failures(result)).toEqual({});
  });

  test("one alone by its name, and a name without cases is said", async () => {
    await using place = await workspace();
    const result = await runCases(place, cases, { call: "test --json git" });
    expect(result.cases.map(({ name }) => name)).toEqual(["a push", "another tool"]);
    expect(await runInProcess(place, "test cloud")).toMatchObject({
      code: 64,
      stderr: expect.stringContaining("Nothing to test"),
    });
  });

  test("a case that names one as a hook is told so", async () => {
    await using place = await workspace();
    const result = await runCases(place, "hook: git\ncases: [{ name: a, expect: { decision: allow } }]\n");
    expect(result.faults).toMatchObject([
      {
        code: "CASE_UNKNOWN_HOOK",
        line: 2,
        message: expect.stringContaining("there is no hook git. Did you mean guard: git?"),
      },
    ]);
  });
});

describe("rules of the settings", () => {
  const settings = `
hooks:
  before_tool_call:
    - { name: no-publish, match: { tool_input.command: "npm publish*" }, block: do not publish }
`;
  test("a rule is tested as a rule and as a hook; a file is no rule", async () => {
    await using place = await workspace();
    await place.write("home/.kodelet/hooks.yaml", settings);
    await place.hook("guard", ":");
    const result = await runCases(
      place,
      `
cases:
  - { name: one, rule: no-publish, payload: { tool_input: { command: npm publish } }, expect: { decision: block } }
  - { name: two, hook: no-publish, payload: { tool_input: { command: npm test } }, expect: { decision: allow } }
  - { name: three, rule: guard, expect: { decision: allow } }
`,
    );
    expect(failures(result)).toEqual({ three: "guard is not a rule" });
    expect(result.cases.find(({ name }) => name === "two")?.message).toBe(
      "it was not started: its match does not fit this payload",
    );
  });
});

const chainCase = (event: string): string =>
  `chain: true\nevent: ${event}\ncases: [{ name: a, expect: { decision: allow } }]\n`;

describe("all hooks and guards together", () => {
  const cases = `
chain: true
event: before_tool_call
cases:
  - { name: guards come last, payload: { tool_input: { command: git push --force origin main } }, expect: { decision: block, reason: push } }
  - { name: a hook of it, payload: { tool_input: { command: danger } }, expect: { decision: block, reason: the hook says no } }
  - { name: a changed input, payload: { tool_input: { command: rewrite } }, expect: { decision: allow, input: { command: safe } } }
`;
  test("are composed as in a run", async () => {
    await using place = await workspace();
    await place.hook("guard", `case "$(cat)" in *danger*) ${BLOCK} ;; esac`);
    await place.hook("rewrite", `case "$(cat)" in *rewrite*) ${printResponse({ input: { command: "safe" } })} ;; esac`);
    await place.write("home/.kodelet/hooks.yaml", "guards: { git: true }\n");
    const result = await runCases(place, cases);
    expect(failures(result)).toEqual({});
    expect(result).toMatchObject({ code: 0, stderr: "" });
    expect(result.cases.map(({ hook, message }) => [hook, message])).toEqual([
      ["chain", null],
      ["chain", null],
      ["chain", null],
    ]);
  });

  test("a chain without a hook or guard is no result", async () => {
    await using place = await workspace();
    await place.hook("guard", ":");
    const result = await runCases(place, chainCase("agent_stop"));
    expect(failures(result)).toEqual({ a: "no hook or guard handles agent_stop" });
    expect(result.code).toBe(1);
  });

  test("the name of a hook does not run them", async () => {
    await using place = await workspace();
    await place.hook("guard", ":");
    const result = await runCases(place, cases, { call: "test --json guard" });
    expect(result).toMatchObject({ code: 0, cases: [] });
  });

  test("neither does the path of one hook, but that of their folder", async () => {
    await using place = await workspace();
    await place.hook("guard", ":", { scope: "project" });
    const own = { file: "project/.kodelet/tests/cases.yaml" };
    const one = await runCases(place, chainCase("before_tool_call"), {
      ...own,
      call: "test --json ./.kodelet/hooks/guard",
    });
    expect(one).toMatchObject({ code: 0, cases: [] });
    const all = await runCases(place, chainCase("before_tool_call"), { ...own, call: "test --json ./.kodelet/hooks" });
    expect(all).toMatchObject({ code: 0, cases: [{ hook: "chain", passed: true }] });
  });

  test.each([
    [
      "no event",
      "chain: true\ncases: [{ name: a, expect: { decision: allow } }]",
      "cases[0].event is not valid: a chain needs an event",
    ],
    [
      "an exit code",
      "chain: true\nevent: agent_stop\ncases: [{ name: a, expect: { exit_code: 0 } }]",
      "cases[0].expect.exit_code is not valid: it is for one hook, but this is a chain",
    ],
    [
      "a hook beside it",
      "chain: true\nhook: guard\nevent: agent_stop\ncases: [{ name: a, expect: { decision: allow } }]",
      "cases[0] is not valid: it has hook and chain; only one of them is allowed",
    ],
    [
      "nothing",
      "cases: [{ name: a, expect: { decision: allow } }]",
      "cases[0] is not valid: it names no hook, rule, guard or chain",
    ],
  ])("%s is a fault", async (_title, text, message) => {
    await using place = await workspace();
    await place.hook("guard", ":");
    const result = await runCases(place, text);
    expect(result.faults.map((fault) => fault.message)).toEqual([expect.stringContaining(message)]);
    expect(result.code).toBe(1);
  });
});

test("a case names a hook without its extension, as the command line does", async () => {
  await using place = await workspace();
  await place.hook("guard.sh", BLOCK);
  const result = await runCases(place, "hook: guard\ncases: [{ name: a, expect: { decision: block } }]\n");
  expect(result).toMatchObject({ code: 0, faults: [], cases: [{ hook: "guard.sh", passed: true }] });
});

test("a case has a subject of its own in place of the file's", async () => {
  await using place = await workspace();
  await place.hook("guard", BLOCK);
  await place.hook("other", ":");
  const result = await runCases(
    place,
    "hook: guard\ncases:\n  - { name: a, expect: { decision: block } }\n  - { name: b, hook: other, expect: { decision: allow } }\n",
  );
  expect(result.cases).toMatchObject([
    { hook: "guard", name: "a", passed: true, case_line: 3 },
    { hook: "other", name: "b", passed: true, case_line: 4 },
  ]);
  expect(casesOf(await runInProcess(place, "test --json other")).cases).toHaveLength(1);
});

test("a case that names no tool means one that the hook's match takes", async () => {
  await using place = await workspace();
  await place.hook("shell", BLOCK, { says: '{"event":"before_tool_call","match":{"tool_name":"Bash"}}' });
  await place.hook("writer", BLOCK, { says: '{"event":"before_tool_call","match":{"tool_name":["Write","Edit"]}}' });
  const result = await runCases(
    place,
    `cases:
  - { name: its shell, hook: shell, payload: { tool_input: { command: ls } }, expect: { decision: block } }
  - { name: its writer, hook: writer, payload: { tool_input: { file_path: a } }, expect: { decision: block } }
  - { name: a shell for the writer, hook: writer, payload: { tool_input: { command: ls } }, expect: { decision: allow } }
  - { name: another tool, hook: shell, payload: { tool_name: Read, tool_input: { file_path: a } }, expect: { decision: allow } }
`,
  );
  expect(failures(result)).toEqual({});
  expect(result.cases).toHaveLength(4);
});
