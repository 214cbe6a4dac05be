import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hasRun, type LoggedRun, parseLoggedLine } from "../../src/protocol/logged-run.ts";

const schema = "hookctl.record/1";
const time = "2026-03-04T14:02:11.000Z";
const parse = (members: object) => parseLoggedLine(JSON.stringify({ schema, time, ...members }));
const parseRun = (members: object): LoggedRun => {
  const line = parse(members);
  if (line?.kind !== "run") throw new Error("no run");
  return line;
};

test("a run has its fields, those of its hooks, and null for what is not recorded", () => {
  const hook = {
    ...{ name: "guard", source: "user", path: "/h/guard", hash: "ab", outcome: "block", start_ms: 1.5, duration_ms: 7 },
    ...{ exit: 0, trust: "trusted", sandbox: "bubblewrap: no network", metadata: { rule: "r" } },
  };
  const line = {
    ...{ run_id: "R1", event: "before_tool_call", session: "s", project: "/p", agent: "claude", tool: "Bash" },
    ...{ call: "git push", decision: "block", decided_by: "guard", reason: "no", changed: ["input.command"] },
    ...{ duration_ms: 8.5, trace: { trace_id: "t", span_id: "p" }, hooks: [hook], warnings: ["w"] },
    guard_warnings: [{ code: "HOOK_MISSING" }],
  };
  expect(parse(line)).toEqual({
    ...{ kind: "run", time, timeMs: Date.parse(time), runId: "R1", event: "before_tool_call", session: "s" },
    ...{ project: "/p", agent: "claude", tool: "Bash", call: "git push", decision: "block", decidedBy: "guard" },
    ...{ reason: "no", interrupted: null, changed: ["input.command"], valueHash: null, durationMs: 8.5 },
    trace: { traceId: "t", spanId: "p" },
    hooks: [
      {
        ...{ name: "guard", event: null, failedHook: null, failedTool: null, source: "user", path: "/h/guard" },
        ...{ hash: "ab", outcome: "block", failure: null, why: null, startMs: 1.5, durationMs: 7, exitCode: 0 },
        ...{ mismatch: null, signal: null, trust: "trusted", sandbox: "bubblewrap: no network", valueHash: null },
        metadata: { rule: "r" },
        added: {},
      },
    ],
    ...{ user: null, rule: null, policy: null },
    ...{ warnings: ["w"], guardWarnings: [{ code: "HOOK_MISSING", hook: null }] },
  });
});

test("a shell command and a pause are lines of their own", () => {
  const shell = { run_id: "R1", event: "turn_end", scheme: "shell_exec", command: "true", rc: 3 };
  expect(parse({ kind: "hook_shell_executed", ...shell })).toMatchObject({ kind: "shell", runId: "R1", rc: 3 });
  const pause = { hook: "git", project: "/p", until: time, by: "dev" };
  expect(parse({ kind: "hook_paused", ...pause })).toMatchObject({ kind: "pause", untilMs: Date.parse(time) });
  expect(parse({ kind: "hook_resumed", ...pause })).toMatchObject({ kind: "pause", untilMs: null });
});

describe("no line of the audit log", () => {
  test.each(["", "7", "null", "[]", '"x"', "{", `{"schema":"other/1"}`, `{"schema":"${schema}","kind":"later"}`])(
    "%s",
    (text) => expect(parseLoggedLine(text)).toBeNull(),
  );

  test("a value that is nested too deeply", () => {
    expect(parseLoggedLine(`{"schema":"${schema}","x":${"[".repeat(200_000)}`)).toBeNull();
  });
});

test("members of a wrong type are taken as absent", () => {
  expect(
    parseRun({ time: "soon", run_id: 7, hooks: [1, null, {}], warnings: [1, "w"], trace: [], tool: {} }),
  ).toMatchObject({
    ...{ time: "soon", timeMs: null, runId: "", tool: null, warnings: ["w"], trace: null },
    hooks: [{ name: "", outcome: "", startMs: null, metadata: null }],
  });
});

test("no JSON makes the parser throw", () => {
  const names = ["run_id", "hooks", "trace", "kind", "time", "metadata", "guard_warnings", "__proto__"];
  const members = fc.dictionary(fc.constantFrom(...names), fc.jsonValue());
  fc.assert(fc.property(members, (line) => void parse(line)));
});

test.each([
  ["continue", null, true],
  ["failed", null, true],
  ["skipped", "no match", false],
  ["refused", null, false],
])("a hook with the outcome %s has run: why %j, %s", (outcome, why, expected) => {
  const [hook] = parseRun({ hooks: [{ name: "h", outcome, why }] }).hooks;
  expect(hook && hasRun(hook)).toBe(expected);
});

test.each([1e308, -5, 24 * 3_600_000 + 1, "9", null])("a duration of %s is none", (duration_ms) => {
  const hooks = [{ name: "guard", duration_ms, start_ms: duration_ms }];
  const read = parseLoggedLine(JSON.stringify({ schema: "hookctl.record/1", duration_ms, hooks }));
  expect(read).toMatchObject({ durationMs: 0, hooks: [{ durationMs: 0, startMs: null }] });
});
