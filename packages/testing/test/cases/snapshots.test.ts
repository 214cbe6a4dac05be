import { mkdir, readdir, readFile, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { runInProcess } from "../../../../test/support/in-process.ts";
import { printResponse } from "../../../../test/support/shell.ts";
import { type Workspace, workspace } from "../../../../test/support/workspace.ts";
import { casesOf, failures, runCases } from "./case-run.ts";

const CASES = `hook: guard
cases:
  - { name: a danger, payload: { tool_input: { command: danger } } }
  - { name: nothing }
  - { name: its own, expect: { decision: allow } }
`;
const body = (reason: string): string =>
  `case "$(cat)" in *danger*) ${printResponse({ blocked: true, reason })} ;; esac`;
const FILE = ".kodelet/tests/snapshots/cases.yaml.json";
const stored = (place: Workspace): Promise<string> => readFile(join(place.home, FILE), "utf8");

describe("a case that expects nothing", () => {
  test("fails without a snapshot, and has one after --update", async () => {
    await using place = await workspace();
    await place.hook("guard", body("no"));
    const first = await runCases(place, CASES);
    expect(failures(first)).toEqual({
      "a danger": "it has neither `expect` nor a snapshot",
      nothing: "it has neither `expect` nor a snapshot",
    });
    await expect(stored(place)).rejects.toThrow("ENOENT");

    const updated = casesOf(await runInProcess(place, "test --json --update"));
    expect(updated).toMatchObject({ code: 0, stderr: "", faults: [] });
    expect(updated.cases.map(({ message }) => message)).toEqual(["snapshot written", "snapshot written", null]);
    expect(await stored(place)).toBe(`{
  "a danger": {"decision":"block","reason":"no"},
  "nothing": {"decision":"allow"}
}
`);
    expect(casesOf(await runInProcess(place, "test --json"))).toMatchObject({ code: 0 });
  });

  test("another result is a failure with both, until it is accepted", { tags: "slow" }, async () => {
    await using place = await workspace();
    await place.hook("guard", body("no"));
    await runCases(place, CASES, { call: "test --json --update" });
    await place.hook("guard", body("never"));
    const text = await runInProcess(place, "test guard");
    expect(text).toMatchObject({ code: 1, stderr: "" });
    expect(text.stdout).toContain(
      'expected the snapshot {"decision":"block","reason":"no"}, got {"decision":"block","reason":"never"}',
    );
    expect(text.stdout).toContain("Hint: Correct the hook, or accept the change: hookctl test --update");
    expect(text.stdout).toContain("Run again: hookctl test -v guard --only 'a danger'");
    expect(await runInProcess(place, "test --update")).toMatchObject({ code: 0 });
    expect(await stored(place)).toContain('"reason":"never"');
  });

  test("folders of the test have names in it, so that it is the same the next time", { tags: "slow" }, async () => {
    await using place = await workspace();
    await place.hook("guard", `printf '{"blocked":true,"reason":"%s %s %s"}' "$PWD" "$HOME/x" "$TMPDIR"`);
    const cases = "hook: guard\ncases: [{ name: a }, { name: b, files: { f: x } }]\n";
    await runCases(place, cases, { call: "test --json --update" });
    const reason = '{"decision":"block","reason":"<project> <home>/x <tmp>"}';
    expect(JSON.parse(await stored(place))).toEqual({ a: JSON.parse(reason), b: JSON.parse(reason) });
    expect(await runInProcess(place, "test")).toMatchObject({ code: 0 });
  });

  test("cases that did not run keep theirs, and cases that are gone lose them", async () => {
    await using place = await workspace();
    await place.hook("guard", body("no"));
    await runCases(place, CASES, { call: "test --json --update" });
    await place.hook("guard", body("never"));
    const renamed = CASES.replace("name: nothing", "name: renamed");
    await runCases(place, renamed, { call: "test --json --update --only renamed" });
    expect(JSON.parse(await stored(place))).toEqual({
      "a danger": { decision: "block", reason: "no" },
      renamed: { decision: "allow" },
    });
  });

  test("one that only allows shows nothing of its hook, also while it is written", { tags: "slow" }, async () => {
    await using place = await workspace();
    await place.hook("guard", ":");
    const notesOf = async (call: string): Promise<unknown> =>
      JSON.parse((await runInProcess(place, call)).stdout).hooks[0].notes;
    await place.write(`home/.kodelet/tests/a.yaml`, "hook: guard\ncases: [{ name: nothing, state: { n: 1 } }]\n");
    expect(await notesOf("test --json --update")).toEqual(["passes-without-it"]);
    await place.hook("guard", printResponse({ additional_context: ["careful"] }));
    expect(await notesOf("test --json --update")).toEqual([]);
    expect(await notesOf("test --json")).toEqual([]);
  });

  test("a hook that fails has no snapshot", async () => {
    await using place = await workspace();
    await place.hook("guard", 'case "$(cat)" in *danger*) exit 3 ;; esac');
    const result = await runCases(place, CASES, { call: "test --json --update" });
    expect(failures(result)).toEqual({ "a danger": "guard failed: exit 3" });
    expect(JSON.parse(await stored(place))).toEqual({ nothing: { decision: "allow" } });
  });

  test("a broken file is told", async () => {
    await using place = await workspace();
    await place.hook("guard", body("no"));
    await place.write(`home/${FILE}`, "{\n]");
    const broken = await runCases(place, CASES);
    expect(broken.faults).toMatchObject([{ code: "CASE_NOT_PARSED", line: 2 }]);
    expect(broken.cases.map(({ name }) => name)).toEqual(["its own"]);
  });

  test("a folder that takes no files is told before a case says that it was written", async () => {
    await using place = await workspace();
    await place.hook("guard", body("no"));
    await place.write("home/.kodelet/tests/snapshots", "a file");
    const result = await runCases(place, CASES, { call: "test --json --update" });
    expect(result.faults).toMatchObject([{ message: expect.stringContaining("ENOTDIR") }]);
    expect(result.cases.map(({ name }) => name)).toEqual(["its own"]);
  });

  test("a user's own link is followed", async () => {
    await using place = await workspace();
    await place.hook("guard", body("no"));
    await mkdir(join(place.dir, "dotfiles"));
    await mkdir(join(place.home, ".kodelet/tests"), { recursive: true });
    await symlink(join(place.dir, "dotfiles"), join(place.home, ".kodelet/tests/snapshots"));
    expect(await runCases(place, CASES, { call: "test --json --update" })).toMatchObject({ code: 0, faults: [] });
    expect(await place.read("dotfiles/cases.yaml.json")).toContain("a danger");
  });
});

const ON_GUARD = "guard: git\ncases: [{ name: a }, { name: b, expect: { decision: allow } }]\n";
const LINKED = ["tests", "tests/snapshots", "tests/snapshots/cases.yaml.json"];
const inProject = "test --json --update";
const byPath = (place: Workspace): string => `test --json --update ${place.project}/.kodelet/hooks`;

describe.each(LINKED)("--update where %s of a project is a link", (linked) => {
  const calls = [
    ["without a path", () => inProject],
    ["by its path", byPath],
  ] as const;
  test.each(calls)("writes nothing through it out of the project, %s", async (_, callOf) => {
    await using place = await workspace();
    await place.write("project/.kodelet/hooks/mine", "no hook");
    await place.write("outside/cases.yaml", ON_GUARD);
    await mkdir(join(place.dir, "outside/snapshots"));
    const at = join(place.project, ".kodelet", linked);
    await mkdir(dirname(at), { recursive: true });
    const target = linked.endsWith(".json") ? "outside/snapshots/lost.json" : "outside";
    await symlink(join(place.dir, target), at);
    if (linked !== "tests") await place.write("project/.kodelet/tests/cases.yaml", ON_GUARD);
    const before = await readdir(join(place.dir, "outside"), { recursive: true });
    const result = casesOf(await runInProcess(place, callOf(place)));
    expect(result.faults).toMatchObject([
      {
        code: "CASE_NOT_WRITTEN",
        message: expect.stringContaining("a link in the path leads out of the project, to "),
      },
    ]);
    expect(result.cases.filter(({ name }) => name === "a")).toEqual([]);
    expect(result.code).not.toBe(0);
    expect(await readdir(join(place.dir, "outside"), { recursive: true })).toEqual(before);
  });
});

test("--update writes through a link that stays in the project", async () => {
  await using place = await workspace();
  await place.write("project/kept/cases.yaml", ON_GUARD);
  await mkdir(join(place.project, ".kodelet/hooks"), { recursive: true });
  await symlink("../kept", join(place.project, ".kodelet/tests"));
  expect(casesOf(await runInProcess(place, inProject))).toMatchObject({ code: 0, faults: [] });
  expect(await place.read("project/kept/snapshots/cases.yaml.json")).toContain('"a":');
});

describe("--only", () => {
  const setUp = async (place: Workspace): Promise<void> => {
    await place.hook("guard", body("no"));
    await place.hook("other", ":");
    await place.write(
      "home/.kodelet/tests/a.yaml",
      `hook: guard
cases:
  - { name: blocks danger, payload: { tool_input: { command: danger } }, expect: { decision: block } }
  - { name: allows ls, expect: { decision: allow } }
  - { name: "a*b?", guard: git, expect: { decision: allow } }
`,
    );
  };
  const rows: [only: string, cases: readonly string[], checks: readonly string[]][] = [
    ["blocks*", ["blocks danger"], []],
    ["guard", ["blocks danger", "allows ls"], ["guard"]],
    ["other", [], ["other"]],
    ["a*b?", ["a*b?"], []],
    ["*l*", ["blocks danger", "allows ls"], []],
  ];
  test.each(rows)("%s", async (only, names, checked) => {
    await using place = await workspace();
    await setUp(place);
    const result = await runInProcess(place, "test --json --only GLOB".replace("GLOB", only.replaceAll(" ", "?")));
    expect(result).toMatchObject({ code: 0, stderr: "" });
    expect(casesOf(result).cases.map(({ name }) => name)).toEqual(names);
    const hooks: readonly { name: string; checks: readonly { case_file?: string }[] }[] = JSON.parse(
      result.stdout,
    ).hooks;
    const withContract = hooks.filter(({ checks }) => checks.some(({ case_file }) => case_file === undefined));
    expect(withContract.map(({ name }) => name)).toEqual(checked);
  });

  const faulty: readonly (readonly [what: string, cases: string, code: string])[] = [
    ["its file", "hook: guard\ncases: [{ name: lost, expct: {} }]\n", "CASE_UNKNOWN_KEY"],
    ["its snapshot", "hook: guard\ncases: [{ name: lost }]\n", "CASE_NOT_PARSED"],
    ["the name of its hook", "hook: gone\ncases: [{ name: lost, expect: { decision: allow } }]\n", "CASE_UNKNOWN_HOOK"],
  ];
  test.each(faulty)("a case that cannot be used because of %s is told, not called missing", async (_, text, code) => {
    await using place = await workspace();
    await setUp(place);
    await place.write("home/.kodelet/tests/snapshots/b.yaml.json", "{]");
    await place.write("home/.kodelet/tests/b.yaml", text);
    const result = await runInProcess(place, "test --json --only lost");
    expect(result).toMatchObject({ stderr: "", code: 1 });
    expect(casesOf(result)).toMatchObject({ cases: [], faults: [{ code }] });
  });

  test("a case whose hook is not approved names the approval", async () => {
    await using place = await workspace();
    await place.hook("mine", ":", { scope: "project" });
    await place.write(
      "project/.kodelet/tests/a.yaml",
      "hook: mine\ncases: [{ name: a, expect: { decision: allow } }]\n",
    );
    const stderr = expect.stringContaining("hookctl trust mine");
    expect(await runInProcess(place, "test --only a")).toMatchObject({ stderr, code: 77 });
  });

  test("a name that nothing has is an error with the nearest", async () => {
    await using place = await workspace();
    await setUp(place);
    expect(await runInProcess(place, "test --only gaurd")).toEqual({
      stdout: "",
      stderr: expect.stringContaining(
        'Invalid value "gaurd" for --only: no hook and no test case has this name. Did you mean guard?',
      ),
      code: 64,
    });
  });
});
