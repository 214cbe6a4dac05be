import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { approveAll } from "../support/approvals.ts";
import { runInProcess } from "../support/in-process.ts";
import { parseListJson } from "../support/json-output.ts";
import { loadedModules } from "../support/loaded-modules.ts";
import { SERVER, SERVER_LINE, shellServer } from "../support/mcp.ts";
import { toolCall } from "../support/payloads.ts";
import { printResponse, shellQuote } from "../support/shell.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const MCP_FILES = [".kodelet/mcp.json", "mcp.json", ".mcp.json"];
const OWN = "project/.kodelet/hooks.json";

const run = (place: Workspace, event = "PreToolUse", args = "-q") =>
  runInProcess(place, `run ${event} ${args}`, { stdin: toolCall() });
const write = (place: Workspace, path: string, value: unknown) => place.write(path, JSON.stringify(value));
const calling = (tool: string, more: object = {}) => ({
  hooks: { PreToolUse: [{ tool: `fixture.${tool}`, priority: 10, ...more }] },
});
const BLOCKING = {
  hooks: { PreToolUse: [{ command: printResponse({ action: "block", reason: "frozen" }), priority: 20 }] },
};
const blocked = { code: 2, stdout: '{"blocked":true,"reason":"frozen"}\n' };
const OPEN = { code: 0, stdout: '{"blocked":false}\n', stderr: "" };

describe("hooks of an mcp.json", () => {
  test.each(MCP_FILES)("%s: nothing starts before approval, then its own server is asked", async (file) => {
    await using place = await workspace();
    const mark = join(place.dir, "started");
    const server = shellServer(`echo x >> ${shellQuote(mark)}; exec ${SERVER_LINE}`);
    await write(place, `project/${file}`, { ...calling("block"), mcpServers: { fixture: server } });
    for (const args of ["list", "trust --show", "run PreToolUse --dry-run"]) await runInProcess(place, args);
    expect(await run(place)).toMatchObject({ code: 0, stdout: expect.stringContaining("not approved") });
    expect(await place.read(mark)).toBeNull();
    await approveAll(place);
    expect(await run(place)).toMatchObject({ code: 2, stdout: '{"blocked":true,"reason":"no rm here"}\n' });
  });

  test("a server of the very file goes before one of the same name in another", async () => {
    await using place = await workspace();
    await write(place, "project/.kodelet/mcp.json", { mcpServers: { fixture: { command: "other" } } });
    await write(place, "project/mcp.json", { ...calling("block"), mcpServers: { fixture: SERVER } });
    await approveAll(place);
    expect(await run(place)).toMatchObject({ code: 2 });
  });

  test("a server that only another mcp.json declares is found there", async () => {
    await using place = await workspace();
    await write(place, "project/.mcp.json", { mcpServers: { fixture: SERVER } });
    await write(place, "project/mcp.json", calling("block"));
    await approveAll(place);
    expect(await run(place)).toMatchObject({ code: 2 });
  });

  const inUserMcp: { title: string; text: string; isTold: boolean }[] = [
    { title: "hooks in our form", text: JSON.stringify(calling("block")), isTold: true },
    { title: "an empty list", text: '{"hooks":{}}', isTold: false },
    { title: "hooks in another form", text: '{"hooks":{"PreToolUse":[{"matcher":"","hooks":[]}]}}', isTold: false },
    { title: "text that is no JSON", text: '{"hooks": {"PreToolUse": [', isTold: false },
  ];
  test.each(inUserMcp)("the user's ~/.kodelet/mcp.json declares no hooks: $title", async ({ text, isTold }) => {
    await using place = await workspace();
    await place.write("home/.kodelet/mcp.json", text);
    const { code, stdout } = await run(place);
    const result = "hooks is not valid: user hooks are not read from this file; move them to ~/.kodelet/hooks.json";
    expect({ code, isTold: stdout.includes(result) }).toEqual({ code: 0, isTold });
    const listed = await runInProcess(place, "list --strict --json");
    expect({ code: listed.code, times: listed.stdout.split("SETTINGS_NOT_READ").length - 1 }).toEqual({
      ...{ code: isTold ? 1 : 0, times: isTold ? 1 : 0 },
    });
  });

  test("a fail-closed tool of the user blocks when its server's mcp.json is lost", async () => {
    await using place = await workspace();
    await write(place, "home/.kodelet/hooks.json", calling("silent", { fail_open: false }));
    await write(place, "home/.kodelet/mcp.json", { mcpServers: { fixture: SERVER } });
    expect(await run(place)).toMatchObject({ code: 0 });
    for (const text of ["", "{", "{}"]) {
      await place.write("home/.kodelet/mcp.json", text);
      expect(await run(place)).toMatchObject({ code: 2 });
    }
    await rm(join(place.home, ".kodelet/mcp.json"));
    expect(await run(place)).toMatchObject({ code: 2 });
  });
});

