import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { AgentName } from "../../../src/protocol/agent-names.ts";
import { payloadFromMembers, payloadText } from "../../../src/protocol/payload/payload.ts";
import { runInProcess } from "../../../test/support/in-process.ts";
import { shellQuote } from "../../../test/support/shell.ts";
import { workspace } from "../../../test/support/workspace.ts";
import { AGENTS } from "../agents.ts";
import { canonicalFields } from "../native-payload.ts";
import { heard } from "./verdicts.ts";

type Captured = Readonly<Record<string, Readonly<Record<string, object>>>>;

const captured = (agent: string): Captured =>
  JSON.parse(readFileSync(fileURLToPath(new URL(`../${agent}/samples.json`, import.meta.url)), "utf8")).captured;

/** The fields of the caller that hooks get for one payload of an agent. */
function callerIn(agent: AgentName, event: string, sample: object) {
  const { row, native } = heard(agent, event, sample);
  const [raised] = row.raises;
  if (raised === undefined) throw new Error(`${event} raises nothing`);
  const payload = payloadFromMembers(raised.event, canonicalFields(AGENTS[agent], event, raised, native).members, "/");
  if (!payload.ok) throw new Error(JSON.stringify(payload.error));
  const { agent: caller, invoked_by } = JSON.parse(payloadText(payload.value));
  return { agent: caller, invoked_by };
}

const called = (agent: AgentName, event: string, variant: string) => {
  const sample = captured(agent)[event]?.[variant];
  if (sample === undefined) throw new Error(`${agent} ${event} ${variant} was not captured`);
  return callerIn(agent, event, sample);
};

const text = expect.stringMatching(/./);

describe("a call inside a subagent", () => {
  test.each<[AgentName, string, string, object]>([
    ["claude", "PreToolUse", "Bash-subagent", { type: "general-purpose", id: text }],
    ["claude", "PostToolUse", "Bash-subagent", { type: "general-purpose", id: text }],
    ["codex", "PreToolUse", "Bash-subagent", { type: "worker", id: text }],
    ["codex", "PostToolUse", "apply_patch-add-subagent", { type: "default", id: text }],
    ["copilot", "preToolUse", "bash-subagent", { type: "general-purpose", id: text }],
    ["copilot", "permissionRequest", "bash-subagent", { type: "general-purpose", id: text }],
    ["qwen", "PreToolUse", "run_shell_command-subagent", { type: null, id: "general-purpose-call_34" }],
    ["opencode", "tool.execute.before", "bash-subagent", { type: "general", id: text }],
    ["opencode", "tool.execute.after", "read-subagent", { type: "general", id: text }],
  ])("%s %s (%s)", (agent, event, variant, subagent) =>
    expect(called(agent, event, variant)).toEqual({
      agent: { name: agent, session: text, subagent },
      invoked_by: "subagent",
    }),
  );

  test("Copilot says it in its PascalCase form, too, with the subagent's own session", () => {
    const sample = captured("copilot").PreToolUse?.["Bash-subagent-pascal"] ?? {};
    const id = text;
    const said = callerIn("copilot", "PreToolUse", sample);
    expect(said).toEqual({
      agent: { name: "copilot", session: text, subagent: { type: "general-purpose", id } },
      invoked_by: "subagent",
    });
    expect(said.agent.session).toBe(said.agent.subagent.id);
  });

  test("Gemini CLI does not tell it from a call of the main agent", () =>
    expect(called("gemini", "BeforeTool", "run_shell_command-subagent")).toEqual({
      agent: { name: "gemini", session: text, subagent: null },
      invoked_by: "main",
    }));
});

test.each<[AgentName, string, string]>([
  ["claude", "PreToolUse", "Bash"],
  ["codex", "PreToolUse", "Bash"],
  ["copilot", "preToolUse", "bash"],
  ["qwen", "PreToolUse", "run_shell_command"],
  ["opencode", "tool.execute.before", "bash"],
])("%s: a call of the main agent", (agent, event, variant) =>
  expect(called(agent, event, variant)).toEqual({
    agent: { name: agent, session: text, subagent: null },
    invoked_by: "main",
  }),
);

test("the type of Claude Code's main agent makes it no subagent", () =>
  expect(callerIn("claude", "SessionStart", { session_id: "s1", agent_type: "reviewer" })).toEqual({
    agent: { name: "claude", session: "s1", subagent: null },
    invoked_by: "main",
  }));

describe("the prompt of a subagent is no message of a person", () => {
  const cases: readonly [AgentName, string, string][] = [
    ["codex", "UserPromptSubmit", "subagent"],
    ["copilot", "userPromptSubmitted", "subagent"],
    ["opencode", "chat.message", "subagent"],
  ];
  test.each(cases)("%s", async (agent, event, variant) => {
    await using place = await workspace();
    await place.hook("prompts", `cat > ${shellQuote(`${place.dir}/seen`)}`, { says: "user_message_send" });
    const sample: object = captured(agent)[event]?.[variant] ?? {};
    const command = `bridge ${agent} --event ${event}`;
    const bridge = (payload: object) => runInProcess(place, command, { stdin: JSON.stringify(payload) });
    const nothing = { stdout: "", stderr: "", code: 0 };
    expect(await bridge({ ...sample, cwd: place.project })).toMatchObject(nothing);
    expect(await place.read("seen")).toBeNull();
    const own = Object.entries(sample).filter(([key]) => !/agent/i.test(key));
    expect(await bridge({ ...Object.fromEntries(own), cwd: place.project })).toMatchObject({ code: 0 });
    expect(await place.read("seen")).toContain('"subagent":null');
  });
});

test("`match` on the subagent holds in a subagent of that type alone", async () => {
  await using place = await workspace();
  const rule = { name: "no-shell", match: { "agent.name": "claude", "agent.subagent.type": "general-*" }, block: "no" };
  await place.write("home/.kodelet/hooks.json", JSON.stringify({ hooks: { before_tool_call: [rule] } }));
  const bridge = (variant: string) =>
    runInProcess(place, "bridge claude --event PreToolUse", {
      stdin: JSON.stringify({ ...captured("claude").PreToolUse?.[variant], cwd: place.project }),
    });
  expect((await bridge("Bash-subagent")).stdout).toContain('"permissionDecision":"deny"');
  expect(await bridge("Bash")).toMatchObject({ stdout: "", code: 0 });
});
