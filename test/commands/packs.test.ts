import { chmod, mkdir, readdir, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runInProcess } from "../support/in-process.ts";
import { hasScript } from "../support/on-terminal.ts";
import { guardText, hasGit, packRepository } from "../support/pack-repository.ts";
import { toolCall } from "../support/payloads.ts";
import { workspace } from "../support/workspace.ts";
import { expectAnswer, lockOf, placed, reasonOf } from "./packs.ts";

describe.skipIf(!hasGit)("add", () => {
  test("fetches a pack, shows it, approves it as a set with --yes, and it guards", async () => {
    await using place = await workspace();
    const repository = await packRepository(place);
    const files = { "hooks/guard": guardText("from a pack"), "hooks/lib/rules.json": "{}", "tests/guard.json": "{}" };
    const commit = await repository.commit({ ...files, "src/other.ts": "" });
    const result = await runInProcess(place, `add ${repository.url} --yes`);
    expect(result).toEqual({
      code: 0,
      stdout: `✔ Added guards   file://DIR/git/acme/guards at ${commit.slice(0, 12)}   3 files\n✔ Approved guards/guard   before_tool_call\n`,
      stderr: expect.stringMatching(
        /^guards .* not approved\n.*a pack of 1 hook, 3 files; event named in its text: before_tool_call[\s\S]*hooks\/guard \(a hook\):\n.*#!\/bin\/sh[\s\S]*rules\.json/,
      ),
    });
    expect(await lockOf(place)).toEqual({
      version: 1,
      packs: {
        guards: {
          source: repository.url,
          commit,
          files: {
            "hooks/guard": { sha256: expect.stringMatching(/^[0-9a-f]{64}$/), executable: true },
            "hooks/lib/rules.json": { sha256: expect.any(String) },
            "tests/guard.json": { sha256: expect.any(String) },
          },
        },
      },
    });
    expect(await placed(place)).not.toContain("guards/src/other.ts");
    expect(await reasonOf(place)).toBe("from a pack");
  });

  test("takes the test cases that `new` writes, and names what it leaves out", async () => {
    await using place = await workspace();
    await place.write("pack/hooks/guard", guardText("one"), 0o755);
    await place.write("pack/tests/guard.yaml", "hook: guard\n");
    await place.write("pack/tests/run.sh", "#!/bin/sh\n");
    expect(await runInProcess(place, "add ../pack --yes")).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^✔ Added pack .* 2 files\n• Skipped: tests\/run\.sh\n✔ Approved pack\/guard /),
    });
    expect(await placed(place)).toContain("pack/tests/guard.yaml");
    await rm(join(place.project, ".kodelet"), { recursive: true });
    const { packs } = JSON.parse((await runInProcess(place, "add ../pack --yes --json")).stdout);
    expect(packs).toMatchObject([{ left_out: ["tests/run.sh"] }]);
  });

  test("without a terminal writes the pack, starts nothing of it, and says what to type", async () => {
    await using place = await workspace();
    const repository = await packRepository(place);
    await repository.commit({ "hooks/guard": `#!/bin/sh\ntouch ${place.dir}/started\necho before_tool_call\n` });
    expect(await runInProcess(place, `add ${repository.url}`)).toEqual({
      code: 0,
      stdout: expect.stringMatching(
        /^✔ Added guards .*\n▲ Not approved, so not run\. Read and approve: hookctl trust guards\/guard\n$/,
      ),
      stderr: "",
    });
    await runInProcess(place, "list --all");
    await runInProcess(place, "run before_tool_call", { stdin: toolCall() });
    expect(await place.read("started")).toBeNull();
    expect(await runInProcess(place, "trust guards/guard")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("✔ Approved guards/guard"),
    });
  });

  test("approves nothing of a new pack because of an earlier one in its folder, nor calls it changed", async () => {
    await using place = await workspace();
    await place.write("pack/hooks/guard", guardText("one"), 0o755);
    await runInProcess(place, "add ../pack --yes");
    await rm(join(place.project, ".kodelet"), { recursive: true });
    await place.write("pack/hooks/guard", guardText("two"), 0o755);
    await runInProcess(place, "add ../pack");
    expect((await runInProcess(place, "list")).stdout).toContain("✖ not approved");
    expect((await runInProcess(place, "trust --list")).stdout).toBe("No hooks are approved or denied.\n");
    await place.write("pack/hooks/guard", guardText("three"), 0o755);
    expect((await runInProcess(place, "add ../pack")).stderr).toMatch(/^pack .*✖ not approved\n/);
  });

  test("takes a folder of a repository, and a name", async () => {
    await using place = await workspace();
    const repository = await packRepository(place);
    await repository.commit({ "packs/git/.kodelet/hooks/guard": guardText("sub") });
    expect(await runInProcess(place, `add ${repository.url}#packs/git --name team/git --yes`)).toMatchObject({
      code: 0,
    });
    expect(await reasonOf(place)).toBe("sub");
    expect(await placed(place)).toEqual(["team@git", "team@git/hooks", "team@git/hooks/guard"]);
  });

  const refused: readonly (readonly [args: string, code: number, stderr: RegExp])[] = [
    ["add URL@v9", 1, /has no tag, branch, commit or version "v9"[\s\S]*hookctl add file:/],
    ["add URL@0123456789abcdef0123456789abcdef01234567", 1, /has no tag, branch, commit/],
    ["add URL#none", 1, /has no hooks/],
    ["add file://DIR/nothing", 1, /could not be fetched: .*nothing[\s\S]*Nothing was changed/],
    ["add ext::touch", 64, /is not a source of hooks/],
    ["add guards", 64, /is not a source of hooks[\s\S]*hookctl add owner\/repo/],
    ["add ./missing", 1, /could not be fetched: ENOENT/],
    ["add URL --name ../x", 64, /cannot be the name of a pack/],
    ["update guards", 64, /No pack guards was added here/],
    ["remove guards", 64, /No pack guards was added here/],
    ["remove", 64, /missing argument PACK|Missing argument/i],
  ];
  test.each(refused)("%s exits with %i", async (args, code, stderr) => {
    await using place = await workspace();
    const repository = await packRepository(place);
    await repository.commit({ "hooks/guard": guardText("one") });
    const call = args.replace("URL", repository.url).replace("DIR", place.dir);
    expect(await runInProcess(place, call)).toEqual({ code, stdout: "", stderr: expect.stringMatching(stderr) });
    expect(await lockOf(place)).toBeNull();
    expect(await placed(place)).toEqual([]);
  });

  test("reports that no temporary folder can be created", { tags: "slow" }, async () => {
    await using place = await workspace();
    const repository = await packRepository(place);
    await repository.commit({ "hooks/guard": guardText("one") });
    const result = await place.run(["add", repository.url], { env: { TMPDIR: "/nothing" } });
    expect(result).toMatchObject({ code: 1, stdout: "", stderr: expect.stringMatching(/in \/nothing: ENOENT/) });
  });

  test("refuses a name that another pack has, and a folder that it did not create", { tags: "slow" }, async () => {
    await using place = await workspace();
    const [one, other] = [await packRepository(place), await packRepository(place, "git/other/guards")];
    await one.commit({ "hooks/guard": guardText("one") });
    await other.commit({ "hooks/guard": guardText("other") });
    await runInProcess(place, `add ${one.url} --yes`);
    expect(await runInProcess(place, `add ${other.url} --yes`)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/The name guards is taken by file:[\s\S]*--name NAME/),
    });
    expect(await runInProcess(place, `add ${other.url} --name others --yes`)).toMatchObject({ code: 0 });
    await place.hook("own", "", { scope: "project", plugin: "own" });
    expect(await runInProcess(place, `add ${other.url} --name own --yes`)).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("did not create"),
    });
  });

  test("below an agent is refused before anything is fetched", async () => {
    await using place = await workspace();
    const env = { CLAUDECODE: "1" };
    for (const call of ["add file:///nothing --yes", "update --yes", "remove x"]) {
      expect(await runInProcess(place, call, { env })).toMatchObject({
        code: 77,
        stdout: "",
        stderr: expect.stringContaining("Claude Code"),
      });
    }
  });

  test("in the user's scope needs a yes, because those hooks run without approval", async () => {
    await using place = await workspace();
    const repository = await packRepository(place);
    await repository.commit({ "hooks/guard": guardText("mine") });
    expect(await runInProcess(place, `add ${repository.url} --scope user`)).toEqual({
      code: 77,
      stdout: "",
      stderr: expect.stringMatching(
        /hooks\/guard \(a hook\)[\s\S]*needs your approval[\s\S]*add .* --yes --scope user/,
      ),
    });
    expect(await placed(place, "home")).toEqual([]);
    expect(await runInProcess(place, `add ${repository.url} --scope user --yes`)).toMatchObject({ code: 0 });
    expect(await reasonOf(place)).toBe("mine");
    expect(await runInProcess(place, "remove guards --scope user")).toMatchObject({ code: 0 });
    expect(await runInProcess(place, "run before_tool_call", { stdin: toolCall() })).toEqual({
      code: 0,
      stdout: '{"blocked":false}\n',
      stderr: "",
    });
  });
});

