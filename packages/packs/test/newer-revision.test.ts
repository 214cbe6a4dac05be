import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runInProcess } from "../../../test/support/in-process.ts";
import { guardText, hasGit, type PackRepository, packRepository } from "../../../test/support/pack-repository.ts";
import { propertyRuns, sampledRows } from "../../../test/support/property-runs.ts";
import { type Workspace, workspace } from "../../../test/support/workspace.ts";
import { newerThan } from "../version.ts";

test.each([
  ["v1.0.0", ["v1.0.0", "v1.1.0"], "v1.1.0", "v1.1.0"],
  ["v1.9.0", ["v1.10.0", "v1.2.0"], "v1.10.0", "v1.10.0"],
  ["v1.0.0", ["v1.0.0", "v0.9.0"], null, null],
  ["v1.0.0", ["v1.0.0", "v1.0", "v1.0.0+build"], null, null],
  ["v1.2.0", ["v2.0.0", "v1.3.0", "v10.0.0"], "v1.3.0", "v10.0.0"],
  // Below 1.0.0 each second number may break what worked.
  ["v0.2.0", ["v0.2.9", "v0.3.0"], "v0.2.9", "v0.3.0"],
  ["0.0.1", ["0.0.2"], null, "0.0.2"],
  ["v1", ["v1", "v2", "v1.5"], "v1.5", "v2"],
  ["1.0.0", ["v9.0.0", "1.0.1"], "1.0.1", "1.0.1"],
  ["guards-v1.0", ["guards-v1.1", "lint-v9.0"], "guards-v1.1", "guards-v1.1"],
  ["v1.0.0", ["v1.1.0-rc.1", "v1.1.0-beta", "v2.0.0-rc.1"], null, null],
  ["v2.0.0-rc.1", ["v2.0.0-rc.2", "v2.0.0-rc.10", "v2.1.0-rc.1"], "v2.0.0-rc.10", "v2.0.0-rc.10"],
  ["v2.0.0-rc.1", ["v2.0.0-beta.9", "v2.0.0", "v2.0.0-rc"], "v2.0.0", "v2.0.0"],
  ["v2.0.0", ["v2.0.0-rc.1"], null, null],
  ["stable", ["stable", "v9.0.0"], null, null],
] as const)("above %s of %j an update takes %s, and the newest is %s", (revision, names, next, newest) => {
  expect(newerThan(revision, names)).toEqual({ next, newest });
});

test("no update leads down, to another major version, or to a pre-release that nobody chose", () => {
  const numbers = fc.tuple(fc.nat(3), fc.nat(3), fc.nat(3));
  const suffix = fc.constantFrom("", "", "-rc.1", "-rc.2", "-alpha");
  const tag = fc.tuple(numbers, suffix).map(([all, end]) => `v${all.join(".")}${end}`);
  fc.assert(
    fc.property(tag, fc.array(tag), (from, names) => {
      const { next, newest } = newerThan(from, names);
      const major = /^v\d+/.exec(from)?.[0];
      for (const found of [next, newest]) {
        if (found === null) continue;
        expect(newerThan(found, [from]).newest).toBeNull();
        expect(names).toContain(found);
        if (found.includes("-")) expect(found.split("-")[0]).toBe(from.split("-")[0]);
      }
      if (next !== null) expect(/^v\d+/.exec(next)?.[0]).toBe(major);
    }),
    propertyRuns(1000),
  );
});

async function repositoryWithTags(place: Workspace, tags: readonly string[]): Promise<PackRepository> {
  const repository = await packRepository(place);
  for (const tag of tags) {
    await repository.commit({ "hooks/guard": guardText(tag) });
    // Every second one is annotated, with an object of its own.
    await repository.git("tag", ...(tags.indexOf(tag) % 2 === 0 ? [] : ["--annotate", "--message=x"]), tag);
  }
  return repository;
}

const TAGS = ["v1.0.0", "v1.1.0", "v2.0.0-rc.1", "v2.0.0"];
const major = "▲ v2.0.0 exists. Take it: hookctl update guards@v2.0.0\n";
const rc = "v2.0.0-rc.1";

/** What `update` does with a pack that was added at a revision: the begin of its line, what follows, and the revision then. */
const CASES: readonly (readonly [string, string, string, string | undefined])[] = [
  ["@v1.0.0", "✔ Updated guards   URL   v1.0.0 → v1.1.0 at ", major, "v1.1.0"],
  ["@v1.1.0", "• Pinned to v1.1.0: guards ", major, "v1.1.0"],
  [`@${rc}`, `✔ Updated guards   URL   ${rc} → v2.0.0 at `, "", "v2.0.0"],
  ["@v2.0.0", "• Pinned to v2.0.0: guards ", "", "v2.0.0"],
  ["@COMMIT", "• Pinned to COMMIT: guards ", "", "COMMIT"],
  ["@main", "• Up to date: guards ", "", "main"],
  ["", "• Up to date: guards ", "", undefined],
];