describe("an approved hook keeps its name against a file that is put there", { tags: "slow" }, () => {
  const OPEN_ENTRY = { hooks: { PreToolUse: [{ command: "true" }] } };
  const planted: readonly (readonly [how: string, file: string])[] = [
    ["in the folder's own settings", ".kodelet/hooks.json"],
    ["in an mcp.json", ".kodelet/mcp.json"],
    ["in an .mcp.json", ".mcp.json"],
  ];
  const uses: { title: string; words: string; code: number; says: string }[] = [
    { title: "run --hook", words: "run PreToolUse -q --hook PreToolUse#1", code: 2, says: '"reason":"frozen"' },
    { title: "run --skip", words: "run PreToolUse -q --skip PreToolUse#1", code: 0, says: '{"blocked":false' },
    { title: "a test case", words: "test", code: 1, says: "calm" },
    { title: "test NAME", words: "test PreToolUse#1", code: 1, says: "calm" },
  ];
  const PAYLOAD = { tool_name: "bash", tool_input: {} };
  const CALM = {
    hook: "PreToolUse#1",
    cases: [{ name: "calm", event: "before_tool_call", payload: PAYLOAD, expect: { decision: "continue" } }],
  };

  test.each(planted.flatMap(([how, file]) => uses.map((use) => ({ how, file, ...use }))))(
    "$how, for $title",
    async ({ file, words, code, says }) => {
      await using place = await workspace();
      await write(place, "project/hooks.json", BLOCKING);
      await write(place, "project/.kodelet/tests/one.json", CALM);
      await approveAll(place);
      await write(place, `project/${file}`, OPEN_ENTRY);
      const result = await runInProcess(place, words, { stdin: toolCall() });
      expect(result).toMatchObject({ code, stdout: expect.stringContaining(says) });
    },
  );

  test.each(planted)(
    "%s: untrust forgets the approved one, and the settings for its name count for it",
    async (_, file) => {
      await using place = await workspace();
      const overrides = { "PreToolUse#1": { priority: 7 } };
      await write(place, "home/.kodelet/hooks.json", { overrides });
      await write(place, "project/hooks.json", BLOCKING);
      await approveAll(place);
      await write(place, `project/${file}`, OPEN_ENTRY);
      const rows: readonly { name: string; path: string; priority: number }[] = JSON.parse(
        (await runInProcess(place, "list --json --event PreToolUse")).stdout,
      ).hooks;
      const approved = rows.find(({ name }) => name === "PreToolUse#1");
      expect(approved).toMatchObject({ path: expect.stringContaining("/project/hooks.json#"), priority: 7 });
      await runInProcess(place, "untrust PreToolUse#1");
      expect((await runInProcess(place, "trust --list")).stdout).not.toContain("PreToolUse#1");
    },
  );
});

test("a command of a hooks.json at the root runs from there", async () => {
  await using place = await workspace();
  await place.write("project/hooks/pre_tool.sh", `printf '{"action":"block","reason":"%s"}' "$(basename "$PWD")"\n`);
  await write(place, "project/hooks.json", {
    version: 1,
    hooks: { PreToolUse: [{ command: "sh hooks/pre_tool.sh" }] },
  });
  expect(await run(place)).toMatchObject({ code: 0 });
  await approveAll(place);
  expect(await run(place)).toMatchObject({ code: 2, stdout: expect.stringContaining('"reason":"project"') });
  await place.write("project/hooks/pre_tool.sh", "echo '{}'\n");
  expect(await run(place)).toMatchObject({ code: 2, stdout: expect.stringContaining("changed since it was approved") });
});

