import { execFileSync } from "node:child_process";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { withDistinctNames } from "../../src/discover/candidate-names.ts";
import type { Candidate } from "../../src/protocol/hook.ts";
import { runInProcess } from "../support/in-process.ts";
import { hookScript, printResponse } from "../support/shell.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const STDIN = JSON.stringify({ tool_name: "bash", tool_input: { command: "ls" } });
const blocks = (reason: string): string => printResponse({ blocked: true, reason });
const BRIDGE = { session_id: "s1", tool_name: "Bash", tool_input: { command: "ls" } };

const runIn = (place: Workspace, folder: string) =>
  runInProcess(place, "run before_tool_call --json", { stdin: STDIN, host: { cwd: join(place.project, folder) } });

async function decided(place: Workspace, folder: string) {
  const { stdout, code } = await runIn(place, folder);
  const { decision, decided_by, hooks } = JSON.parse(stdout);
  const asked = hooks.map(({ name, outcome }: { name: string; outcome: string }) => `${name} ${outcome}`);
  return { code, decision, decided_by, asked };
}

const inSub = (place: Workspace, name: string, body: string): Promise<string> =>
  place.write(`project/sub/.kodelet/hooks/${name}`, hookScript(body, "before_tool_call"), 0o755);

/** An approved guard in the project's folder, and a folder below it. */
async function guarded(): Promise<Workspace> {
  const place = await workspace();
  await place.hook("guard", blocks("frozen"), { scope: "project" });
  expect(await runInProcess(place, "trust guard")).toMatchObject({ code: 0 });
  await mkdir(join(place.project, "sub"), { recursive: true });
  return place;
}

describe("an approved guard stays in force for whoever works below its folder", () => {
  const hidings: readonly (readonly [how: string, hide: (place: Workspace) => Promise<unknown>])[] = [
    ["nothing is in between", async () => undefined],
    ["an empty .kodelet below", (place) => mkdir(join(place.project, "sub", ".kodelet"))],
    ["a hook of the same name below", (place) => inSub(place, "guard", "cat >/dev/null")],
    ["a file called .kodelet below", (place) => place.write("project/sub/.kodelet", "")],
    ["a repository below", (place) => mkdir(join(place.project, "sub", ".git"))],
    ["a .git file below", (place) => place.write("project/sub/.git", "gitdir: elsewhere")],
    [
      "a repository below with hooks of its own",
      async (place) => {
        await mkdir(join(place.project, "sub", ".git"));
        await inSub(place, "other", "cat >/dev/null");
      },
    ],
  ];
  test.each(hidings)("with %s", async (_, hide) => {
    await using place = await guarded();
    await hide(place);
    expect(await decided(place, "sub")).toMatchObject({ code: 2, decision: "block", decided_by: "guard" });
    const stdin = JSON.stringify(BRIDGE);
    const host = { cwd: join(place.project, "sub") };
    const bridged = await runInProcess(place, "bridge claude --event PreToolUse", { stdin, host });
    expect(bridged.stdout).toContain('"permissionDecision":"deny"');
  });

  test("and is missed where its .kodelet is deleted, also below another one", async () => {
    await using place = await workspace();
    const closed = `#!/bin/sh\n[ "$1" = hook ] && echo '{"event":"before_tool_call","fail_open":false}'\nexit 0\n`;
    await place.write("project/sub/.kodelet/hooks/inner", closed, 0o755);
    const host = { cwd: join(place.project, "sub") };
    expect(await runInProcess(place, "trust inner", { host })).toMatchObject({ code: 0 });
    expect(await decided(place, "sub")).toMatchObject({ code: 0 });
    await rm(join(place.project, "sub", ".kodelet"), { recursive: true });
    expect(await decided(place, "sub")).toMatchObject({ code: 2, decided_by: "inner" });
  });
});