const lockedRevision = async (place: Workspace): Promise<string | undefined> =>
  JSON.parse((await place.read("project/.kodelet/hooks.lock")) ?? "").packs.guards.revision;

describe.skipIf(!hasGit)("update (needs git)", () => {
  test.each(sampledRows(CASES))("of a pack at %j", async (revision, first, more, then) => {
    await using place = await workspace();
    const repository = await repositoryWithTags(place, TAGS);
    const commit = (await repository.git("rev-parse", "v1.0.0")).slice(0, 12);
    const named = (text: string) => text.replace("COMMIT", commit).replace("URL", repository.url);
    await runInProcess(place, `add ${repository.url}${named(revision)} --yes`);
    const result = await runInProcess(place, "update --yes");
    expect(result).toMatchObject({ code: 0 });
    const stdout = result.stdout.replaceAll("DIR", place.dir);
    expect(stdout.startsWith(named(first))).toBe(true);
    expect(stdout.replace(/^.*\n(?:✔ Approved .*\n)?/, "")).toBe(more);
    expect(await lockedRevision(place)).toBe(then === undefined ? then : named(then));
    // A second one has nothing to do.
    const json = JSON.parse((await runInProcess(place, "update --json")).stdout);
    expect(json.packs[0]).toMatchObject({ action: "unchanged" });
    expect(json.packs[0].newer).toBe(more === "" ? undefined : "v2.0.0");
  });

  test("with --dry-run shows what is newer, and changes nothing", async () => {
    await using place = await workspace();
    const repository = await repositoryWithTags(place, TAGS);
    await runInProcess(place, `add ${repository.url}@v1.0.0 --yes`);
    const before = await place.read("project/.kodelet/hooks.lock");
    expect(await runInProcess(place, "update --dry-run")).toEqual({
      code: 0,
      stdout: expect.stringMatching(
        /^▲ An update is available: guards {3}file:\S+ {3}v1\.0\.0 → v1\.1\.0 at [0-9a-f]{12} {3}1 file changed\n {2}Review and take it: hookctl update guards\n▲ v2\.0\.0 exists\. Take it: hookctl update guards@v2\.0\.0\n$/,
      ),
      stderr: "",
    });
    const json = JSON.parse((await runInProcess(place, "update guards --dry-run --json")).stdout);
    expect(json.packs[0]).toMatchObject({
      ...{ action: "outdated", revision: "v1.1.0", previous: "v1.0.0", newer: "v2.0.0" },
      files: [{ path: "hooks/guard", state: "changed" }],
      approved: [],
    });
    expect(await place.read("project/.kodelet/hooks.lock")).toBe(before);
    expect(await place.read("project/.kodelet/plugins/guards/hooks/guard")).toBe(guardText("v1.0.0"));
  });

  test.each([
    ["update guards@v2.0.0 --yes", "v2.0.0"],
    ["update guards@v2.0.0-rc.1 --yes", rc],
    ["update guards@v1.0.0 --yes", "v1.0.0"],
    ["update guards@main --yes", "main"],
  ])("%s picks a revision", async (call, revision) => {
    await using place = await workspace();
    const repository = await repositoryWithTags(place, TAGS);
    await runInProcess(place, `add ${repository.url}@v1.1.0 --yes`);
    const result = await runInProcess(place, call);
    expect(result).toMatchObject({ code: 0, stdout: expect.stringContaining(`v1.1.0 → ${revision} at `) });
    expect(await lockedRevision(place)).toBe(revision);
  });

  test("a path of a bare repository, or of a repository with a revision, is fetched by git", async () => {
    await using place = await workspace();
    const { dir, git } = await repositoryWithTags(place, ["v1.0.0", "v1.1.0"]);
    await git("clone", "--quiet", "--bare", dir, `${dir}.git`);
    const rows = [
      [`${dir}@v1.0.0`, `file://${dir}`],
      ["../git/acme/guards@v1.0.0", `file://${dir}`],
      [`${dir}.git@v1.0.0`, `file://${dir}.git`],
      [`${dir}.git`, `file://${dir}.git`],
      // Without a revision a folder that people work in is copied as it is.
      [dir, dir],
    ] as const;
    for (const [index, [named, url]] of rows.entries()) {
      const added = await runInProcess(place, `add ${named} --name pack-${index} --yes --json`);
      expect(added).toMatchObject({ code: 0 });
      expect(JSON.parse(added.stdout).packs).toMatchObject([{ source: url.replace(place.dir, "DIR") }]);
    }
  });

  test.each([
    [
      "update guards@v9.0.0 --yes",
      1,
      '✖ file://DIR/git/acme/guards has no tag, branch, commit or version "v9.0.0".',
      "PACK_UNKNOWN_REVISION",
    ],
    ["update gards@v1.1.0 --yes", 64, "✖ No pack gards@v1.1.0 was added here. Did you mean guards?", "PACK_UNKNOWN"],
    ["update guards@..x --yes", 64, "✖ No pack guards@..x was added here. Did you mean guards?", "PACK_UNKNOWN"],
  ])("%s is refused", async (call, code, first, problem) => {
    await using place = await workspace();
    const repository = await repositoryWithTags(place, ["v1.0.0"]);
    await runInProcess(place, `add ${repository.url}@v1.0.0 --yes`);
    const result = await runInProcess(place, call);
    expect(result).toMatchObject({ code, stdout: "", stderr: expect.stringContaining(problem) });
    expect(result.stderr).toContain(first);
    expect(await lockedRevision(place)).toBe("v1.0.0");
  });

  test("without a terminal shows the difference of the newer tag and takes nothing", async () => {
    await using place = await workspace();
    const repository = await repositoryWithTags(place, TAGS);
    await runInProcess(place, `add ${repository.url}@v1.0.0 --yes`);
    const result = await runInProcess(place, "update");
    expect(result).toMatchObject({ code: 77, stdout: "" });
    expect(result.stderr).toMatch(/- revision: v1\.0\.0\n.*- commit: [\s\S]*\+ revision: v1\.1\.0\n/);
    expect(result.stderr).toContain("If you have read it: hookctl update guards --yes");
    expect(await lockedRevision(place)).toBe("v1.0.0");
  });
});

