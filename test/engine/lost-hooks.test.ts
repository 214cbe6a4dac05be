import { appendFile, chmod, readFile, rename, rm, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runInProcess } from "../support/in-process.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const STDIN = JSON.stringify({ tool_name: "bash", tool_input: { command: "ls" } });
const OPEN = "before_tool_call";
const CLOSED = '{"event":"before_tool_call","fail_open":false}';

const run = (place: Workspace, event = "before_tool_call") =>
  runInProcess(place, `run ${event} --json`, { stdin: event === "before_tool_call" ? STDIN : "{}" });

async function guard(scope: "user" | "project", says: string) {
  const place = await workspace();
  const path = await place.hook("guard", "cat >/dev/null", { scope, says });
  if (scope === "project") expect(await runInProcess(place, "trust guard")).toMatchObject({ code: 0 });
  expect(await run(place)).toMatchObject({ code: 0, stderr: expect.not.stringContaining("no longer runs") });
  return { place, path };
}

describe.each(["user", "project"] as const)("a %s hook that lost its execute bit", (scope) => {
  test("and fails open is told in each run at its event, in the list and by doctor", async () => {
    const { place, path } = await guard(scope, OPEN);
    await using _ = place;
    await chmod(path, 0o644);
    for (let call = 0; call < 2; call++) {
      const { stdout, stderr, code } = await run(place);
      expect({ stderr, code }).toMatchObject({
        stderr: expect.stringContaining("guard no longer runs"),
        code: 0,
      });
      expect(JSON.parse(stdout).guard_warnings).toMatchObject([{ code: "HOOK_LOST", hook: "guard" }]);
    }
    expect((await run(place, "session_end")).stderr).not.toContain("no longer runs");
    const list = (await runInProcess(place, "list")).stdout;
    expect(list).toContain("guard");
    expect(list).not.toContain("hookctl init");
    expect(await runInProcess(place, "doctor")).toMatchObject({
      stdout: expect.stringContaining("✖ hook: guard"),
      code: 1,
    });
  });

  test("and is closed blocks", async () => {
    const { place, path } = await guard(scope, CLOSED);
    await using _ = place;
    await chmod(path, 0o644);
    expect(await run(place)).toMatchObject({ code: 2 });
  });
});

test("an approved hook that is gone is told until it is forgotten by the command that the warning names", async () => {
  const { place, path } = await guard("project", OPEN);
  await using _ = place;
  await rm(path);
  expect((await run(place)).stderr).toContain("If this is intended: hookctl untrust guard");
  expect(await runInProcess(place, "untrust guard")).toMatchObject({ code: 0 });
  expect((await run(place)).stderr).not.toContain("no longer runs");
});

test.each([OPEN, CLOSED])("hookctl test with nothing but a hook that is gone names the way out: %s", async (says) => {
  const { place, path } = await guard("project", says);
  await using _ = place;
  await rm(path);
  const { stdout, stderr, code } = await runInProcess(place, "test");
  expect({ stdout, code }).toEqual({
    stdout:
      "Skipped\n • guard: it no longer runs: it does not exist\n     Restore the file. If this is intended: hookctl untrust guard\n",
    code: 77,
  });
  expect(stderr).toContain("(NOTHING_TO_TEST)\n  To see why: hookctl list\n");
});

test("a hook that is disabled by its name is as meant", async () => {
  const { place, path } = await guard("user", OPEN);
  await using _ = place;
  await rm(path);
  await place.write(`${path}.disable`, "#!/bin/sh\necho before_tool_call\n", 0o755);
  expect(await run(place)).toMatchObject({ code: 0, stderr: "" });
});