describe("a repository that is nested in an approved project", () => {
  test("is guarded and not blocked as such", async () => {
    await using place = await workspace();
    await place.hook("guard", "cat >/dev/null", { scope: "project" });
    await runInProcess(place, "trust guard");
    await mkdir(join(place.project, "vendor", "lib", ".git"), { recursive: true });
    expect(await decided(place, "vendor/lib")).toEqual({
      ...{ code: 0, decision: "continue", decided_by: null },
      asked: ["guard continue"],
    });
  });

  test("brings no hook of the outer folder that nobody approved", async () => {
    await using place = await workspace();
    await place.hook("guard", blocks("frozen"), { scope: "project" });
    await mkdir(join(place.project, "lib", ".git"), { recursive: true });
    const host = { cwd: join(place.project, "lib") };
    const { stdout } = await runInProcess(place, "list --json", { host });
    expect(JSON.parse(stdout).hooks).toEqual([]);
    expect(JSON.parse(stdout).searched).not.toContain("DIR/project/.kodelet/hooks");
  });

  test("is guarded by a closed guard that is gone from the outer folder", async () => {
    await using place = await workspace();
    const closed = `[ "$1" = hook ] && echo '{"event":"before_tool_call","fail_open":false}'\nexit 0`;
    await place.write("project/.kodelet/hooks/guard", `#!/bin/sh\n${closed}\n`, 0o755);
    await runInProcess(place, "trust guard");
    await mkdir(join(place.project, "lib", ".git"), { recursive: true });
    expect(await decided(place, "lib")).toMatchObject({ code: 0, decision: "continue" });
    await rm(join(place.project, ".kodelet"), { recursive: true });
    expect(await decided(place, "lib")).toMatchObject({ code: 2, decided_by: "guard" });
  });
});

test("hooks of all folders run, the outermost first, and clashing names are told apart", async () => {
  await using place = await workspace();
  for (const name of ["guard", "outer"]) await place.hook(name, "cat >/dev/null", { scope: "project" });
  for (const name of ["guard", "inner"]) await inSub(place, name, "cat >/dev/null");
  const host = { cwd: join(place.project, "sub") };
  const trusted = await runInProcess(place, "trust guard sub/guard outer inner", { host });
  expect(trusted).toMatchObject({ code: 0 });
  const inOrder = ["guard continue", "outer continue", "sub/guard continue", "inner continue"];
  expect((await decided(place, "sub")).asked).toEqual(inOrder);
  const { stdout } = await runInProcess(place, "list", { host });
  expect(stdout).toContain("in .");
  expect(stdout).toContain("in DIR/project");
  expect((await decided(place, "")).asked).toEqual(["guard continue", "outer continue"]);
});

test("a hook that appears in an outer folder takes no approval and no setting from the one below", async () => {
  await using place = await workspace();
  await rm(join(place.project, ".kodelet"), { recursive: true });
  await inSub(place, "guard", "exit 1");
  const host = { cwd: join(place.project, "sub") };
  await runInProcess(place, "trust guard", { host });
  await place.write("home/.kodelet/hooks.json", JSON.stringify({ overrides: { guard: { fail_open: false } } }));
  expect(await decided(place, "sub")).toMatchObject({ code: 2, decided_by: "guard" });
  await place.hook("guard", "cat >/dev/null", { scope: "project" });
  expect(await decided(place, "sub")).toMatchObject({ code: 2, asked: ["project/guard refused", "guard skipped"] });
  await runInProcess(place, "trust project/guard", { host });
  expect(await decided(place, "sub")).toMatchObject({ code: 2, decided_by: "sub/guard" });
});

test("a hook finds the folder of its own project in HOOKCTL_PROJECT_DIR", async () => {
  await using place = await workspace();
  const tells = (name: string): string => `echo "$HOOKCTL_PROJECT_DIR" >${place.dir}/${name}; cat >/dev/null`;
  await place.hook("outer", tells("outer"), { scope: "project" });
  await inSub(place, "inner", tells("inner"));
  await place.hook("mine", tells("mine"));
  await runInProcess(place, "trust --yes", { host: { cwd: join(place.project, "sub") } });
  await decided(place, "sub");
  const found = await Promise.all(["outer", "inner", "mine"].map((name) => place.read(name)));
  expect(found).toEqual([`${place.project}\n`, `${place.project}/sub\n`, `${place.project}/sub\n`]);
});

