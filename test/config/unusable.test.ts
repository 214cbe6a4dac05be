import { join } from "node:path";
import { expect, test } from "vitest";
import { runMain } from "../support/in-process.ts";
import { toolCall } from "../support/payloads.ts";
import { printResponse, touch } from "../support/shell.ts";
import { workspace } from "../support/workspace.ts";

const mistakes: { title: string; text: string; says: string }[] = [
  {
    title: "an unknown setting",
    text: '{"settings":{"timout":"3s"}}',
    says: 'unknown key "timout" in settings. Did you mean timeout?',
  },
  {
    title: "an unknown key of an override",
    text: '{"overrides":{"guard":{"prority":1}}}',
    says: 'unknown key "prority" in overrides.guard. Did you mean priority?',
  },
  {
    title: "an unknown key at the top",
    text: '{"setings":{}}',
    says: 'unknown key "setings" in the file. Did you mean settings?',
  },
  { title: "a duration without a unit", text: '{"settings":{"timeout":"30"}}', says: "a duration needs a unit" },
  { title: "a value of the wrong type", text: '{"settings":{"enabled":"no"}}', says: "settings.enabled is not valid" },
  { title: "another version", text: '{"version":2}', says: "version is not valid" },
  { title: "a list", text: "[1]", says: "the file is not valid" },
  { title: "text that is no JSON", text: '{"settings":', says: "cannot be parsed" },
  {
    title: "a slip in an MCP server",
    text: '{"mcp_servers":{"memory":{"command":"npx","arg":[]}}}',
    says: 'unknown key "arg" in mcp_servers.memory. Did you mean args?',
  },
  {
    title: "a tool of a server that nobody declares",
    text: '{"mcp_servers":{"memory":{"command":"npx"}},"hooks":{"Stop":[{"tool":"memry.save"}]}}',
    says: 'hooks: Stop#1.tool is not valid: there is no MCP server "memry". Did you mean memory?',
  },
  { title: "a declared hook at no event", text: '{"hooks":{"PreToolUze":[]}}', says: "Did you mean PreToolUse?" },
  { title: "a declared hook that does nothing", text: '{"hooks":{"Stop":[{}]}}', says: "hooks.Stop[0] is not valid" },
  {
    title: "two deeds in one",
    text: '{"hooks":[{"on":"Stop","block":"a","ask":"b"}]}',
    says: "exactly one of command",
  },
  { title: "a slip in an entry", text: '{"hooks":[{"on":"Stop","blok":"a"}]}', says: "Did you mean block?" },
];

test.each(mistakes)("$title is an error that names the entry and the nearest key", async ({ text, says }) => {
  await using place = await workspace();
  const file = await place.write("project/.kodelet/hooks.json", text);
  const result = await runMain(place, ["list"]);
  expect(result).toMatchObject({ stdout: "", code: 78, signal: null, stderr: expect.stringContaining(`✖ ${file}`) });
  expect(result.stderr).toContain(says);
});

const bombs: { title: string; text: string; cause?: string }[] = [
  {
    title: "a long list under a thousand names",
    text: `overrides:\n  a: {match: {k: &big [${"v,".repeat(100_000)}]}}\n${Array.from({ length: 1_000 }, (_, n) => `  b${n}: {match: {k: *big}}\n`).join("")}`,
  },
  {
    title: "lists of lists of lists",
    text: `${Array.from({ length: 12 }, (_, n) => `a${n}: &a${n} [${(n === 0 ? "x," : `*a${n - 1},`).repeat(9)}]\n`).join("")}hooks: *a11\n`,
  },
  { title: "a list that holds itself", text: "hooks: &h\n  Stop: *h\n", cause: "a value contains itself" },
];

test.each(bombs)(
  "aliases that stand for more than a file may hold: $title",
  { tags: "slow" },
  async ({ text, cause = "its aliases expand to more than 1 MiB" }) => {
    await using place = await workspace();
    await place.write("project/.kodelet/hooks.yaml", text);
    await place.hook("guard", printResponse({ blocked: true, reason: "no" }));
    const result = await runMain(place, ["run", "before_tool_call"], { stdin: toolCall() });
    expect(result).toMatchObject({ code: 2, signal: null });
    expect(JSON.parse(result.stdout)).toMatchObject({ blocked: true, reason: "no" });
    expect(result.stderr).toContain(cause);
  },
);