describe("a user hook that is gone", () => {
  test("and fails open is told at its event, as the last one too, until untrust forgets it", async () => {
    const { place, path } = await guard("user", OPEN);
    await using _ = place;
    await rm(path);
    for (let call = 0; call < 2; call++) {
      // Without --json this call takes the way on which nothing listens.
      const { stderr, code } = await runInProcess(place, "run before_tool_call", { stdin: STDIN });
      expect({ stderr, code }).toMatchObject({
        stderr: expect.stringContaining("guard no longer runs: it does not exist"),
        code: 0,
      });
    }
    const { stdout } = await run(place);
    expect(JSON.parse(stdout).guard_warnings).toMatchObject([{ code: "HOOK_LOST", hook: "guard" }]);
    expect((await run(place, "session_end")).stderr).not.toContain("no longer runs");
    const list = (await runInProcess(place, "list")).stdout;
    expect(list).toContain("No hook can run, 1 missing. Searched");
    expect(list).toContain("guard no longer runs. If this is intended: hookctl untrust guard");
    expect(list).not.toMatch(/no problems|hookctl init/);
    expect(await runInProcess(place, "doctor")).toMatchObject({
      stdout: expect.stringMatching(/✖ hook: guard .*it does not exist/),
      code: 1,
    });
    expect(await runInProcess(place, "untrust guard")).toMatchObject({
      stdout: "✔ Removed the approval of guard\n",
      code: 0,
    });
    expect(await run(place)).toMatchObject({ stderr: "", code: 0 });
    expect((await runInProcess(place, "list")).stdout).toContain("hookctl init");
  });

  test("and is closed blocks, in a run and in the agent's words, without the cache too", async () => {
    const { place, path } = await guard("user", CLOSED);
    await using _ = place;
    await rm(path);
    await rm(join(place.home, ".cache"), { recursive: true, force: true });
    expect(await run(place)).toMatchObject({
      stderr: expect.stringContaining("If this is intended: hookctl untrust guard"),
      code: 2,
    });
    const native = JSON.stringify({ hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "ls" } });
    const { stdout } = await runInProcess(place, "bridge claude", { stdin: native });
    expect(JSON.parse(stdout)).toMatchObject({ hookSpecificOutput: { permissionDecision: "deny" } });
  });

  test("is forgotten by trust --prune", async () => {
    const { place, path } = await guard("user", CLOSED);
    await using _ = place;
    await rm(path);
    expect(await runInProcess(place, "trust --prune")).toMatchObject({
      stdout: expect.stringContaining("✔ Removed the approval of guard"),
      code: 0,
    });
    expect(await run(place)).toMatchObject({ stderr: "", code: 0 });
  });

  test("is not told once more when it is back", async () => {
    const { place, path } = await guard("user", OPEN);
    await using _ = place;
    await rm(path);
    await place.hook("guard", "cat >/dev/null", { says: OPEN });
    expect((await run(place)).stderr).not.toContain("no longer runs");
  });
});

test("what user hooks said is noted beside the approvals, for the user alone, and written only when it changes", async () => {
  const { place } = await guard("user", OPEN);
  await using _ = place;
  const note = join(place.home, ".local/state/hookctl/user-hooks.json");
  const before = await stat(note);
  expect(before.mode & 0o777).toBe(0o600);
  await run(place);
  expect((await stat(note)).ino).toBe(before.ino);
  await place.hook("guard", "cat >/dev/null", { says: "session_end" });
  await run(place);
  expect(await readFile(note, "utf8")).toContain("session_end");
  // Anybody could have written it: then it says nothing.
  await chmod(note, 0o666);
  await rm(join(place.home, ".kodelet/hooks/guard"));
  expect((await run(place, "session_end")).stderr).not.toContain("no longer runs");
});

const BROKEN: readonly [what: string, text: string][] = [
  ["whose interpreter is missing", "#!/nowhere/interpreter\n"],
  ["whose interpreter env cannot find", "#!/usr/bin/env no-such-interpreter\n"],
  ["that prints garbage", "#!/bin/sh\necho nonsense\n"],
  ["that fails when it is asked", "#!/bin/sh\nexit 3\n"],
  ["that is no program any more", "nonsense\n"],
];