describe.skipIf(!hasGit)("a tag that was moved (needs git)", () => {
  /** v1.0.0 is another commit by now; the repository also has these tags. */
  async function moved(place: Workspace, tags: readonly string[]) {
    const repository = await repositoryWithTags(place, ["v1.0.0"]);
    const from = await repository.git("rev-parse", "HEAD");
    await runInProcess(place, `add ${repository.url}@v1.0.0 --yes`);
    const to = await repository.commit({ "hooks/guard": guardText("moved") });
    await repository.git("tag", "--force", "--annotate", "--message=x", "v1.0.0");
    for (const tag of tags) await repository.git("tag", tag);
    return { from: from.slice(0, 12), to: to.slice(0, 12), url: repository.url };
  }

  test.each(["update --yes", "update", "update --dry-run", "update guards@v1.0.0 --yes", "add URL@v1.0.0 --yes"])(
    "is not taken by %s, also where a newer one is there",
    async (call) => {
      for (const tags of [[], ["v1.1.0"]]) {
        await using place = await workspace();
        const { from, to, url } = await moved(place, tags);
        expect(await runInProcess(place, call.replace("URL", url))).toEqual({
          code: 1,
          stdout: "",
          stderr:
            `✖ The tag v1.0.0 of guards was moved in its repository, from commit ${from} to ${to}. (PACK_TAG_MOVED)\n` +
            "  Nothing was changed. Ask its authors why. To review and accept the new commit: hookctl update guards@v1.0.0 --force\n",
        });
        expect(await place.read("project/.kodelet/plugins/guards/hooks/guard")).toBe(guardText("v1.0.0"));
      }
    },
  );

  test("is shown and taken with --force; a tag made again at the same commit was not moved", async () => {
    await using place = await workspace();
    await moved(place, []);
    const taken = await runInProcess(place, "update guards@v1.0.0 --force --yes");
    expect(taken).toMatchObject({ code: 0, stdout: expect.stringMatching(/^✔ Updated guards /) });
    expect(taken.stderr).toMatch(/- commit: [\s\S]*\+ commit: /);
    expect(await place.read("project/.kodelet/plugins/guards/hooks/guard")).toBe(guardText("moved"));
    expect(await runInProcess(place, "update")).toMatchObject({ code: 0, stderr: "" });
  });
});

test.skipIf(!hasGit).each([
  ["neither text ends with a newline", "# a", "# a", []],
  ["only the new one ends with one", "# a", "# a\n", ["\\ No newline at end of file"]],
])("a difference has no false marker where %s (needs git)", async (_title, before, after, markers) => {
  await using place = await workspace();
  const repository = await packRepository(place);
  const text = (reason: string, end: string) => `${guardText(reason)}${end}`;
  await repository.commit({ "hooks/guard": text("one", before) });
  await runInProcess(place, `add ${repository.url} --yes`);
  await repository.commit({ "hooks/guard": text("two", after) });
  const { stderr } = await runInProcess(place, "update --yes");
  expect(stderr).toMatch(/- .*"one"[\s\S]*\+ .*"two"/);
  expect(stderr.match(/\\ .*/g) ?? []).toEqual(markers);
});