describe.skipIf(!hasGit)("update", () => {
  test("shows what changed, changes nothing without a yes, and approves with it", async () => {
    await using place = await workspace();
    const repository = await packRepository(place);
    await repository.commit({
      "hooks/guard": guardText("one"),
      "hooks/gone": guardText("gone"),
      "hooks/lib/same.txt": "same\n",
    });
    await runInProcess(place, `add ${repository.url} --yes`);
    expect(await runInProcess(place, "update")).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^• Up to date: guards/),
      stderr: "",
    });

    await repository.git("rm", "--quiet", "hooks/gone");
    await repository.commit({ "hooks/guard": guardText("two"), "hooks/fresh": guardText("fresh") });
    expect(await runInProcess(place, "update guards")).toEqual({
      code: 77,
      stdout: "",
      stderr: expect.stringMatching(/- .*"one"[\s\S]*\+ .*"two"/),
    });
    expect(await reasonOf(place)).toBe("gone");
    const updated = await runInProcess(place, "update guards --yes");
    expect(updated).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /^✔ Updated guards .* 3 files changed\n✔ Approved guards\/fresh .*\n✔ Approved guards\/guard/,
      ),
    });
    expect(updated.stderr).not.toContain("same.txt:");
    expect(await reasonOf(place)).toBe("fresh");
    // The deleted hook was approved: nobody misses it.
    expect((await runInProcess(place, "list")).stdout).not.toMatch(/gone|lost/);
  });

  test("leaves a pack alone that was changed here, and discards that with --force", { tags: "slow" }, async () => {
    await using place = await workspace();
    const repository = await packRepository(place);
    await repository.commit({ "hooks/guard": guardText("one") });
    await runInProcess(place, `add ${repository.url} --yes`);
    await place.write("project/.kodelet/plugins/guards/hooks/guard", guardText("mine"), 0o755);
    await repository.commit({ "hooks/guard": guardText("two") });
    for (const call of ["update --yes", `add ${repository.url} --yes`, "add", "remove guards"]) {
      expect(await runInProcess(place, call)).toMatchObject({
        code: 1,
        stdout: "",
        stderr: expect.stringMatching(/guards has changed since it was added: hooks\/guard \(changed\)[\s\S]*--force/),
      });
    }
    expect(await place.read("project/.kodelet/plugins/guards/hooks/guard")).toBe(guardText("mine"));
    expect(await runInProcess(place, "update --yes --force")).toMatchObject({ code: 0 });
    expect(await reasonOf(place)).toBe("two");
  });

  test("keeps the pack when its source cannot be reached", { tags: "slow" }, async () => {
    await using place = await workspace();
    const repository = await packRepository(place);
    await repository.commit({ "hooks/guard": guardText("one") });
    await runInProcess(place, `add ${repository.url} --yes`);
    await rm(repository.dir, { recursive: true });
    expect(await runInProcess(place, "update --yes")).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("could not be fetched"),
    });
    expect(await reasonOf(place)).toBe("one");
  });
});

