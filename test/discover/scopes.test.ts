import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runMain } from "../support/in-process.ts";
import { namesOf, parseListJson } from "../support/json-output.ts";
import { touch } from "../support/shell.ts";
import { type CallOptions, type Workspace, workspace } from "../support/workspace.ts";

async function searched(place: Workspace, options: CallOptions = {}, args: readonly string[] = []) {
  const result = await runMain(place, ["list", "--json", ...args], options);
  expect(result).toMatchObject({ code: 0, signal: null, stderr: "" });
  return parseListJson(result);
}

const userHooks = ({ home }: Workspace) => join(home, ".kodelet", "hooks");
const projectHooks = ({ project }: Workspace) => join(project, ".kodelet", "hooks");

test("the project is the nearest parent that has a .kodelet", async () => {
  await using place = await workspace();
  const deep = join(place.project, "src", "deep");
  await mkdir(deep, { recursive: true });
  expect((await searched(place, { cwd: deep })).searched).toEqual([projectHooks(place), userHooks(place)]);
});

test("the project is not looked for above the git root", async () => {
  await using place = await workspace();
  const repository = join(place.project, "repository");
  await mkdir(join(repository, "src"), { recursive: true });
  await mkdir(join(repository, ".git"));
  const cwd = join(repository, "src");
  expect((await searched(place, { cwd })).searched).toEqual([join(cwd, ".kodelet", "hooks"), userHooks(place)]);
});

test("the project is not looked for above HOME", async () => {
  await using place = await workspace();
  await mkdir(join(place.dir, ".kodelet"));
  const cwd = join(place.home, "work");
  await mkdir(cwd);
  expect((await searched(place, { cwd })).searched).toEqual([join(cwd, ".kodelet", "hooks"), userHooks(place)]);
});

test("HOME itself is user scope only", async () => {
  await using place = await workspace();
  await place.hook("guard", "printf '{}'");
  const listed = await searched(place, { cwd: place.home });
  expect(listed.searched).toEqual([userHooks(place)]);
  expect(listed.hooks).toMatchObject([{ name: "guard", source: "user", trust: "trusted" }]);
});

test("-C names the folder from which the project is looked for", async () => {
  await using place = await workspace();
  const deep = join(place.project, "src");
  await mkdir(deep);
  for (const args of [["-C", deep], ["-C", "project/src"], [`--directory=${place.project}`]]) {
    expect((await searched(place, { cwd: place.dir }, args)).searched[0]).toBe(projectHooks(place));
  }
});

test("-C with a folder that does not exist is wrong usage", async () => {
  await using place = await workspace();
  const result = await runMain(place, ["list", "-C", "gone"]);
  const stderr = `✖ ${place.project}/gone: there is no such folder. (PROJECT_MISSING)\n  Name a folder that exists.\n`;
  expect(result).toEqual({ stdout: "", stderr, code: 64, signal: null });
});

test("--hooks-dir replaces the default folders and needs approval like a project", async () => {
  await using place = await workspace();
  await place.hook("own", "printf '{}'");
  const canary = join(place.dir, "canary");
  await place.write("project/one/first", `#!/bin/sh\n${touch(canary)}\necho before_tool_call\n`, 0o755);
  await place.write("project/two/second", "#!/bin/sh\necho before_tool_call\n", 0o755);
  const args = ["--hooks-dir", "one", "--hooks-dir", join(place.project, "two")];
  const untrusted = await searched(place, {}, args);
  expect(untrusted.searched).toEqual([join(place.project, "one"), join(place.project, "two")]);
  expect(untrusted.hooks.map(({ name, source, trust }) => [name, source, trust])).toEqual([
    ["first", "explicit", "untrusted"],
    ["second", "explicit", "untrusted"],
  ]);
  expect(await place.read("canary")).toBeNull();
  const trusted = await searched(place, {}, [...args, "--trust"]);
  expect(namesOf(trusted)).toEqual(["first", "second"]);
  expect(await place.read("canary")).toBe("");
});

const homes = [
  { title: "relative", HOME: "home" },
  { title: "missing", HOME: undefined },
  { title: "empty", HOME: "" },
  { title: "a folder that does not exist", HOME: "/no/such/home" },
  { title: "a file", HOME: "/etc/passwd" },
];

test.each(homes)("a HOME that is $title means no user scope, with a warning", async ({ HOME }) => {
  await using place = await workspace();
  await place.hook("guard", "printf '{\"blocked\":true}'");
  const listed = await searched(place, { cwd: place.dir, env: { HOME } });
  expect(listed).toMatchObject({ hooks: [], searched: [`${place.dir}/.kodelet/hooks`] });
  expect(listed.warnings).toEqual([
    expect.stringMatching(
      /^HOME (?:is not set|".+" is not an existing absolute folder .*): user hooks are not loaded$/,
    ),
  ]);
  const stdin = '{"tool_name":"bash","tool_input":{}}';
  const result = await runMain(place, ["run", "before_tool_call"], { cwd: place.dir, env: { HOME }, stdin });
  expect(result).toMatchObject({ code: 0, stderr: expect.stringContaining("user hooks are not loaded") });
});
