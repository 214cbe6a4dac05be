import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { skippableTime } from "../../../test/support/clock.ts";
import { makeFifo } from "../../../test/support/fifo.ts";
import { type CommandOutput, runInProcess } from "../../../test/support/in-process.ts";
import { lifeline } from "../../../test/support/lifeline.ts";
import { printResponse } from "../../../test/support/shell.ts";
import { type Workspace, workspace } from "../../../test/support/workspace.ts";

interface Report {
  readonly hooks: readonly {
    readonly name: string;
    readonly checks: readonly { name: string; passed: boolean; message: string | null; case_file?: string }[];
    readonly left_out: readonly { readonly name: string; readonly reason: string }[];
  }[];
  readonly case_faults: readonly { readonly file: string; readonly code: string; readonly message: string }[];
  readonly failed: number;
  readonly skipped: number;
}

const reportOf = ({ stdout }: CommandOutput): Report => JSON.parse(stdout);
const casesOf = (result: CommandOutput) =>
  reportOf(result).hooks.flatMap(({ checks }) => checks.filter((one) => one.case_file));

const FILE = "home/.kodelet/tests/guard.json";
const aCase = (expect: object, over: object = {}): object => ({
  ...{ name: "it keeps its word", event: "before_tool_call", payload: {}, expect },
  ...over,
});
const caseFile = (...cases: readonly object[]): string => JSON.stringify({ hook: "guard", cases });

const GUARD = `case "$(cat)" in
  *danger*) ${printResponse({ blocked: true, reason: "it is a danger" })} ;;
  *older*) ${printResponse({ input: { b: 1, a: [12345678901234567890n.toString()] } })} ;;
  *wonder*) ${printResponse({ decision: "ask", reason: "sure?", additional_context: ["careful"] })} ;;
esac`;

async function result(
  place: Workspace,
  cases: string,
  body = GUARD,
  says = "before_tool_call",
): Promise<CommandOutput> {
  await place.hook("guard", body, { says });
  await place.write(FILE, cases);
  return await runInProcess(place, "test --json");
}