test("an alias that stands for little is YAML like any other, and so is a list as long as a file may be", {
  tags: "slow",
}, async () => {
  await using place = await workspace();
  await place.hook("a", printResponse({}));
  const long = `[${"v,".repeat(400_000)}]`;
  await place.write(
    "home/.kodelet/hooks.yaml",
    `overrides:\n  a: &a {priority: 7, match: {k: ${long}}}\n  b: {<<: *a}\n`,
  );
  const result = await runMain(place, ["list", "--json"]);
  expect(result).toMatchObject({ code: 0, stderr: "" });
  expect(JSON.parse(result.stdout).hooks).toMatchObject([{ name: "a", priority: 7 }]);
});

test("on run an unusable project file has no effect: hooks are invoked without it, with a warning", async () => {
  await using place = await workspace();
  await place.write("project/.kodelet/hooks.json", mistakes[0]?.text ?? "");
  await place.hook("asked", touch(join(place.dir, "asked")));
  await place.hook("own", touch(join(place.dir, "own")), { scope: "project" });
  const result = await runMain(place, ["run", "before_tool_call", "--trust"], { stdin: toolCall() });
  expect(result).toMatchObject({ stdout: expect.stringMatching(/^\{"blocked":false.*\}\n$/), code: 0, signal: null });
  expect(result.stderr).toContain('unknown key "timout" in settings. Did you mean timeout?');
  expect([await place.read("asked"), await place.read("own")]).toEqual(["", ""]);
});

test("on run a block is still 2 beside an unusable project file", async () => {
  await using place = await workspace();
  await place.write("project/.kodelet/hooks.json", "{");
  await place.hook("guard", printResponse({ blocked: true, reason: "no" }));
  const result = await runMain(place, ["run", "before_tool_call"], { stdin: toolCall() });
  expect(result).toMatchObject({ code: 2, signal: null, stderr: expect.stringContaining("cannot be parsed") });
  expect(JSON.parse(result.stdout)).toMatchObject({ blocked: true, reason: "no" });
});

test("on run an unusable user file does not let the caller go on", async () => {
  await using place = await workspace();
  await place.write("home/.kodelet/hooks.json", "{");
  await place.hook("guard", printResponse({}));
  const result = await runMain(place, ["run", "before_tool_call"], { stdin: toolCall() });
  expect(result).toMatchObject({ code: 78, signal: null, stderr: expect.stringContaining("cannot be parsed") });
});

test("on run an unusable file is told even when there is no hook", async () => {
  await using place = await workspace();
  await place.write("project/.kodelet/hooks.json", "{");
  const result = await runMain(place, ["run", "before_tool_call"], { stdin: toolCall() });
  expect(result).toMatchObject({ code: 0, signal: null, stderr: expect.stringContaining("cannot be parsed") });
});

const userOnly: { key: string; text: string }[] = [
  { key: "settings.project_hooks", text: '{"settings":{"project_hooks":"allow"}}' },
  { key: "settings.on_untrusted", text: '{"settings":{"on_untrusted":"warn"}}' },
  { key: "settings.record", text: '{"settings":{"record":"off"}}' },
  { key: "settings.env_allow", text: '{"settings":{"env_allow":["API_TOKEN"]}}' },
  { key: "settings.deadline", text: '{"settings":{"deadline":"1ms"}}' },
  { key: "overrides.guard.required", text: '{"overrides":{"guard":{"required":true}}}' },
];

test.each(userOnly)("$key in a project file is an error", async ({ key, text }) => {
  await using place = await workspace();
  const file = await place.write("project/.kodelet/hooks.json", text);
  const stderr = `✖ ${file}: ${key} is only allowed in your user settings (CONFIG_USER_ONLY)\n  Move it to ~/.kodelet/hooks.json\n`;
  expect(await runMain(place, ["list"])).toEqual({ stdout: "", stderr, code: 78, signal: null });
});
