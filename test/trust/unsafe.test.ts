import { chmod, chown, lchown, mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { toolCall } from "../support/payloads.ts";
import { leave } from "../support/shell.ts";
import { toldRun } from "../support/told.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const isRoot = process.getuid?.() === 0;
const STRANGER = 54_321;

const canary = (place: Workspace): string => leave(join(place.dir, "canary"));

/** The state of the only hook after a run in which the project was approved. */
async function outcomeUnder(place: Workspace) {
  const ended = await place.run(["run", "before_tool_call", "--json", "--trust"], { stdin: toolCall() });
  expect(ended).toMatchObject({ code: 0, signal: null });
  const [hook] = toldRun(ended).hooks;
  return { ended, outcome: hook?.outcome, code: hook?.failure?.code, message: hook?.failure?.message };
}

const places: { title: string; spoil: (place: Workspace, file: string) => Promise<string> }[] = [
  { title: "the file is writable by its group", spoil: async (_place, file) => made(file, 0o775) },
  { title: "the file is writable by others", spoil: async (_place, file) => made(file, 0o757) },
  {
    title: "its folder is writable by the group",
    spoil: ({ project }) => made(join(project, ".kodelet", "hooks"), 0o775),
  },
  { title: "a folder above is writable by others", spoil: ({ project }) => made(join(project, ".kodelet"), 0o777) },
  { title: "the project itself is writable by the group", spoil: ({ project }) => made(project, 0o775) },
];

async function made(path: string, mode: number): Promise<string> {
  await chmod(path, mode);
  return path;
}

test.each(places)("a project hook is unsafe, whatever is approved, where $title", async ({ spoil }) => {
  await using place = await workspace();
  const file = await place.hook("guard", canary(place), { scope: "project" });
  const spoiled = await spoil(place, file);
  const { ended, ...found } = await outcomeUnder(place);
  const message = `guard was not started: ${spoiled} is writable by group or others`;
  expect(found).toEqual({ outcome: "refused", code: "HOOK_REFUSED_UNSAFE", message });
  expect(ended.stderr).toContain(`chmod go-w ${spoiled}`);
  expect(await place.read("canary")).toBeNull();
});

test("a user hook is unsafe where a folder up to home is writable by others", async () => {
  await using place = await workspace();
  await place.hook("guard", canary(place));
  const spoiled = await made(join(place.home, ".kodelet"), 0o777);
  const { ended: _ended, ...found } = await outcomeUnder(place);
  const message = `guard was not started: ${spoiled} is writable by group or others`;
  expect(found).toEqual({ outcome: "refused", code: "HOOK_REFUSED_UNSAFE", message });
  expect(await place.read("canary")).toBeNull();
});

test("what lies above home does not count", async () => {
  await using place = await workspace();
  await place.hook("guard", canary(place));
  await chmod(place.dir, 0o777);
  expect(await outcomeUnder(place)).toMatchObject({ outcome: "continue" });
  expect(await place.read("canary")).toBe("");
});

test("a sticky folder is fine, though everyone may write to it", async () => {
  await using place = await workspace();
  await place.hook("guard", canary(place), { scope: "project" });
  await chmod(join(place.project, ".kodelet"), 0o1777);
  expect(await outcomeUnder(place)).toMatchObject({ outcome: "continue" });
  expect(await place.read("canary")).toBe("");
});

test("a link that leaves the project is refused, whatever is approved", async () => {
  await using place = await workspace();
  const target = await place.write("elsewhere/guard", `#!/bin/sh\n${canary(place)}\n`, 0o755);
  await symlink(target, join(place.project, ".kodelet", "hooks", "guard"));
  expect(await outcomeUnder(place)).toMatchObject({ outcome: "refused", code: "HOOK_REFUSED_LINK" });
  expect(await place.read("canary")).toBeNull();
});

test("a linked folder that leaves the project is refused too", async () => {
  await using place = await workspace();
  await place.write("elsewhere/hooks/guard", `#!/bin/sh\n${canary(place)}\n`, 0o755);
  await mkdir(join(place.dir, "second", ".kodelet"), { recursive: true });
  await symlink(join(place.dir, "elsewhere", "hooks"), join(place.dir, "second", ".kodelet", "hooks"));
  const args = ["run", "before_tool_call", "--json", "--trust", "-C", join(place.dir, "second")];
  const ended = await place.run(args, { stdin: toolCall() });
  expect(toldRun(ended).hooks).toMatchObject([{ outcome: "refused", failure: { code: "HOOK_REFUSED_LINK" } }]);
  expect(await place.read("canary")).toBeNull();
});

test("a link inside the project is followed, and the way to its target is walked", async () => {
  await using place = await workspace();
  const text = `#!/bin/sh\n[ "$1" = hook ] && echo before_tool_call\n${canary(place)}\n`;
  const target = await place.write("project/tools/guard", text, 0o755);
  await symlink(target, join(place.project, ".kodelet", "hooks", "guard"));
  expect(await outcomeUnder(place)).toMatchObject({ outcome: "continue" });
  await chmod(join(place.project, "tools"), 0o777);
  expect(await outcomeUnder(place)).toMatchObject({ outcome: "refused", code: "HOOK_REFUSED_UNSAFE" });
});

test("a user hook that is a link out of home is walked up to the top, also beside a project's hooks", async () => {
  await using place = await workspace();
  await place.hook("own", ":", { scope: "project" });
  const text = `#!/bin/sh\n[ "$1" = hook ] && echo before_tool_call\n${canary(place)}\n`;
  const target = await place.write("project/tools/guard", text, 0o755);
  await mkdir(join(place.home, ".kodelet", "hooks"), { recursive: true });
  await symlink(target, join(place.home, ".kodelet", "hooks", "guard"));
  await chmod(place.dir, 0o777);
  const ended = await place.run(["run", "before_tool_call", "--json", "-q"], { stdin: toolCall() });
  expect(ended).toMatchObject({ code: 0, signal: null, stderr: "" });
  const guard = toldRun(ended).hooks.find(({ name }) => name === "guard");
  expect(guard).toMatchObject({ outcome: "refused", failure: { code: "HOOK_REFUSED_UNSAFE" } });
  expect(await place.read("canary")).toBeNull();
});

test.skipIf(!isRoot)("a hook of another user is unsafe (only root can give a file away)", async () => {
  await using place = await workspace();
  const file = await place.hook("guard", canary(place));
  await chown(file, STRANGER, STRANGER);
  const { ended: _ended, ...found } = await outcomeUnder(place);
  const message = `guard was not started: ${file} belongs to another user (uid ${STRANGER})`;
  expect(found).toEqual({ outcome: "refused", code: "HOOK_REFUSED_UNSAFE", message });
  expect(await place.read("canary")).toBeNull();
});

test.skipIf(!isRoot)("a hook in another user's folder is unsafe (only root can give a folder away)", async () => {
  await using place = await workspace();
  await place.hook("guard", canary(place), { scope: "project" });
  await lchown(join(place.project, ".kodelet", "hooks"), STRANGER, STRANGER);
  expect(await outcomeUnder(place)).toMatchObject({ outcome: "refused", code: "HOOK_REFUSED_UNSAFE" });
  expect(await place.read("canary")).toBeNull();
});

test("an unsafe hook of a project never hides the user's", async () => {
  await using place = await workspace();
  await place.hook("guard", `printf '{"blocked":true}'`);
  await place.hook("guard", "printf '{}'", { scope: "project", mode: 0o775 });
  const ended = await place.run(["run", "before_tool_call", "--trust", "-q"], { stdin: toolCall() });
  expect(ended).toMatchObject({ code: 2, signal: null, stderr: "", stdout: expect.stringContaining('"blocked":true') });
});