describe.skipIf(!hasGit)("remove", () => {
  test("takes the files, the lock entry and the approvals away", async () => {
    await using place = await workspace();
    const [one, other] = [await packRepository(place), await packRepository(place, "git/other")];
    await one.commit({ "hooks/guard": guardText("one") });
    await other.commit({ "hooks/guard": guardText("other") });
    await runInProcess(place, `add ${one.url} --yes`);
    await runInProcess(place, `add ${other.url} --yes`);
    expect(await runInProcess(place, "remove guards")).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^✔ Removed guards .* 1 file\n$/),
      stderr: "",
    });
    expect(Object.keys((await lockOf(place)).packs)).toEqual(["other"]);
    expect(await placed(place)).toEqual(["other", "other/hooks", "other/hooks/guard"]);
    expect((await runInProcess(place, "trust --list")).stdout).not.toContain("guards/guard");
    await runInProcess(place, "remove other");
    expect(await lockOf(place)).toBeNull();
    expect(await runInProcess(place, "run before_tool_call", { stdin: toolCall() })).toEqual({
      code: 0,
      stdout: '{"blocked":false}\n',
      stderr: "",
    });
  });
});

describe.skipIf(!hasGit)("add without a source", () => {
  test("restores the pinned commit, not the newest", { tags: "slow" }, async () => {
    await using place = await workspace();
    const repository = await packRepository(place);
    await repository.commit({ "hooks/guard": guardText("one") });
    await runInProcess(place, `add ${repository.url} --yes`);
    const lock = await lockOf(place);
    await repository.commit({ "hooks/guard": guardText("two") });
    await rm(join(place.project, ".kodelet/plugins"), { recursive: true });
    expect(await runInProcess(place, "add")).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^✔ Restored guards/),
    });
    expect(await reasonOf(place)).toBe("one");
    expect(await lockOf(place)).toEqual(lock);
    expect(await runInProcess(place, "add")).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^• Up to date: guards/),
      stderr: "",
    });
  });

  test("refuses a commit whose files are not the pinned ones", { tags: "slow" }, async () => {
    await using place = await workspace();
    const repository = await packRepository(place);
    const commit = await repository.commit({ "hooks/guard": guardText("one") });
    const files = { "hooks/guard": { sha256: "0".repeat(64), executable: true } };
    const lock = { version: 1, packs: { guards: { source: repository.url, commit, files } } };
    await place.write("project/.kodelet/hooks.lock", JSON.stringify(lock));
    expect(await runInProcess(place, "add --yes")).toEqual({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/no longer has the pinned content: hooks\/guard/),
    });
    expect(await placed(place)).toEqual([]);
  });

  test("approves as a set what a clone brought", async () => {
    await using place = await workspace();
    const repository = await packRepository(place);
    await repository.commit({ "hooks/guard": guardText("one"), "hooks/second": guardText("two") });
    await runInProcess(place, `add ${repository.url}`);
    expect(await runInProcess(place, "add --yes")).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^✔ Approved guards .*\n✔ Approved guards\/guard .*\n✔ Approved guards\/second/),
    });
  });

  test.each(["{", `{"version":1,"packs":{"../../x":{}}}`])("reports the lock file %s", async (text) => {
    await using place = await workspace();
    await place.write("project/.kodelet/hooks.lock", text);
    expect(await runInProcess(place, "add")).toMatchObject({
      code: 78,
      stdout: "",
      stderr: expect.stringContaining("hookctl schema lock"),
    });
  });

  test("says what to do where there is none", async () => {
    await using place = await workspace();
    expect(await runInProcess(place, "add")).toEqual({
      code: 0,
      stdout: "No packs were added yet. Add one: hookctl add owner/repo\n",
      stderr: "",
    });
  });
});

