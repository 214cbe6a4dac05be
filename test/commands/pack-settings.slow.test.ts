import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runInProcess } from "../support/in-process.ts";
import { guardText, hasGit, packRepository } from "../support/pack-repository.ts";
import { toolCall } from "../support/payloads.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const run = (place: Workspace) => runInProcess(place, "run before_tool_call", { stdin: toolCall() });
const reasonOf = async (place: Workspace): Promise<string | undefined> => JSON.parse((await run(place)).stdout).reason;
const rule = (block: string, more: object = {}) => ({ name: "rule", block, ...more });
const settings = (...hooks: readonly object[]): string => JSON.stringify({ hooks: { before_tool_call: hooks } });
const FILE = ".kodelet/plugins/guards/hooks.json";

describe.skipIf(!hasGit)("the settings of a pack", () => {
  test("are shown, locked and approved with it, and its rule blocks under the name of the pack", async () => {
    await using place = await workspace();
    const repository = await packRepository(place);
    await repository.commit({ "hooks.json": settings(rule("by rule")) });
    expect(await runInProcess(place, `add ${repository.url}`)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /▲ Not approved, so not run\..*: hookctl trust \.kodelet\/plugins\/guards\/hooks\.json\n$/,
      ),
    });
    expect(await reasonOf(place)).toBeUndefined();
    const added = await runInProcess(place, "add --yes");
    expect(added).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/✔ Approved \.kodelet\/plugins\/guards\/hooks\.json.*\n✔ Approved guards\/rule /),
      stderr: expect.stringMatching(
        /a pack of 0 hooks and settings, 1 file; event named in its text: before_tool_call[\s\S]*by rule/,
      ),
    });
    expect(await reasonOf(place)).toBe("by rule");
    const lock = JSON.parse((await place.read("project/.kodelet/hooks.lock")) ?? "");
    expect(lock.packs.guards.files).toEqual({ "hooks.json": { sha256: expect.stringMatching(/^[0-9a-f]{64}$/) } });
    expect(await runInProcess(place, "list")).toMatchObject({ stdout: expect.stringContaining("guards/rule") });
    expect(await runInProcess(place, "test guards/rule")).toMatchObject({ code: 0 });
    expect(await runInProcess(place, "add")).toMatchObject({ stdout: expect.stringMatching(/^• Up to date/) });
  });

  test("start their command in the folder of the pack, and only as long as its files are the approved ones", async () => {
    await using place = await workspace();
    const repository = await packRepository(place);
    const script = `#!/bin/sh\necho '{"blocked": true, "reason": "'$(basename "$PWD")'"}'\n`;
    const declared = { name: "check", command: "sh hooks/lib/check.sh", fail_open: false, files: ["hooks/lib/x.txt"] };
    await repository.commit({
      "hooks.yaml": `hooks:\n  before_tool_call:\n    - ${JSON.stringify(declared)}\n`,
      "hooks/lib/check.sh": script,
      "hooks/lib/x.txt": "x\n",
    });
    expect(await runInProcess(place, `add ${repository.url} --name acme/guards --yes`)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("✔ Approved acme/guards/check"),
    });
    expect(await reasonOf(place)).toBe("acme@guards");
    for (const file of ["check.sh", "x.txt"]) {
      const path = `project/.kodelet/plugins/acme@guards/hooks/lib/${file}`;
      const before = (await place.read(path)) ?? "";
      await place.write(path, "exit 0\n");
      expect(await reasonOf(place)).toMatch(/changed/);
      await place.write(path, before);
      expect(await reasonOf(place)).toBe("acme@guards");
    }
  });

  test("override hooks of the pack and no others", async () => {
    await using place = await workspace();
    const repository = await packRepository(place);
    const overrides = { guard: { enabled: false }, other: { match: { tool_name: "none" } } };
    await repository.commit({
      "hooks/guard": guardText("guard"),
      "hooks/other": guardText("other"),
      "hooks.json": JSON.stringify({ overrides }),
    });
    await place.hook("guard", guardText("own"), { scope: "project" });
    await runInProcess(place, "trust guard");
    await runInProcess(place, `add ${repository.url} --yes`);
    expect(await reasonOf(place)).toBe("own");
    expect(await runInProcess(place, "list --all")).toMatchObject({
      stdout: expect.stringMatching(/guards\/guard .*(?:off|switched off|disabled)/),
    });
    await rm(join(place.project, ".kodelet/hooks/guard"));
    await runInProcess(place, "untrust guard");
    expect(await reasonOf(place)).toBeUndefined();
    // The project's own word goes first, key by key.
    await place.write(
      "project/.kodelet/hooks.json",
      JSON.stringify({ overrides: { "guards/guard": { enabled: true } } }),
    );
    await runInProcess(place, "trust .kodelet/hooks.json");
    expect(await reasonOf(place)).toBe("guard");
  });

  test("override no hook of others, by update and after an approval neither", async () => {
    await using place = await workspace();
    const repository = await packRepository(place);
    await place.hook("own", guardText("own"), { scope: "project" });
    await runInProcess(place, "trust own");
    await repository.commit({ "hooks/guard": guardText("guard"), "hooks.json": settings(rule("rule")) });
    await runInProcess(place, `add ${repository.url} --yes`);
    const foreign = JSON.stringify({ overrides: { own: { enabled: false } }, ...JSON.parse(settings(rule("rule"))) });
    await repository.commit({ "hooks.json": foreign });
    expect(await runInProcess(place, "update --yes")).toEqual({
      ...{ code: 1, stdout: expect.any(String) },
      stderr: expect.stringContaining("overrides.own is not valid: the pack has no hook of this name"),
    });
    await place.write(`project/${FILE}`, foreign);
    expect((await runInProcess(place, `trust ${FILE} --yes`)).stderr).toContain("overrides.own");
    expect(await reasonOf(place)).toBe("own");
    expect((await runInProcess(place, "list --all")).stdout).not.toMatch(/ own .*(?:off|disabled)/);
  });

  test("that were changed, broken or deleted without approval still apply as approved", async () => {
    await using place = await workspace();
    const repository = await packRepository(place);
    await repository.commit({ "hooks.json": settings(rule("approved")) });
    await runInProcess(place, `add ${repository.url} --yes`);
    for (const text of [settings(rule("weaker", { match: { tool_name: "none" } })), settings(), "{"]) {
      await place.write(`project/${FILE}`, text);
      expect(await run(place)).toMatchObject({
        stdout: expect.stringContaining('"reason":"approved"'),
        stderr: expect.stringContaining("guards/hooks.json"),
      });
    }
    for (const path of [FILE, ".kodelet/plugins"]) {
      await rm(join(place.project, path), { recursive: true });
      expect(await reasonOf(place)).toBe("approved");
    }
  });

  test("are compared by update, and forgotten by remove", async () => {
    await using place = await workspace();
    const repository = await packRepository(place);
    await repository.commit({ "hooks.json": settings(rule("one"), { name: "second", block: "second" }) });
    await runInProcess(place, `add ${repository.url} --yes`);
    await repository.commit({ "hooks.json": settings(rule("two")) });
    expect(await runInProcess(place, "update")).toEqual({
      code: 77,
      stdout: "",
      stderr: expect.stringMatching(/- .*"one"[\s\S]*\+ .*"two"/),
    });
    expect(await reasonOf(place)).toBe("one");
    expect(await runInProcess(place, "update --yes")).toMatchObject({ code: 0 });
    expect(await reasonOf(place)).toBe("two");
    expect((await runInProcess(place, "list --all")).stdout).not.toContain("second");
    expect(await runInProcess(place, "remove guards")).toMatchObject({ code: 0 });
    expect(await run(place)).toEqual({ code: 0, stdout: '{"blocked":false}\n', stderr: "" });
    expect((await runInProcess(place, "trust --list")).stdout).not.toContain("guards");
  });

  test("are not approved by a yes as far as they start files outside the pack", async () => {
    await using place = await workspace();
    const repository = await packRepository(place);
    await place.write("project/tools/own.sh", "exit 0\n");
    await repository.commit({ "hooks.json": settings({ name: "outside", command: "sh ../../../tools/own.sh" }) });
    expect(await runInProcess(place, `add ${repository.url} --yes`)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /▲ Not approved, so not run \(it can load files .*: hookctl trust guards\/outside\n$/,
      ),
    });
  });

  const refused: readonly (readonly [text: string, words: RegExp])[] = [
    [
      JSON.stringify({ settings: { enabled: false }, hooks: {} }),
      /settings is not valid: a pack may contain only hooks/,
    ],
    [JSON.stringify({ guards: { git: false } }), /guards is not valid: a pack may contain only/],
    [JSON.stringify({ mcp_servers: { m: { command: "x" } } }), /mcp_servers is not valid: a pack may contain only/],
    [
      JSON.stringify({ overrides: { guard: { required: true } } }),
      /overrides\.guard\.required is only allowed in your/,
    ],
    [JSON.stringify({ overrides: { "other/guard": {} } }), /overrides\.other\/guard is not valid/],
    [JSON.stringify({ overrides: { git: { enabled: false } } }), /overrides\.git is not valid: the pack has no hook/],
    [JSON.stringify({ overrides: { "..": {} } }), /overrides\.\.\. is not valid: the pack has no hook/],
    [settings(rule("x", { name: "a/b" })), /a name in a pack cannot contain a slash/],
    [settings(rule("x", { required: true })), /required is only allowed in your/],
    [settings({ name: "t", tool: "memory.load" }), /a pack cannot have MCP servers/],
    [settings({ name: "c", command: "x", files: ["../x"] }), /a file is not in the pack/],
    [settings(rule("x", { nonsense: 1 })), /nonsense/],
    [JSON.stringify({ nonsense: 1 }), /unknown key "nonsense"/],
    ["{", /cannot be parsed: line 1/],
  ];
  test.each(refused)("with %s are refused when the pack is added", async (text, words) => {
    await using place = await workspace();
    const repository = await packRepository(place);
    await repository.commit({ "hooks/guard": guardText("one"), "hooks.json": text });
    expect(await runInProcess(place, `add ${repository.url} --yes`)).toEqual({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(new RegExp(`was refused: hooks\\.json[\\s\\S]*${words.source}|${words.source}`)),
    });
    expect(await place.read("project/.kodelet/hooks.lock")).toBeNull();
    // The same file in a folder that nobody added has no effect either.
    await place.write(`project/${FILE}`, text);
    const warned = { blocked: false, warnings: [expect.stringContaining(FILE)] };
    expect(JSON.parse((await run(place)).stdout)).toEqual(warned);
  });

  test("of a plugin in another program's form have no effect, unless others were approved there", async () => {
    await using place = await workspace();
    const foreign = JSON.stringify({ hooks: { PreToolUse: [{ hooks: [{ type: "command", command: "false" }] }] } });
    await place.write(`project/${FILE}`, foreign);
    expect(await run(place)).toEqual({ code: 0, stdout: '{"blocked":false}\n', stderr: "" });
    await place.write(`project/${FILE}`, settings(rule("approved")));
    await runInProcess(place, `trust ${FILE}`);
    await place.write(`project/${FILE}`, foreign);
    expect(await reasonOf(place)).toBe("approved");
  });

  test("without a hook are no pack, and have no effect in the user's scope, which is said", async () => {
    await using place = await workspace();
    const repository = await packRepository(place);
    await repository.commit({ "hooks.json": "{}" });
    expect(await runInProcess(place, `add ${repository.url} --yes`)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("has no hooks"),
    });
    await repository.commit({ "hooks.json": settings(rule("one")) });
    expect(await runInProcess(place, `add ${repository.url} --yes --scope user`)).toEqual({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/hooks\.json in it would have no effect among your own hooks/),
    });
  });
});
