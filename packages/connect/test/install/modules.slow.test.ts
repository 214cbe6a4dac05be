import { describe, expect, test } from "vitest";
import { runInAgentHost } from "../../../../test/support/agent-host.ts";
import { runInProcess } from "../../../../test/support/in-process.ts";
import { printResponse } from "../../../../test/support/shell.ts";
import { type Workspace, workspace } from "../../../../test/support/workspace.ts";

const GUARD = `input=$(cat)
case $input in
  *"rm -rf"*) echo '{"blocked":true,"reason":"no rm here"}' ;;
  *"npm ci"*) echo '{"input":{"command":"npm ci --ignore-scripts"}}' ;;
esac`;

const PROMPTS = `case $(cat) in
  *secret*) echo '{"blocked":true,"reason":"no secrets"}' ;;
  *docs*) echo '{"additional_context":["see the docs"]}' ;;
esac`;

async function guarded(agent: string): Promise<Workspace> {
  const place = await workspace();
  await place.hook("guard", GUARD);
  await place.hook("redact", printResponse({ output: "[gone]", additional_context: ["seen after"] }), {
    says: "after_tool_call",
  });
  await place.hook("prompts", PROMPTS, {
    says: "user_message_send",
  });
  await runInProcess(place, `install ${agent}`);
  return place;
}

describe("opencode", () => {
  const module = ".opencode/plugins/hookctl.js";
  const host = `
import { hookctl } from "./module.mjs";
const toasts = [];
const client = { tui: { showToast: async ({ body }) => void toasts.push(body) } };
const hooks = await hookctl({ directory: PROJECT, client });
const before = async (command) => {
  const output = { args: { command, description: "x" } };
  const thrown = await hooks["tool.execute.before"]({ tool: "bash", sessionID: "s1", callID: "c1" }, output)
    .then(() => null, (error) => error.message);
  return { thrown, args: output.args };
};
const prompt = async (text) => {
  const parts = [{ type: "text", text }];
  const thrown = await hooks["chat.message"]({ sessionID: "s1" }, { parts }).then(() => null, (error) => error.message);
  return { thrown, parts };
};
const after = { title: "t", output: "a secret", metadata: {} };
await hooks["tool.execute.after"]({ tool: "bash", sessionID: "s1", callID: "c1", args: { command: "ls" } }, after);
console.log(JSON.stringify({
  rm: await before("rm -rf build"), npm: await before("npm ci"), ls: await before("ls"), after,
  prompt: await prompt("a secret"), other: await prompt("hello"), docs: await prompt("docs?"), toasts,
}));
`;

  test("the plugin that install writes blocks, rewrites, redacts and lets pass", async () => {
    await using place = await guarded("opencode");
    const signed = expect.stringMatching(/^no rm here \(guard, hookctl why [0-9A-Z]+\)$/);
    expect(await runInAgentHost(place, module, host)).toEqual({
      rm: { thrown: signed, args: { command: "rm -rf build", description: "x" } },
      npm: { thrown: null, args: { command: "npm ci --ignore-scripts" } },
      ls: { thrown: null, args: { command: "ls", description: "x" } },
      after: { title: "t", output: "[gone]\n\nseen after", metadata: {} },
      prompt: { thrown: expect.stringContaining("no secrets"), parts: [{ type: "text", text: "a secret" }] },
      other: { thrown: null, parts: [{ type: "text", text: "hello" }] },
      docs: { thrown: null, parts: [{ type: "text", text: "docs?\n\nsee the docs" }] },
      toasts: [{ message: expect.stringContaining("no secrets"), variant: "error" }],
    });
  });

  test("the plugin tells a subagent's call from one of the main agent, and its prompt is no message", async () => {
    await using place = await workspace();
    const rule = { name: "no-shell", match: { "agent.subagent.type": "general" }, block: "not here" };
    const prompt = { name: "no-prompt", block: "no prompt" };
    const hooks = { before_tool_call: [rule], user_message_send: [prompt] };
    await place.write("home/.kodelet/hooks.json", JSON.stringify({ hooks }));
    await runInProcess(place, "install opencode");
    const script = `
import { hookctl } from "./module.mjs";
const infos = { main: { id: "main" }, child: { id: "child", parentID: "main", agent: "general" } };
const session = { get: async ({ path }) => ({ data: infos[path.id] }) };
const hooks = await hookctl({ directory: PROJECT, client: { session } });
const outcome = (promise) => promise.then(() => null, (error) => error.message);
const results = {};
for (const sessionID of ["main", "child", "unknown"]) results[sessionID] = {
  call: await outcome(hooks["tool.execute.before"]({ tool: "bash", sessionID, callID: "c1" }, { args: { command: "ls" } })),
  prompt: await outcome(hooks["chat.message"]({ sessionID }, { parts: [{ type: "text", text: "hi" }] })),
};
console.log(JSON.stringify(results));`;
    const blocked = (reason: string) => expect.stringContaining(reason);
    expect(await runInAgentHost(place, module, script)).toEqual({
      main: { call: null, prompt: blocked("no prompt") },
      child: { call: blocked("not here"), prompt: null },
      unknown: { call: null, prompt: blocked("no prompt") },
    });
  });

  test("the parts of an MCP tool's result are read and replaced as one text", async () => {
    await using place = await workspace();
    const after = `case $(cat) in
  *"a key"*) echo '{"blocked":true,"reason":"it has a key"}' ;;
  *"one\\\\ntwo"*) echo '{"output":"[gone]","additional_context":["seen"]}' ;;
esac`;
    await place.hook("after", after, { says: "after_tool_call" });
    await runInProcess(place, "install opencode");
    const script = `
import { hookctl } from "./module.mjs";
const hooks = await hookctl({ directory: PROJECT });
const image = { type: "image", data: "AAAA", mimeType: "image/png" };
const after = async (...content) => {
  const result = { content, metadata: { of: content.length } };
  await hooks["tool.execute.after"]({ tool: "shop_run", sessionID: "s1", callID: "c1", args: {} }, result);
  return result;
};
const text = (text) => ({ type: "text", text });
console.log(JSON.stringify({
  other: await after(text("zero"), image),
  changed: await after(text("one"), image, { type: "resource", resource: { uri: "a:b", text: "two" } }),
  blocked: await after(text("a key"), image),
}));`;
    const image = { type: "image", data: "AAAA", mimeType: "image/png" };
    const text = (value: unknown) => ({ type: "text", text: value });
    expect(await runInAgentHost(place, module, script)).toEqual({
      other: { content: [text("zero"), image], metadata: { of: 2 } },
      changed: { content: [text("[gone]\n\nseen"), image], metadata: { of: 3 } },
      blocked: { content: [text(expect.stringContaining("it has a key"))], metadata: {} },
    });
  });

  test("what waits for approval is told to the person once a session", async () => {
    await using place = await guarded("opencode");
    await place.hook("theirs", "true", { scope: "project" });
    const { toasts } = await runInAgentHost(place, module, host);
    expect(toasts).toContainEqual({
      message: expect.stringContaining("1 hook not approved: hookctl trust theirs"),
      variant: "warning",
    });
  });
});

