import { describe, expect, test } from "vitest";
import { runInProcess } from "../support/in-process.ts";
import { hasScript } from "../support/on-terminal.ts";
import { guardText, hasGit, packRepository } from "../support/pack-repository.ts";
import { workspace } from "../support/workspace.ts";
import { expectAnswer, lockOf, placed } from "./packs.ts";

describe.skipIf(!hasGit)("add", () => {
  test("takes a tag, a branch, a commit and the beginning of one", async () => {
    await using place = await workspace();
    const repository = await packRepository(place);
    const first = await repository.commit({ "hooks/guard": guardText("one") });
    await repository.git("tag", "--annotate", "--message=x", "v1");
    await repository.git("branch", "old");
    const second = await repository.commit({ "hooks/guard": guardText("two") });
    const pins: readonly (readonly [revision: string, commit: string])[] = [
      ["@v1", first],
      ["@old", first],
      ["@main", second],
      [`@${first}`, first],
      [`@${first.slice(0, 8)}`, first],
      ["", second],
    ];
    for (const [revision, commit] of pins) {
      const result = await runInProcess(place, `add ${repository.url}${revision} --yes --json`);
      expect(result).toMatchObject({ code: 0 });
      expect(JSON.parse(result.stdout).packs, revision).toMatchObject([
        { pinned: commit, approved: [{ name: "guards/guard" }] },
      ]);
    }
  });
});

describe.skipIf(!hasGit || !hasScript)("on a terminal", () => {
  test("the answer n decides", () => expectAnswer({ key: "n", code: 77, reason: undefined }));
});

describe.skipIf(!hasGit)("a pack", () => {
  test("is not lost when several are added at once", async () => {
    await using place = await workspace();
    const names = ["a", "b", "c", "d"];
    const repositories = await Promise.all(names.map((name) => packRepository(place, `git/${name}`)));
    for (const repository of repositories) await repository.commit({ "hooks/guard": guardText("one") });
    const results = await Promise.all(repositories.map(({ url }) => place.run(["add", url, "--yes"])));
    expect(results.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    expect(Object.keys((await lockOf(place)).packs)).toEqual(names);
    expect((await placed(place)).filter((path) => !path.includes("/"))).toEqual(names);
  });

  test("of 300 files is added and shown in part with --yes", async () => {
    await using place = await workspace();
    const repository = await packRepository(place);
    const many = Array.from({ length: 300 }, (_, index) => [`hooks/lib/${index}.txt`, `${index}\n`.repeat(50)]);
    await repository.commit({ "hooks/guard": guardText("one"), ...Object.fromEntries(many) });
    const result = await runInProcess(place, `add ${repository.url} --yes`);
    expect(result).toMatchObject({ code: 0, stdout: expect.stringContaining("301 files") });
    expect(result.stderr).toMatch(/All of it is in DIR\/project\/\.kodelet\/plugins\/guards\n$/);
  });
});
