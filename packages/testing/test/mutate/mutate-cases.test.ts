import { describe, expect, test } from "vitest";
import type { VerdictDecision } from "../../../../src/protocol/verdict.ts";
import { checkCases } from "../../cases/check-case.ts";
import type { TestCase } from "../../cases/test-case.ts";
import {
  type CaseDecision,
  caseCommand,
  mutateCases,
  type PassedCase,
  type StartTask,
  withCommand,
} from "../../mutate/mutate-cases.ts";
import { mutationCounts, mutationScore, survivorGroups } from "../../mutate/survivors.ts";

function caseOf(payload: object): TestCase {
  const file = {
    hook: "guard",
    cases: [{ name: "a case", event: "before_tool_call", payload, expect: { decision: "block" } }],
  };
  const [one] = checkCases(JSON.stringify(file), {
    file: "/p/guard.json",
    isFromOthers: false,
    isFromPack: false,
  }).cases;
  if (one === undefined) throw new Error("not a case");
  return one;
}

const passed = (one: TestCase, decision: VerdictDecision = "block"): PassedCase => ({ one, decision });

const shell = (command: string): TestCase => caseOf({ tool_name: "bash", tool_input: { command } });

describe("the command of a case", () => {
  test.each<[string, object, string | null]>([
    ["of a shell tool", { tool_input: { command: "rm x" } }, "rm x"],
    ["of an agent with its own names", { toolInput: { shell_command: "rm x", timeout: 5 } }, "rm x"],
    ["in a list that starts a shell", { tool_input: { command: ["bash", "-lc", "rm x"] } }, "rm x"],
    ["that stands there twice", { tool_input: { command: "rm x" }, native: { command: "rm x" } }, "rm x"],
    ["of a list without a shell", { tool_input: { command: ["rm", "x"] } }, null],
    ["that is an action of an editor", { tool_input: { command: "create", path: "a.txt" } }, null],
    ["that is a program beside its arguments", { tool_input: { command: "rm", args: ["x"] } }, null],
    ["of two commands", { tool_input: { command: "rm x", script: "rm y" } }, null],
    ["of another tool", { tool_input: { file_path: "a.txt" } }, null],
  ])("%s", (_, payload, expected) => expect(caseCommand(caseOf(payload))).toBe(expected));

  test("is replaced in each place, and nothing else changes", () => {
    const one = caseOf({
      tool_input: { command: ["sh", "-c", "rm x"], big: 12345678901234567890n.toString() },
      native: { cmd: "rm x" },
    });
    const other = withCommand(one, "'rm' \"x\"");
    expect(caseCommand(other)).toBe("'rm' \"x\"");
    expect(other.payload.get("tool_input")?.raw).toBe(
      '{"command":["sh","-c","\'rm\' \\"x\\""],"big":"12345678901234567890"}',
    );
    expect({ ...other, payload: null }).toEqual({ ...one, payload: null });
  });
});

/** Runs tasks one after the other, on a guard that decides by the text of the command. */
function startWith(decide: (command: string) => CaseDecision): StartTask {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const done = last.then(() => task(async (one) => decide(caseCommand(one) ?? "")));
    last = done;
    return done;
  };
}

const IGNORE = (): void => undefined;

const decided = (decision: VerdictDecision): CaseDecision => ({ decision, wasCutShort: false });
const naive = startWith((command) => decided(/\brm -rf\b/.test(command) ? "block" : "continue"));

test("a guard that looks for a text misses many respellings, which are listed by kind", async () => {
  let [planned, done] = [0, 0];
  const mutation = await mutateCases([passed(shell("rm -rf build"))], naive, (more) => {
    planned += more.planned;
    done += more.done;
  });
  expect({ planned, done }).toEqual({ planned: 200, done: 200 });
  const [one] = mutation ?? [];
  expect(one).toMatchObject({ name: "a case", expects: "stop", respellings: 200, untried: 0, stopped: null });
  const groups = survivorGroups(mutation ?? []);
  expect(groups.map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(["single quotes", "backslash", "variable for the program"]),
  );
  expect(groups.map(({ kind }) => kind)).not.toContain("sudo");
  expect(groups.reduce((sum, { count }) => sum + count, 0)).toBe(one?.survivors.length);
  for (const { examples } of groups) for (const { command } of examples) expect(command).not.toMatch(/\brm -rf\b/);
  const score = mutationScore(mutationCounts(mutation ?? [])) ?? 0;
  expect(score).toBeGreaterThan(10);
  expect(score).toBeLessThan(70);
});

test("a guard that blocks what it does not know raises false alarms", async () => {
  const cautious = startWith((command) => decided(command === "ls -la" ? "continue" : "ask"));
  const mutation = await mutateCases([passed(shell("ls -la"), "continue")], cautious, IGNORE);
  expect(mutation?.[0]).toMatchObject({ expects: "allow", untried: 0 });
  expect(mutationScore(mutationCounts(mutation ?? []))).toBe(0);
});

test("a question stops a command, too", async () => {
  const mutation = await mutateCases(
    [passed(shell("rm -rf build"))],
    startWith(() => decided("ask")),
    IGNORE,
  );
  expect(mutation?.[0]?.survivors).toEqual([]);
});

test("a respelling that hangs ends its case, because the others would hang, too", async () => {
  let started = 0;
  const hangs = startWith(() => {
    started += 1;
    return started === 15 ? { decision: "continue", wasCutShort: true } : decided("block");
  });
  const mutation = await mutateCases([passed(shell("rm -rf build"))], hangs, IGNORE);
  expect(mutation?.[0]).toMatchObject({ respellings: 14, untried: 186, stopped: "timeout", survivors: [] });
  expect(started).toBe(15);
});

test("what is not started because the call ends is not counted", async () => {
  const mutation = await mutateCases([passed(shell("rm -rf build"))], async () => null, IGNORE);
  expect(mutation?.[0]).toMatchObject({ respellings: 0, untried: 200, stopped: "interrupt" });
  expect(mutationScore({ respellings: 0, survived: 0 })).toBeNull();
});

test("a case without a command is left alone", async () => {
  expect(await mutateCases([passed(caseOf({ tool_input: { file_path: "x" } }))], naive, IGNORE)).toBeNull();
});

test("a survivor of several kinds counts for the one that survives alone", () => {
  const survivors = [
    { kinds: ["backslash"], command: "r\\m" },
    { kinds: ["sudo", "backslash"], command: "sudo r\\m" },
    { kinds: ["sudo", "eval"], command: "eval 'sudo rm'" },
  ];
  const one = {
    name: "n",
    file: "f",
    line: 1,
    expects: "stop",
    respellings: 9,
    untried: 0,
    survivors,
    stopped: null,
  } as const;
  expect(survivorGroups([one]).map(({ kind, count }) => ({ kind, count }))).toEqual([
    { kind: "backslash", count: 2 },
    { kind: "sudo + eval", count: 1 },
  ]);
});