describe("a case holds what comes out against what is expected", () => {
  const danger = { tool_input: { command: "danger" } };
  const old = { tool_input: { command: "older" } };
  const ask = { tool_input: { command: "wonder" } };
  const rows: { title: string; payload: object; expect: object; message: string | null; event?: string }[] = [
    { title: "going on", payload: {}, expect: { decision: "continue" }, message: null },
    { title: "a block", payload: danger, expect: { decision: "block", reason: "a danger" }, message: null },
    {
      title: "another decision",
      payload: danger,
      expect: { decision: "continue" },
      message: "expected the decision allow, got block",
    },
    {
      title: "another reason",
      payload: danger,
      expect: { decision: "block", reason: "zebra" },
      message: "expected a reason with zebra, got it is a danger",
    },
    {
      title: "a reason where there is none",
      payload: {},
      expect: { decision: "continue", reason: "x" },
      message: "expected a reason with x, got no reason",
    },
    {
      title: "a change, whatever the order of its keys",
      payload: old,
      expect: { decision: "continue", change: { a: ["12345678901234567890"], b: 1.0 } },
      message: null,
    },
    {
      title: "another change",
      payload: old,
      expect: { decision: "continue", change: { b: 1 } },
      message: 'expected the change {"b":1}, got {"b":1,"a":["12345678901234567890"]}',
    },
    {
      title: "no change where there is one",
      payload: old,
      expect: { decision: "continue", change: null },
      message: 'expected the change null, got {"b":1,"a":["12345678901234567890"]}',
    },
    { title: "no change", payload: {}, expect: { decision: "continue", change: null }, message: null },
    {
      title: "a question and context",
      payload: ask,
      expect: { decision: "ask", additional_context: ["careful"] },
      message: null,
    },
    {
      title: "other context",
      payload: ask,
      expect: { decision: "ask", additional_context: [] },
      message: 'expected the context [], got ["careful"]',
    },
    {
      title: "no follow-ups",
      payload: {},
      expect: { decision: "continue", follow_up_messages: ["go"] },
      message: 'expected the follow-ups ["go"], got []',
    },
    {
      title: "an event of another dialect",
      event: "PreToolUse",
      payload: danger,
      expect: { decision: "block" },
      message: null,
    },
    {
      title: "an event that the hook does not answer",
      event: "agent_stop",
      payload: {},
      expect: { decision: "continue" },
      message: "it handles before_tool_call, not agent_stop",
    },
    {
      title: "a payload that no agent would send",
      payload: { tool_name: 5 },
      expect: { decision: "continue" },
      message: '"tool_name" in the payload is a JSON number; it must be a string.',
    },
  ];
  test.each([
    { kept: "each that is kept passes", isKept: true },
    { kept: "each that is not fails, and says why", isKept: false },
  ])("$kept", async ({ isKept }) => {
    await using place = await workspace();
    // All in one file: to try a hook starts it many times.
    const tried = rows.filter(({ message }) => (message === null) === isKept);
    const cases = tried.map(({ title, payload, expect: expected, event = "before_tool_call" }) =>
      aCase(expected, { name: title, payload, event }),
    );
    const report = await result(place, caseFile(...cases));
    expect(report).toMatchObject({ stderr: "", code: isKept ? 0 : 1 });
    expect(casesOf(report)).toMatchObject(
      tried.map(({ title: name, message }) => ({
        ...{ name, passed: isKept, message, case_file: expect.stringContaining(FILE) },
      })),
    );
    expect(reportOf(report).failed).toBe(isKept ? 0 : tried.length);
  });

  test("the digits of a payload reach the hook, and those of a change are compared", async () => {
    await using place = await workspace();
    const body = `case "$(cat)" in *12345678901234567890*) printf '{"input":{"n":12345678901234567891}}' ;; esac`;
    const written = (change: string): string =>
      `{"hook":"guard","cases":[{"name":"n","event":"before_tool_call","payload":{"tool_input":{"n":12345678901234567890}},
        "expect":{"decision":"continue","change":{"n":${change}}}}]}`;
    expect((await result(place, written("12345678901234567891"), body)).code).toBe(0);
    expect((await result(place, written("12345678901234567892"), body)).code).toBe(1);
  });

  test("a hook that fails keeps no promise, also where going on was expected", async () => {
    await using place = await workspace();
    const body = `case "$(cat)" in *broken*) exit 3 ;; esac`;
    const report = await result(place, caseFile(aCase({ decision: "continue" }, { payload: { x: "broken" } })), body);
    expect(report.code).toBe(1);
    expect(casesOf(report)).toMatchObject([{ passed: false, message: "guard failed: exit 3" }]);
  });

  test("the match of the hook counts, so a payload that it leaves out goes on", async () => {
    await using place = await workspace();
    const says = '{"event":"before_tool_call","match":{"tool_name":"write"}}';
    const body = printResponse({ blocked: true, reason: "no" });
    const cases = caseFile(
      aCase({ decision: "continue" }, { payload: { tool_name: "read" } }),
      aCase({ decision: "block" }, { name: "another", payload: { tool_name: "write" } }),
    );
    expect(casesOf(await result(place, cases, body, says)).map(({ passed }) => passed)).toEqual([true, true]);
  });

  test("the folder of a case is a scratch folder, whatever the case says", async () => {
    await using place = await workspace();
    const body = `case "$(cat)" in *'"cwd":"${place.dir}"'*) ${printResponse({ blocked: true, reason: "here" })} ;; esac`;
    const cases = caseFile(aCase({ decision: "continue" }, { payload: { cwd: place.dir } }));
    expect((await result(place, cases, body)).code).toBe(0);
  });
});