describe("pi", () => {
  const module = ".pi/extensions/hookctl.ts";
  const host = `
import extension from "./module.mjs";
const on = {};
const notes = [];
extension({ on: (event, handler) => { on[event] = handler; } });
const ctx = { cwd: PROJECT, hasUI: true, sessionManager: { getSessionId: () => "s1" }, ui: { notify: (...all) => notes.push(all) } };
const before = async (command) => {
  const input = { command, timeout: 5 };
  const answer = await on.tool_call({ toolName: "bash", toolCallId: "c1", input }, ctx);
  return { answer: answer ?? null, input };
};
const content = [{ type: "text", text: "a secret" }];
const result = { toolName: "bash", toolCallId: "c1", input: { command: "ls" }, content, isError: false };
console.log(JSON.stringify({
  rm: await before("rm -rf build"), npm: await before("npm ci"), ls: await before("ls"),
  after: await on.tool_result(result, ctx),
  prompt: await on.input({ text: "a secret" }, ctx), other: await on.input({ text: "hello" }, ctx),
  docs: await on.input({ text: "docs?", images: [1] }, ctx), notes,
}));
`;

  test("the extension that install writes blocks, rewrites, redacts and lets pass", async () => {
    await using place = await guarded("pi");
    expect(await runInAgentHost(place, module, host)).toEqual({
      rm: {
        answer: { block: true, reason: expect.stringMatching(/^no rm here \(guard, hookctl why [0-9A-Z]+\)$/) },
        input: { command: "rm -rf build", timeout: 5 },
      },
      npm: { answer: null, input: { command: "npm ci --ignore-scripts" } },
      ls: { answer: null, input: { command: "ls", timeout: 5 } },
      after: {
        content: [
          { type: "text", text: "[gone]" },
          { type: "text", text: "seen after" },
        ],
      },
      prompt: { action: "handled" },
      other: { action: "continue" },
      docs: { action: "transform", text: "docs?\n\nsee the docs", images: [1] },
      notes: [[expect.stringContaining("no secrets"), "error"]],
    });
  });
});