describe.skipIf(!hasGit || !hasScript)("on a terminal", () => {
  test("the answer y decides", { tags: "slow" }, () => expectAnswer({ key: "y", code: 0, reason: "one" }));
});

describe.skipIf(!hasGit)("a yes", () => {
  test("does not approve a hook that loads files of the project, nor one that was denied", {
    tags: "slow",
  }, async () => {
    await using place = await workspace();
    const repository = await packRepository(place);
    const loads = guardText("one").replace("#!/bin/sh", '#!/bin/sh\n. "$(dirname "$0")/../../../../tools/own.sh"');
    await place.write("project/tools/own.sh", "X=1\n");
    await repository.commit({ "hooks/guard": loads, "hooks/other": guardText("other") });
    expect(await runInProcess(place, `add ${repository.url} --yes`)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /✔ Approved guards\/other .*\n▲ Not approved, so not run \(it can load files that are not in the pack\)\. .*: hookctl trust guards\/guard\n$/,
      ),
    });
    await runInProcess(place, "untrust --deny guards/other");
    await repository.commit({ "hooks/other": guardText("changed") });
    const updated = await runInProcess(place, "update --yes --json");
    expect(JSON.parse(updated.stdout).packs).toMatchObject([
      { approved: [], not_approved: ["guards/guard", "guards/other"] },
    ]);
    expect((await runInProcess(place, "list --all")).stdout).toMatch(/guards\/other .*denied/);
  });

  test("in a folder that others can change is reported, and the pack waits", { tags: "slow" }, async () => {
    await using place = await workspace();
    const repository = await packRepository(place);
    await repository.commit({ "hooks/guard": guardText("one") });
    await chmod(place.project, 0o777);
    expect(await runInProcess(place, `add ${repository.url} --yes`)).toMatchObject({
      code: 77,
      stdout: expect.stringMatching(/^✔ Added guards .*\n▲ Not approved, so not run\./),
      stderr: expect.stringMatching(/Nothing was approved: DIR\/project is writable/),
    });
  });
});