test("the text names the file of the cases, what was expected and what the hook printed", async () => {
  await using place = await workspace();
  await place.hook("guard", GUARD);
  await place.write(FILE, caseFile(aCase({ decision: "block" }, { payload: { tool_input: "older" } })));
  const text = await runInProcess(place, "test guard");
  expect(text).toMatchObject({ stderr: "", code: 1 });
  expect(text.stdout).toContain(`   test cases in DIR/home/.kodelet/tests/guard.json
   ✖ it keeps its word`);
  expect(text.stdout).toContain(`     expected the decision block, got allow
     payload  {"tool_input":"older"}
     response {"input":{"b":1,"a":["12345678901234567890"]}}
     Hint: Correct the hook, or the case.
     Run again: hookctl test -v guard --only 'it keeps its word'
`);
  expect(text.stdout).toContain("1 failed, 16 passed, 1 hook");
});

describe("which cases are run", () => {
  const setUp = async (place: Workspace): Promise<void> => {
    for (const name of ["guard", "other"]) {
      await place.hook(name, ":", { scope: "project" });
      const cases = [aCase({ decision: "continue" })];
      await place.write(`project/.kodelet/tests/${name}.json`, JSON.stringify({ hook: name, cases }));
    }
  };
  const rows: { title: string; words: string; code: number; hooks: readonly string[]; skipped: number }[] = [
    { title: "none of a hook that is not approved", words: "test --json", code: 77, hooks: [], skipped: 34 },
    { title: "those of a folder", words: "test . --json", code: 0, hooks: ["guard", "other"], skipped: 0 },
    { title: "those of a path", words: "test ./.kodelet/hooks/guard --json", code: 0, hooks: ["guard"], skipped: 0 },
    { title: "those of a name", words: "test other --trust --json", code: 0, hooks: ["other"], skipped: 0 },
  ];
  test.each(rows)("$title", async ({ words, code, hooks, skipped }) => {
    await using place = await workspace();
    await setUp(place);
    const report = await runInProcess(place, words);
    expect(report.code).toBe(code);
    expect(reportOf(report).hooks.map(({ name }) => name)).toEqual(hooks);
    expect(casesOf(report)).toHaveLength(hooks.length);
    expect(reportOf(report)).toMatchObject({ skipped, case_faults: [] });
  });

  test("a folder beside hooks that are in no .kodelet holds what its owner likes", async () => {
    await using place = await workspace();
    await place.write("project/hooks/guard", "#!/bin/sh\n[ $1 = run ] || echo agent_stop\n", 0o755);
    await place.write("project/tests/fixture.json", "[1, 2");
    expect(await runInProcess(place, "test ./hooks")).toMatchObject({ stderr: "", code: 0 });
  });

  test("a hook that hangs is not asked about its cases", async () => {
    await using place = await workspace();
    await place.hook("guard", "sleep 30");
    await place.write(FILE, caseFile(aCase({ decision: "continue" })));
    const report = await runInProcess(place, "test --json --timeout 200ms");
    expect(report.code).toBe(1);
    expect(reportOf(report).hooks[0]?.left_out).toContainEqual({
      name: "it keeps its word",
      reason: "it exceeded its timeout at “handles a sample payload”",
    });
  });

  test("a hook that hangs at a case is not asked about the next", async () => {
    await using place = await workspace();
    await using life = await lifeline(place.dir);
    using time = skippableTime();
    await place.hook("guard", `case "$(cat)" in *zebra*) ${life.hold}; sleep 30 ;; esac`);
    const hangs = aCase({ decision: "continue" }, { name: "hangs", payload: { x: "zebra" } });
    await place.write(FILE, caseFile(hangs, aCase({ decision: "continue" })));
    const tested = runInProcess(place, "test --json --timeout 9s");
    await life.held;
    time.skip();
    const report = await tested;
    expect(casesOf(report)).toMatchObject([{ name: "hangs", passed: false }]);
    expect(reportOf(report).hooks[0]?.left_out).toEqual([
      { name: "it keeps its word", reason: "it exceeded its timeout at “hangs”" },
    ]);
  });
});