const AFTER_OPENCODE = `
import { hookctl } from "./module.mjs";
const hooks = await hookctl({ directory: PROJECT });
const after = { title: "a secret", output: "a secret", metadata: { output: "a secret" }, attachments: ["a secret"] };
await hooks["tool.execute.after"]({ tool: "bash", sessionID: "s1", callID: "c1", args: { command: "ls" } }, after);
console.log(JSON.stringify(after));`;
const AFTER_PI = `
import extension from "./module.mjs";
const on = {};
extension({ on: (event, handler) => { on[event] = handler; } });
const ctx = { cwd: PROJECT, hasUI: false, sessionManager: { getSessionId: () => "s1" } };
const content = [{ type: "text", text: "a secret" }, { type: "image", data: "a secret" }];
const result = { toolName: "bash", toolCallId: "c1", input: { command: "ls" }, content, details: "a secret", isError: false };
console.log(JSON.stringify({ ...result, ...(await on.tool_result(result, ctx)) }));`;
const CLOSED = { overrides: { redact: { fail_open: false } } };

describe.each([
  ["opencode", ".opencode/plugins/hookctl.js", AFTER_OPENCODE],
  ["pi", ".pi/extensions/hookctl.ts", AFTER_PI],
])("%s: the result is kept from the model", (agent, module, script) => {
  test.each([
    ["when a guard blocks it", printResponse({ blocked: true, reason: "it holds a key" }), "it holds a key"],
    ["when a fail-closed guard crashes", "exit 3", "redact could not decide"],
    ["when a fail-closed guard prints garbage", "echo secrets", "redact could not decide"],
  ])("%s", async (_, body, reason) => {
    await using place = await workspace();
    await place.hook("redact", body, { says: "after_tool_call" });
    await place.write("home/.kodelet/hooks.json", JSON.stringify(CLOSED));
    await runInProcess(place, `install ${agent}`);
    const text = JSON.stringify(await runInAgentHost(place, module, script));
    expect(text).toContain(reason);
    expect(text).not.toContain("a secret");
  });

  test("when hookctl is gone and the lines fail closed", async () => {
    await using place = await workspace();
    await runInProcess(place, `install ${agent} --fail-closed --events all`);
    const written = (await place.read(`project/${module}`)) ?? "";
    await place.write(`project/${module}`, written.replaceAll(/\\"[^"]*\/hookctl\\"/g, "/nowhere/hookctl"));
    const text = JSON.stringify(await runInAgentHost(place, module, script));
    expect(text).toContain("hookctl could not be asked");
    expect(text).not.toContain("a secret");
  });
});

test.each([
  ["goes on when hookctl is gone", "", null],
  [
    "denies when hookctl is gone and it was registered to",
    " --fail-closed",
    "hookctl could not be asked, and opencode fails closed: install hookctl and run hookctl init opencode --scope project, or remove the entries of hookctl from .opencode/plugins/hookctl.js.",
  ],
])("a module %s", async (_, flag, thrown) => {
  await using place = await workspace();
  await runInProcess(place, `install opencode${flag}`);
  const file = "project/.opencode/plugins/hookctl.js";
  await place.write(file, ((await place.read(file)) ?? "").replaceAll(/\\"[^"]*\/hookctl\\"/g, "/nowhere/hookctl"));
  const result = await runInAgentHost(
    place,
    ".opencode/plugins/hookctl.js",
    `import { hookctl } from "./module.mjs";
const hooks = await hookctl({ directory: PROJECT });
const input = { tool: "bash", sessionID: "s1", callID: "c1" };
const thrown = await hooks["tool.execute.before"](input, { args: { command: "ls" } }).then(() => null, (error) => error.message);
console.log(JSON.stringify({ thrown }));`,
  );
  expect(result).toEqual({ thrown });
});

test("events that were not asked for are not asked", async () => {
  await using place = await workspace();
  await runInProcess(place, "install pi --events tool_call");
  const text = await place.read("project/.pi/extensions/hookctl.ts");
  expect(text).toContain('"tool_call": ');
  expect(text).not.toContain('"tool_result": ');
});