describe.skipIf(!hasGit)("a pack", () => {
  test("is not written through a link that leads out of the project", { tags: "slow" }, async () => {
    await using place = await workspace();
    const repository = await packRepository(place);
    await repository.commit({ "hooks/guard": guardText("one") });
    await mkdir(join(place.dir, "elsewhere"));
    await symlink(join(place.dir, "elsewhere"), join(place.project, ".kodelet/plugins"));
    expect(await runInProcess(place, `add ${repository.url} --yes`)).toMatchObject({
      code: 74,
      stdout: "",
      stderr: expect.stringContaining("leads out of the project"),
    });
    expect(await readdir(join(place.dir, "elsewhere"))).toEqual([]);
    expect(await lockOf(place)).toBeNull();
  });
});

describe.skipIf(!hasGit)("a write that fails", () => {
  test("leaves the old pack, its lock entry and its approvals", { tags: "slow" }, async () => {
    await using place = await workspace();
    const repository = await packRepository(place);
    await repository.commit({ "hooks/guard": guardText("one") });
    await runInProcess(place, `add ${repository.url} --yes`);
    const lock = await lockOf(place);
    await repository.commit({ "hooks/guard": guardText("two") });
    // Where the new lock file would be drafted.
    await mkdir(join(place.project, `.kodelet/hooks.lock.hookctl-${process.pid}/x`), { recursive: true });
    expect(await runInProcess(place, "update --yes")).toMatchObject({ code: 74, stdout: "" });
    expect(await reasonOf(place)).toBe("one");
    expect(await lockOf(place)).toEqual(lock);
    expect(await placed(place)).toEqual(["guards", "guards/hooks", "guards/hooks/guard"]);
  });
});

describe.skipIf(!hasGit)("a pack that was added", () => {
  test("has its test cases run, with its hooks named as in the pack", { tags: "slow" }, async () => {
    await using place = await workspace();
    const repository = await packRepository(place);
    const blocks = {
      name: "blocks",
      event: "before_tool_call",
      payload: {},
      expect: { decision: "block", reason: "one" },
    };
    const cases = { hook: "guard", cases: [blocks] };
    await repository.commit({ "hooks/guard": guardText("one"), "tests/guard.json": JSON.stringify(cases) });
    await runInProcess(place, `add ${repository.url} --yes`);
    const result = await runInProcess(place, "test guards/guard --json");
    expect(result).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(result.stdout).hooks).toMatchObject([
      {
        name: "guards/guard",
        checks: expect.arrayContaining([expect.objectContaining({ name: "blocks", passed: true })]),
      },
    ]);
  });

  test("is compared with the lock file by doctor", { tags: "slow" }, async () => {
    await using place = await workspace();
    const repository = await packRepository(place);
    await repository.commit({ "hooks/guard": guardText("one"), "hooks/lib/rules.json": "{}" });
    const doctor = async () => JSON.parse((await runInProcess(place, "doctor --json")).stdout).checks;
    const packs = (status: string, detail: RegExp) =>
      expect.arrayContaining([
        expect.objectContaining({ name: "packs", status, detail: expect.stringMatching(detail) }),
      ]);
    expect(await doctor()).not.toEqual(packs(expect.any(String), /./));
    await runInProcess(place, `add ${repository.url} --yes`);
    expect(await doctor()).toEqual(packs("ok", /guards is unchanged/));
    await place.write("project/.kodelet/plugins/guards/hooks/lib/rules.json", "[]");
    await place.write("project/.kodelet/plugins/guards/hooks/fresh", guardText("x"), 0o755);
    expect(await doctor()).toEqual(
      packs("fail", /guards has changed .*hooks\/fresh \(new\), hooks\/lib\/rules\.json \(changed\)/),
    );
    await rm(join(place.project, ".kodelet/plugins/guards"), { recursive: true });
    expect(await doctor()).toEqual(packs("fail", /files of guards are missing/));
    await place.write("project/.kodelet/hooks.lock", "{");
    expect(await doctor()).toEqual(packs("fail", /hooks\.lock cannot be used/));
  });
});