test("every file counts, each is approved by itself, and their hooks run by priority", async () => {
  await using place = await workspace();
  const says = (text: string, priority: number) => ({ hooks: { PreToolUse: [{ inject: text, priority }] } });
  await write(place, OWN, says("own", 30));
  await write(place, "project/hooks.json", says("root", 20));
  await write(place, "project/mcp.json", says("mcp", 10));
  await approveAll(place);
  expect((await run(place)).stdout).toContain('["mcp","root","own"]');
  const { hooks } = parseListJson(await runInProcess(place, "list --json"));
  expect(hooks.map(({ name }) => name)).toEqual(["mcp.json/PreToolUse#1", "hooks.json/PreToolUse#1", "PreToolUse#1"]);

  await write(place, OWN, says("new", 30));
  await approveAll(place, "trust --yes .kodelet/hooks.json");
  expect((await run(place)).stdout).toContain('["mcp","root","new"]');
});

describe("a file that is another program's takes nothing away", { tags: "slow" }, () => {
  const claude = { hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "./x.sh" }] }] } };
  const others: { title: string; file: string; text: string; lines: number }[] = [
    ...MCP_FILES.map((file) => ({
      title: "servers alone",
      file,
      text: '{"mcpServers":{"a":{"command":"a"}}}',
      lines: 0,
    })),
    { title: "a server called hooks", file: ".mcp.json", text: '{"mcpServers":{"hooks":{"command":"a"}}}', lines: 0 },
    { title: "Claude Code's form", file: "hooks.json", text: JSON.stringify(claude), lines: 1 },
    {
      title: "Copilot's form",
      file: "hooks.json",
      text: '{"version":1,"hooks":{"PreToolUse":[{"type":"command","bash":"./x","command":"./x"}]}}',
      lines: 1,
    },
    {
      title: "events of its own",
      file: "hooks.json",
      text: '{"version":1,"hooks":{"beforeShellExecution":[{"command":"./x.sh"}]}}',
      lines: 1,
    },
    { title: "hooks that are something else", file: "hooks.json", text: '{"hooks":{"useState":["a.ts"]}}', lines: 1 },
    { title: "a list of names", file: "hooks.json", text: '{"hooks":["pre-commit"]}', lines: 1 },
    { title: "hooks that are a text", file: "mcp.json", text: '{"hooks":"./hooks"}', lines: 1 },
    { title: "no object at all", file: "hooks.json", text: '["hooks"]', lines: 1 },
    { title: "comments", file: "mcp.json", text: '{"hooks": // mine\n{}, /* and */ "servers": {"a":{},},}', lines: 0 },
  ];
  test.each(others)("$title in $file", async ({ file, text, lines }) => {
    await using place = await workspace();
    await write(place, OWN, BLOCKING);
    await approveAll(place);
    await place.write(`project/${file}`, text);
    expect(await run(place)).toMatchObject({ ...blocked, stderr: "" });
    const result = await runInProcess(place, "list");
    expect(result.code).toBe(0);
    expect(result.stdout.split("\n").filter((line) => line.includes(`project/${file}`))).toHaveLength(lines);
    expect((await runInProcess(place, "trust --yes")).stdout).not.toContain("Approved");
  });

  test("a call without hooks loads no library for it, and says nothing", async () => {
    await using place = await workspace();
    await place.write("project/.mcp.json", '{"mcpServers":{"a":{"command":"a"}}}');
    await write(place, "project/hooks.json", claude);
    await runInProcess(place, "run PreToolUse", { stdin: toolCall() });
    const { libraries, ended } = await loadedModules(place, ["run", "PreToolUse"], { stdin: toolCall() });
    expect({ libraries, ended }).toMatchObject({ libraries: [], ended: OPEN });
  });
});

