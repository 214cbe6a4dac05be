import { chmod, chown, lchown, mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runToolCall } from "../support/approvals.ts";
import { runInProcess, runMain } from "../support/in-process.ts";
import { parseRunJson } from "../support/json-output.ts";
import { toolCall } from "../support/payloads.ts";
import { touch } from "../support/shell.ts";
import { withoutSandbox } from "../support/without-sandbox.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

withoutSandbox();

const isRoot = process.getuid?.() === 0;
const STRANGER = 54_321;

const REFUSED = { name: "guard", outcome: "refused" };

/** A path as a call inside the test's own process tells it. */
const shown = (path: string, { dir }: Workspace): string => path.replace(dir, "DIR");

const canary = (place: Workspace): string => touch(join(place.dir, "canary"));

/** The state of the only hook after a run in which the project was approved. */
async function outcomeUnder(place: Workspace) {
  const result = await runMain(place, ["run", "before_tool_call", "--json", "--trust"], { stdin: toolCall() });
  expect(result).toMatchObject({ code: 0, signal: null });
  const [hook] = parseRunJson(result).hooks;
  return { ended: result, outcome: hook?.outcome, code: hook?.failure?.code, message: hook?.failure?.message };
}

const places: { title: string; spoil: (place: Workspace, file: string) => Promise<string> }[] = [
  { title: "the file may be written by all", spoil: async (_place, file) => made(file, 0o757) },
  { title: "the file is writable by others", spoil: async (_place, file) => made(file, 0o757) },
  {
    title: "its folder may be written by all",
    spoil: ({ project }) => made(join(project, ".kodelet", "hooks"), 0o757),
  },
  { title: "a folder above is writable by others", spoil: ({ project }) => made(join(project, ".kodelet"), 0o777) },
  { title: "the project itself may be written by all", spoil: ({ project }) => made(project, 0o757) },
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
  const result = await runMain(place, args, { stdin: toolCall() });
  expect(parseRunJson(result).hooks).toMatchObject([{ outcome: "refused", failure: { code: "HOOK_REFUSED_LINK" } }]);
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
  const result = await runMain(place, ["run", "before_tool_call", "--json", "-q"], { stdin: toolCall() });
  // The approvals lie below that folder too, so the project hook beside it blocks.
  expect(result).toMatchObject({ code: 2, signal: null, stderr: "" });
  const guard = parseRunJson(result).hooks.find(({ name }) => name === "guard");
  expect(guard).toMatchObject({ failure: { code: "HOOK_REFUSED_UNSAFE" } });
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

describe("what is known of a user's hook counts when it is refused", () => {
  /** A hook that says this of itself by a text in which it does not stand, and has said so. */
  async function asked(place: Workspace, says: string): Promise<string> {
    const result = Buffer.from(says).toString("base64");
    const file = await place.hook("guard", `#!/bin/sh\n[ "$1" = hook ] && echo ${result} | base64 -d; :`);
    expect(await runToolCall(place)).toMatchObject({ decision: "continue" });
    return file;
  }

  const remembered: { says: string; decision: string; by: string | null; hooks: readonly object[] }[] = [
    { says: '{"event":"before_tool_call","fail_open":false}', decision: "block", by: "guard", hooks: [REFUSED] },
    { says: '{"event":"before_tool_call"}', decision: "continue", by: null, hooks: [REFUSED] },
    { says: '{"event":"agent_stop","fail_open":false}', decision: "continue", by: null, hooks: [] },
  ];
  test.each(remembered)("one that said $says decides $decision", async ({ says, decision, by, hooks }) => {
    await using place = await workspace();
    const file = await asked(place, says);
    await chmod(file, 0o757);
    const run = await runToolCall(place);
    expect(run).toMatchObject({ decision, decided_by: by, hooks });
    if (decision === "block") expect(run.reason).toContain(`${shown(file, place)} is writable by group or others`);
    await chmod(file, 0o755);
    expect(await runToolCall(place)).toMatchObject({ decision: "continue" });
    await chmod(join(place.home, ".kodelet/hooks"), 0o777);
    expect(await runToolCall(place)).toMatchObject({ decision, decided_by: by, hooks });
  });

  test("so it does where the sandbox that it needs is missing", async () => {
    await using place = await workspace();
    await asked(place, '{"event":"before_tool_call","fail_open":false}');
    await place.write("home/.kodelet/hooks.json", JSON.stringify({ overrides: { guard: { sandbox: "require" } } }));
    expect(await runToolCall(place)).toMatchObject({ decision: "block", decided_by: "guard" });
  });

  test("where nothing can be denied it is a warning", async () => {
    await using place = await workspace();
    const file = await asked(place, '{"event":["before_tool_call","session_end"],"fail_open":false}');
    await chmod(file, 0o757);
    const result = await runInProcess(place, "run session_end", { stdin: "{}" });
    expect(result).toMatchObject({ code: 0, stdout: expect.stringContaining("is writable by group or others") });
  });

  const read: { title: string; text: string; scope?: "project"; decision: string }[] = [
    { title: "speaks of a closed hook", text: '# before_tool_call, "fail_open": false', decision: "block" },
    { title: "says nothing of that", text: "# before_tool_call", decision: "continue" },
    { title: "names only another event", text: '# agent_stop, "fail_open": false', decision: "continue" },
    {
      title: "is a project's",
      text: '# before_tool_call, "fail_open": false',
      scope: "project",
      decision: "continue",
    },
  ];
  test.each(read)("one that was never asked and whose text $title decides $decision", async (row) => {
    await using place = await workspace();
    const text = `#!/bin/sh\n${row.text}\n${canary(place)}\n`;
    await place.hook("guard", text, { scope: row.scope ?? "user", mode: 0o757 });
    for (const args of ["", "--no-cache"]) {
      expect(await runToolCall(place, args)).toMatchObject({ decision: row.decision });
    }
    expect(await place.read("canary")).toBeNull();
  });
});

test("an unsafe hook of a project never hides the user's", async () => {
  await using place = await workspace();
  await place.hook("guard", `printf '{"blocked":true}'`);
  await place.hook("guard", "printf '{}'", { scope: "project", mode: 0o757 });
  const result = await runMain(place, ["run", "before_tool_call", "--trust", "-q"], { stdin: toolCall() });
  expect(result).toMatchObject({
    code: 2,
    signal: null,
    stderr: "",
    stdout: expect.stringContaining('"blocked":true'),
  });
});
