import { describe, expect, test } from "vitest";
import { AGENT_NAMES } from "../../../../src/protocol/agent-names.ts";
import { membersOf, spanOfRaw } from "../../../../src/protocol/json/read.ts";
import { printResponse } from "../../../../test/support/shell.ts";
import { workspace } from "../../../../test/support/workspace.ts";
import { AGENTS } from "../../../agents/agents.ts";
import { canonicalFields, raisedPayload } from "../../../agents/native-payload.ts";
import { nativeSamples } from "../../../agents/native-samples.ts";
import { failures, runCases } from "./case-run.ts";

describe.each(AGENT_NAMES)("%s", (name) => {
  const agent = AGENTS[name];
  // ConfigChange raises no event of hooks: hookctl itself judges the change.
  const raising = Object.entries(agent.events).filter(([, row]) => row.isSettingsChange !== true);
  test.each(raising)("the sample of %s raises its events in the project", async (event, row) => {
    const samples = await nativeSamples(name, "/the/project");
    const span = samples(event)[0]?.payload ?? spanOfRaw("{}");
    const raised = row.raises.filter(({ when }) => when?.(membersOf(span)) ?? true);
    expect(raised).not.toEqual([]);
    for (const one of raised) {
      const { payload, problems } = raisedPayload(one.event, canonicalFields(agent, event, one, span), "/other");
      expect(problems).toEqual([]);
      expect(payload?.cwd).toMatch(/^\/(the\/project(\/src)?|other)$/);
    }
  });

  test("its shell is a shell, with the command of the case", async () => {
    await using place = await workspace();
    await place.hook(
      "guard",
      `case "$(cat)" in *'"tool_kind":"shell"'*forbidden*) ${printResponse({ blocked: true, reason: "no" })} ;; esac`,
    );
    const { event, payload } = agent.sampleShellCall;
    const tool = Object.entries(payload("forbidden")).filter(([, value]) =>
      JSON.stringify(value).includes("forbidden"),
    );
    const result = await runCases(
      place,
      `
hook: guard
cases:
  - { name: native, as: ${name}, event: ${event}, payload: ${JSON.stringify(Object.fromEntries(tool))}, expect: { decision: block } }
  - { name: by its event, as: ${name}, payload: ${JSON.stringify(Object.fromEntries(tool))}, expect: { decision: block } }
  - { name: the sample, as: ${name}, expect: { decision: allow } }
`,
    );
    expect(failures(result)).toEqual({});
    expect(result).toMatchObject({ code: 0, stderr: "", faults: [] });
  });
});

describe("a case of an agent", () => {
  test("native tool names and fields count, also for a match and a guard", async () => {
    await using place = await workspace();
    const says = '{"event":"before_tool_call","match":{"tool_name":"run_shell_command"}}';
    await place.hook("guard", printResponse({ blocked: true, reason: "no" }), { says });
    const result = await runCases(
      place,
      `
cases:
  - { name: fits, hook: guard, as: gemini, expect: { decision: block } }
  - { name: does not fit, hook: guard, as: claude, expect: { decision: allow } }
  - { name: a guard, guard: git, as: copilot, payload: { toolArgs: { command: git push --force origin main } }, expect: { decision: block } }
  - { name: another event of the agent, hook: guard, as: claude, event: Stop, expect: { decision: allow } }
  - { name: a chain, chain: true, as: gemini, event: BeforeTool, expect: { decision: block } }
`,
    );
    expect(failures(result)).toEqual({
      "another event of the agent": "Claude Code's Stop raises no event that it handles",
    });
    expect(result.faults).toEqual([]);
  });

  test("an event that an agent does not have fails the case", async () => {
    await using place = await workspace();
    await place.hook("guard", ":", { says: "before_llm_call" });
    const result = await runCases(
      place,
      "hook: guard\ncases: [{ name: a, as: claude, expect: { decision: allow } }]\n",
    );
    expect(failures(result)).toEqual({ a: "Claude Code has no event for before_llm_call" });
  });

  test.each([
    ["as: claud", "cases[0].as is not valid: it must be one of claude, codex"],
    ["event: BeforeTool", "cases[0].event is not valid: BeforeTool is an event of an agent, so the case needs `as`"],
    ["as: claude, event: BeforeTool", "cases[0].event is not valid: Claude Code has no event BeforeTool"],
  ])("%s is a fault", async (keys, message) => {
    await using place = await workspace();
    await place.hook("guard", ":");
    const result = await runCases(place, `hook: guard\ncases: [{ name: a, ${keys}, expect: { decision: allow } }]\n`);
    expect(result.faults.map((fault) => fault.message)).toEqual([expect.stringContaining(message)]);
  });
});