describe.each(BROKEN)("a user hook that answered before and %s", (_what, text) => {
  test("and fails open is told at the events that it said", async () => {
    const { place, path } = await guard("user", OPEN);
    await using _ = place;
    await place.write(path, text, 0o755);
    const { stdout, stderr, code } = await run(place);
    expect({ stderr, code }).toMatchObject({ stderr: expect.stringContaining("guard no longer runs"), code: 0 });
    expect(JSON.parse(stdout).guard_warnings).toMatchObject([{ code: "HOOK_LOST", hook: "guard" }]);
    expect(await run(place, "session_end")).toMatchObject({ stderr: "", code: 0 });
    expect((await runInProcess(place, "list")).stdout).toContain(", 1 missing. Searched");
    expect(await runInProcess(place, "doctor")).toMatchObject({
      stdout: expect.stringMatching(/✖ hook: `?guard/),
      code: 1,
    });
  });

  test("and is closed blocks, although its text does not say so any more", async () => {
    const { place, path } = await guard("user", CLOSED);
    await using _ = place;
    await place.write(path, text, 0o755);
    expect(await run(place)).toMatchObject({ code: 2 });
  });
});

describe("an approved hook whose interpreter went away", () => {
  test.each([
    [OPEN, 0],
    [CLOSED, 2],
  ])("and says %s ends with %i", async (says, code) => {
    await using place = await workspace();
    const interpreter = await place.write("bin/sh-of-mine", '#!/bin/sh\nexec /bin/sh "$@"\n', 0o755);
    await place.write(
      "project/.kodelet/hooks/guard",
      `#!${interpreter}\n[ "$1" = hook ] && echo '${says}'\ncat >/dev/null\n`,
      0o755,
    );
    expect(await runInProcess(place, "trust guard")).toMatchObject({ code: 0 });
    expect(await run(place)).toMatchObject({ code: 0 });
    await rm(interpreter);
    const { stdout, code: found } = await run(place);
    expect(found).toBe(code);
    expect(JSON.parse(stdout).hooks).toMatchObject([{ outcome: "failed" }]);
    if (code === 0) expect(JSON.parse(stdout).guard_warnings).toMatchObject([{ code: "HOOK_LOST" }]);
    expect(await runInProcess(place, "doctor")).toMatchObject({
      stdout: expect.stringContaining("✖ hook: guard"),
      code: 1,
    });
  });
});

test("a user hook disabled by its name is a row of the list, and doctor says it", async () => {
  const { place, path } = await guard("user", OPEN);
  await using _ = place;
  await rename(path, `${path}.disable`);
  expect(await run(place)).toMatchObject({ code: 0, stderr: "" });
  const list = (await runInProcess(place, "list")).stdout;
  expect(list).toMatch(/off {2}guard .*disabled by its name/);
  expect(list).not.toContain("lost");
  for (const line of ["list --strict", "run before_tool_call --dry-run --strict"])
    expect(await runInProcess(place, line)).toMatchObject({ code: 0 });
  expect((await runInProcess(place, "doctor")).stdout).toContain("▲ hook: guard is disabled by its name");
});

test("an approved project hook disabled by its name is lost until a person forgets it", async () => {
  const { place, path } = await guard("project", OPEN);
  await using _ = place;
  await rename(path, `${path}.disable`);
  for (let call = 0; call < 2; call++) {
    const { stdout, stderr, code } = await run(place);
    expect({ stderr, code }).toMatchObject({
      stderr: expect.stringContaining("guard no longer runs: disabled by its name"),
      code: 0,
    });
    expect(JSON.parse(stdout).guard_warnings).toMatchObject([{ code: "HOOK_LOST", hook: "guard" }]);
  }
  expect(await run(place, "session_end")).toMatchObject({ stderr: "", code: 0 });
  const lines = ["list --strict", "run before_tool_call --dry-run --strict"];
  for (const line of lines)
    expect(await runInProcess(place, line)).toMatchObject({ code: 1, stderr: expect.stringContaining("(HOOK_LOST)") });
  expect((await runInProcess(place, "list")).stdout).toContain(", 1 missing. Searched");
  expect(await runInProcess(place, "doctor")).toMatchObject({
    code: 1,
    stdout: expect.stringContaining("✖ hook: guard"),
  });
  expect(await runInProcess(place, "untrust guard")).toMatchObject({ code: 0 });
  expect(await run(place)).toMatchObject({ stderr: "", code: 0 });
  for (const line of lines) expect(await runInProcess(place, line)).toMatchObject({ code: 0 });
});

/** What happened to an approved hook, and whether an approval cures it. */
const LOSSES: readonly (readonly [string, (path: string) => Promise<unknown>, boolean])[] = [
  ["changed", (path) => appendFile(path, "\n# more\n"), true],
  ["deleted", (path) => rm(path), false],
  ["renamed", (path) => rename(path, `${path}.disable`), false],
  ["made not executable", (path) => chmod(path, 0o644), false],
  ["replaced by a link out of the project", (path) => rm(path).then(() => symlink("/bin/true", path)), false],
  ["opened to others", (path) => chmod(path, 0o757), false],
];

test.each(LOSSES)(
  "of an approved hook that was %s, `hookctl trust` is named only if it helps",
  async (_, lose, helps) => {
    const { place, path } = await guard("project", CLOSED);
    await using _place = place;
    await lose(path);
    const blocked = await run(place);
    expect(blocked.code).toBe(2);
    const start = JSON.stringify({ hook_event_name: "SessionStart", session_id: "s1", cwd: place.project });
    const said = [
      JSON.parse(blocked.stdout).reason,
      (await runInProcess(place, "bridge claude", { stdin: start })).stdout,
      (await runInProcess(place, "list")).stdout,
      (await runInProcess(place, "doctor")).stdout,
      (await runInProcess(place, "overview")).stdout,
    ];
    const named = said.map((text) => text.includes("hookctl trust"));
    const trusted = await runInProcess(place, "trust guard");
    expect(trusted.stderr).not.toMatch(/Unknown hook|hookctl trust/);
    expect([...named, trusted.code === 0]).toEqual([...said, ""].map(() => helps));
  },
);
