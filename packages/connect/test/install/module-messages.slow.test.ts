import { describe, expect, test } from "vitest";
import { runInAgentHost } from "../../../../test/support/agent-host.ts";
import { runInProcess } from "../../../../test/support/in-process.ts";
import { printResponse } from "../../../../test/support/shell.ts";
import { type Workspace, workspace } from "../../../../test/support/workspace.ts";

describe("what a person is shown steers no terminal, and its lines stay lines; the model gets the words as they are", () => {
  const evil = "no \u001b]0;pwned\u0007\u001b[2J\u009b\u202e end\nof it";
  const words = "no \\u001b]0;pwned\\u0007\\u001b[2J\\u009b\\u202e end\nof it";
  const denied = JSON.stringify({ blocked: true, reason: evil });
  const result = JSON.stringify({ systemMessage: evil });

  async function hostile(agent: string): Promise<Workspace> {
    const place = await workspace();
    await place.hook("prompts", printResponse(denied), { says: "user_message_send" });
    await place.hook("guard", printResponse(denied));
    await place.hook("teller", printResponse(result), { says: '{"event":"after_tool_call","dialect":"claude"}' });
    await runInProcess(place, `install ${agent}`);
    return place;
  }
  const signed = (text: string, hook: string) => expect.stringContaining(`${text} (${hook}, hookctl why `);

  test("by the plugin of opencode", async () => {
    await using place = await hostile("opencode");
    const script = `
import { hookctl } from "./module.mjs";
const toasts = [];
const hooks = await hookctl({ directory: PROJECT, client: { tui: { showToast: async ({ body }) => void toasts.push(body) } } });
const call = { tool: "bash", sessionID: "s1", callID: "c1", args: { command: "ls" } };
const thrown = (asked) => asked.then(() => null, (error) => error.message);
const prompt = await thrown(hooks["chat.message"]({ sessionID: "s1" }, { parts: [{ type: "text", text: "hello" }] }));
const tool = await thrown(hooks["tool.execute.before"](call, { args: call.args }));
await hooks["tool.execute.after"](call, { title: "t", output: "fine", metadata: {} });
console.log(JSON.stringify({ prompt, tool, toasts }));`;
    expect(await runInAgentHost(place, ".opencode/plugins/hookctl.js", script)).toEqual({
      prompt: signed(words, "prompts"),
      tool: signed(evil, "guard"),
      toasts: [
        { message: signed(words, "prompts"), variant: "error" },
        { message: words, variant: "warning" },
      ],
    });
  });

  test("by the extension of pi, with a screen of its own and without one", async () => {
    await using place = await hostile("pi");
    const script = `
import extension from "./module.mjs";
const on = {};
extension({ on: (event, handler) => { on[event] = handler; } });
const notes = [];
const printed = [];
console.error = (...all) => printed.push(all);
const ctx = (hasUI) => ({ cwd: PROJECT, hasUI, sessionManager: { getSessionId: () => "s1" }, ui: { notify: (...all) => notes.push(all) } });
const call = { toolName: "bash", toolCallId: "c1", input: { command: "ls" }, content: [], isError: false };
for (const hasUI of [true, false]) await on.input({ text: "hello" }, ctx(hasUI));
const tool = await on.tool_call(call, ctx(true));
await on.tool_result(call, ctx(true));
console.log(JSON.stringify({ tool, notes, printed }));`;
    expect(await runInAgentHost(place, ".pi/extensions/hookctl.ts", script)).toEqual({
      tool: { block: true, reason: signed(evil, "guard") },
      notes: [
        [signed(words, "prompts"), "error"],
        [words, "warning"],
      ],
      printed: [[signed(words, "prompts")]],
    });
  });
});