describe("a file of cases that cannot be used is a failure with its place", () => {
  const fine = caseFile(aCase({ decision: "continue" }));
  const rows: { title: string; text: string; message: string; code: string; line?: number }[] = [
    {
      title: "no JSON",
      text: '{"hook": "guard",\n "cases": [}',
      code: "CASE_NOT_PARSED",
      line: 2,
      message: 'cannot be parsed: expected a value, found "}"',
    },
    {
      title: "a key that occurs twice",
      text: '{"hook":"a","hook":"b"}',
      code: "CASE_NOT_PARSED",
      message: 'cannot be parsed: the key "hook" occurs twice',
    },
    {
      title: "no cases",
      text: caseFile(),
      code: "CASE_BAD_VALUE",
      message: "cases is not valid: expected array to have >=1 items",
    },
    {
      title: "an unknown key of a case",
      text: caseFile(aCase({ decision: "block" }, { evnt: "x", event: undefined })),
      code: "CASE_UNKNOWN_KEY",
      message: 'unknown key "evnt" in cases[0]. Did you mean event?',
    },
    {
      title: "an unknown key of what is expected",
      text: caseFile(aCase({ decison: "block" })),
      code: "CASE_UNKNOWN_KEY",
      message: 'unknown key "decison" in cases[0].expect. Did you mean decision?',
    },
    {
      title: "an unknown key of the file",
      text: '{"hook":"guard","case":[]}',
      code: "CASE_UNKNOWN_KEY",
      message: 'unknown key "case" in the file. Did you mean cases?',
    },
    {
      title: "no such event",
      text: caseFile(aCase({ decision: "block" }, { event: "before_tool" })),
      code: "CASE_BAD_VALUE",
      message: "cases[0].event is not valid: it is not the name of an event. Did you mean before_tool_call?",
    },
    {
      title: "a hook that there is not",
      text: fine.replace("guard", "gaurd"),
      code: "CASE_UNKNOWN_HOOK",
      message: "there is no hook gaurd. Did you mean guard?",
    },
  ];
  test("all of them are told in one run", async () => {
    await using place = await workspace();
    await place.hook("guard", GUARD);
    const files = rows.map((row, index) => ({ ...row, file: `home/.kodelet/tests/${index}.json` }));
    for (const { file, text } of files) await place.write(file, text);
    const report = await runInProcess(place, "test --json");
    expect(report).toMatchObject({ stderr: "", code: 1 });
    const faults = reportOf(report).case_faults.map(({ message, ...fault }) => ({
      ...{ ...fault, message: message.replace(/^Test cases in DIR\S+ /, "") },
    }));
    expect(faults).toMatchObject(
      files.map(({ file, code, message, line = 1 }) => ({ file: `DIR/${file}`, line, code, message })),
    );
    expect(reportOf(report).failed).toBe(rows.length);
    const shown = await runInProcess(place, "test");
    expect(shown).toMatchObject({ stderr: "", code: 1 });
    for (const { code } of rows) expect(shown.stdout).toContain(`(${code})`);
  });

  test("one alone fails the run", async () => {
    await using place = await workspace();
    expect(await result(place, "[")).toMatchObject({ stderr: "", code: 1 });
  });

  test("a FIFO, a folder and a file that is too large are not read", async () => {
    await using place = await workspace();
    await place.hook("guard", ":");
    await place.write("home/.kodelet/tests/folder.json/inner", "");
    makeFifo(join(place.home, ".kodelet", "tests", "fifo.json"));
    await place.write("home/.kodelet/tests/large.json", " ".repeat(16 * 1024 * 1024 + 1));
    const report = await runInProcess(place, "test --json");
    expect(report.code).toBe(1);
    expect(reportOf(report).case_faults.map(({ message }) => message.replace(/^.*: /, ""))).toEqual([
      "it is not a regular file",
      "it is not a regular file",
      "larger than 16 MiB",
    ]);
  });

  test("what stands in a case is text, and steers no terminal", async () => {
    await using place = await workspace();
    await place.hook("guard", ":");
    const bad = "\u001b[2J\u202eevil";
    await place.write(FILE, caseFile(aCase({ decision: "block", reason: bad }, { name: bad })));
    const text = await runInProcess(place, "test");
    expect(text.stdout).toContain("✖ \\u001b[2J\\u202eevil");
    expect(text.stdout + text.stderr).not.toContain("\u001b");
  });
});