describe("one that is ours and has a fault in it is told in each run, and no other file pays for it", () => {
  const faults: { title: string; value: object; says: string }[] = [
    {
      title: "a key that is none",
      value: { hooks: { PreToolUse: [{ command: "true", priorty: 1 }] } },
      says: 'unknown key \\"priorty\\"',
    },
    {
      title: "an event that is none beside one that is",
      value: { hooks: { PreToolUse: [{ command: "true" }], PostToolUze: [] } },
      says: "PostToolUze",
    },
    { title: "another version", value: { version: 2, ...BLOCKING }, says: "version" },
    { title: "settings", value: { ...BLOCKING, settings: { enabled: false } }, says: "settings belong in" },
    { title: "a server that is nowhere", value: calling("block"), says: "no MCP server" },
    {
      title: "what only the user may set",
      value: { hooks: { PreToolUse: [{ block: "x", required: true }] } },
      says: "",
    },
  ];
  test.each(faults)("$title", async ({ value, says }) => {
    await using place = await workspace();
    await write(place, OWN, BLOCKING);
    await write(place, "project/hooks.json", value);
    // What can be approved is; that a file cannot be used is the end of the call.
    expect(await runInProcess(place, "trust --yes")).toMatchObject({ code: 78 });
    const result = await run(place);
    expect(result).toMatchObject({ code: 2, stdout: expect.stringContaining('"reason":"frozen","warnings":[') });
    expect(result.stdout).toContain("project/hooks.json");
    expect(result.stdout).toContain(says);
    expect(await runInProcess(place, "list")).toMatchObject({
      code: 78,
      stdout: expect.stringContaining("hooks.json: "),
    });
    expect(await runInProcess(place, "trust --show")).toMatchObject({
      code: 78,
      stderr: expect.stringContaining("hooks.json: "),
    });
  });
});

describe("after a change the approved hooks still apply", { tags: "slow" }, () => {
  const changes: { title: string; change: (place: Workspace, path: string) => Promise<unknown>; says: string }[] = [
    {
      title: "edited",
      change: (place, path) => write(place, path, { hooks: { Stop: [{ inject: "x" }] } }),
      says: "changed",
    },
    {
      title: "faulty",
      change: (place, path) => write(place, path, { hooks: { Stop: [{ block: 1 }] } }),
      says: "broken",
    },
    { title: "cut short", change: (place, path) => place.write(path, '{"hooks":{"Pre'), says: "broken" },
    { title: "without hooks", change: (place, path) => place.write(path, "{}"), says: "deleted" },
    { title: "another program's", change: (place, path) => write(place, path, { hooks: ["x"] }), says: "deleted" },
    { title: "deleted", change: (place, path) => rm(join(place.dir, path)), says: "deleted" },
  ];
  const files = ["hooks.json", "mcp.json"];
  test.each(files.flatMap((file) => changes.map((one) => ({ file, ...one }))))("$file $title", async (row) => {
    await using place = await workspace();
    const path = `project/${row.file}`;
    await write(place, path, BLOCKING);
    await approveAll(place);
    await row.change(place, path);
    const result = await run(place);
    expect(result).toMatchObject({ code: 2, stdout: expect.stringContaining('"reason":"frozen"') });
    expect(result.stdout).toContain(row.says);
  });

  test("until that is approved as well", async () => {
    await using place = await workspace();
    await write(place, "project/hooks.json", BLOCKING);
    await approveAll(place);
    await rm(join(place.project, "hooks.json"));
    await approveAll(place);
    expect(await run(place)).toMatchObject(OPEN);
  });

  test("a settings file that appears beside it switches nothing off", async () => {
    await using place = await workspace();
    await write(place, "project/hooks.json", BLOCKING);
    await approveAll(place);
    await write(place, OWN, { settings: { enabled: false }, overrides: { "PreToolUse#1": { enabled: false } } });
    expect(await run(place)).toMatchObject({ code: 2, stdout: expect.stringContaining('"reason":"frozen"') });
  });
});

test.each(["{}", "[]", "null", '{"PreToolUse":[]}'])("a list without a hook is no fault: %s", async (hooks) => {
  await using place = await workspace();
  for (const file of ["project/.kodelet/mcp.json", "home/.kodelet/mcp.json"]) {
    await place.write(file, `{"mcpServers":{},"hooks":${hooks}}`);
  }
  expect(await run(place, "PreToolUse", "")).toMatchObject({ code: 0, stdout: '{"blocked":false}\n', stderr: "" });
  expect(await runInProcess(place, "list --strict")).toMatchObject({ code: 0 });
});

test("hooks in .kodelet/mcp.json that are no lists are still told", async () => {
  await using place = await workspace();
  await place.write("project/.kodelet/mcp.json", '{"hooks":{"PreToolUse":{"command":"true"}}}');
  expect((await run(place, "PreToolUse", "")).stderr).toContain("hooks.PreToolUse is not valid: it must be a list");
});