describe("a worktree inside its main checkout", () => {
  const git = (place: Workspace, ...args: string[]): void => {
    const identity = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"];
    execFileSync("git", [...identity, ...args], { cwd: place.project, stdio: "ignore", env: place.env });
  };

  test("runs each approved hook once, and the main checkout's where its own copy differs", async () => {
    await using place = await workspace();
    await place.hook("guard", "cat >/dev/null", { scope: "project" });
    git(place, "init");
    git(place, "add", "-A");
    git(place, "commit", "-m", "first");
    git(place, "worktree", "add", "trees/one");
    await runInProcess(place, "trust guard");
    expect((await decided(place, "trees/one")).asked).toEqual(["trees/one/guard continue"]);
    await place.write("project/trees/one/.kodelet/hooks/guard", "#!/bin/sh\necho before_tool_call\n", 0o755);
    expect((await decided(place, "trees/one")).asked).toEqual(["guard continue", "trees/one/guard refused"]);
  });
});

describe("names", () => {
  const at = (name: string, projectDir: string | null) => ({ name, projectDir, entry: null }) as Candidate;
  const dirs = ["/p", "/p/a", "/p/a/b"];
  const never = () => false;
  const named = (...all: readonly Candidate[]) => withDistinctNames(all, dirs, never).map(({ name }) => name);

  test("of one folder alone stay as they are", () =>
    expect(named(at("x", "/p/a"), at("x", "/p/a"), at("x", null))).toEqual(["x", "x", "x"]));

  test("do not depend on the order in which hooks are found", () => {
    expect(named(at("x", "/p/a/b"), at("x", "/p"), at("x", "/p/a"))).toEqual(["a/b/x", "x", "a/x"]);
  });

  test("are not given twice, also where a plugin's hook is called like that", () =>
    expect(named(at("x", "/p"), at("a/x", "/p"), at("x", "/p/a"))).toEqual(["x", "a/x", "a/a/x"]));

  const inFile = (projectDir: string, file: string) =>
    ({ name: "x", projectDir, entry: { file: `${projectDir}/${file}` } }) as Candidate;
  // A candidate may have been renamed by its file before it is asked for.
  const isAt = (one: Candidate | undefined, other: Candidate): boolean =>
    one?.projectDir === other.projectDir && one.entry?.file === other.entry?.file;
  const placed: { title: string; all: readonly Candidate[]; approved: readonly number[]; expected: string[] }[] = [
    {
      title: "an approved one of a folder further down",
      ...{ all: [at("x", "/p"), at("x", "/p/a")], approved: [1], expected: ["p/x", "x"] },
    },
    {
      title: "the outermost of several approved ones",
      ...{
        all: [at("x", "/p"), at("x", "/p/a"), at("x", "/p/a/b")],
        approved: [1, 2],
        expected: ["p/x", "x", "a/b/x"],
      },
    },
    {
      title: "an approved entry of a later file",
      all: [inFile("/p", "mcp.json"), inFile("/p", "hooks.json")],
      ...{ approved: [1], expected: ["mcp.json/x", "x"] },
    },
    {
      title: "the first of several approved files",
      all: [inFile("/p", "mcp.json"), inFile("/p", "hooks.json")],
      ...{ approved: [0, 1], expected: ["x", "hooks.json/x"] },
    },
    {
      title: "an approved entry against a file of a folder above",
      all: [at("x", "/p"), inFile("/p/a", "mcp.json"), inFile("/p/a", "hooks.json")],
      ...{ approved: [2], expected: ["p/x", "mcp.json/x", "x"] },
    },
  ];
  test.each(placed)("stay with $title", ({ all, approved, expected }) => {
    const isApproved = (one: Candidate) => approved.some((index) => isAt(all[index], one));
    const names = withDistinctNames(all, dirs, isApproved);
    expect(names.map(({ name }) => name)).toEqual(expected);
  });

  test("share one store look: nobody is asked where no name is shared", () => {
    const isApproved = vi.fn(never);
    withDistinctNames([at("x", "/p"), at("y", "/p/a"), inFile("/p/a/b", "hooks.json")], ["/p", "/p/a"], isApproved);
    expect(isApproved).not.toHaveBeenCalled();
  });
});

test("new says which folder it writes to when it is not the working directory", async () => {
  await using place = await workspace();
  await mkdir(join(place.project, "sub"));
  const host = { cwd: join(place.project, "sub") };
  const line = "• In DIR/project, the nearest folder with a .kodelet. For hooks of this folder alone: mkdir .kodelet\n";
  const made = await runInProcess(place, "new extra --event session_end", { host });
  expect(made.stdout.startsWith(line)).toBe(true);
  expect((await runInProcess(place, "new other --event session_end")).stdout).not.toContain("• In ");
});
