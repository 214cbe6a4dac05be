import { expect, test } from "vitest";
import { runInProcess } from "../../../test/support/in-process.ts";
import { guardText, hasGit, packRepository } from "../../../test/support/pack-repository.ts";
import { sampledRows } from "../../../test/support/property-runs.ts";
import { workspace } from "../../../test/support/workspace.ts";
import { newestAbove } from "../fetch-pack.ts";

test.each([
  ["v1.0.0", ["v1.0.0", "v1.1.0"], "v1.1.0"],
  ["v1.9.0", ["v1.10.0", "v1.2.0"], "v1.10.0"],
  ["v1.0.0", ["v1.0.0", "v0.9.0"], null],
  ["v1.0.0", ["v1.0.0", "v1.0"], null],
  ["v1", ["v1", "v2", "v1.5"], "v2"],
  ["1.0.0", ["v9.0.0", "1.0.1"], "1.0.1"],
  ["guards-v1.0", ["guards-v1.1", "lint-v9.0"], "guards-v1.1"],
  ["v1.0.0", ["v2.0.0-rc.1", "v2.0.0-beta"], null],
  ["stable", ["stable", "v9.0.0"], null],
] as const)("above %s of %j there is %s", (revision, names, newer) => {
  expect(newestAbove(revision, names)).toBe(newer);
});

/** What `update` says of a pack at this revision, when nothing of it changed. */
const CASES = [
  ["@v1.0.0", "• Pinned to v1.0.0: guards ", "▲ v1.1.0 exists. Take it: hookctl add URL@v1.1.0\n", "v1.1.0"],
  ["@v1.1.0", "• Pinned to v1.1.0: guards ", null, undefined],
  ["@COMMIT", "• Pinned to COMMIT: guards ", null, undefined],
  ["@main", "• Up to date: guards ", null, undefined],
  ["", "• Up to date: guards ", null, undefined],
] as const;

test.skipIf(!hasGit).each(sampledRows(CASES))(
  "update of a pack at %j (needs git)",
  async (revision, first, next, newer) => {
    await using place = await workspace();
    const repository = await packRepository(place);
    await repository.commit({ "hooks/guard": guardText("one") });
    await repository.git("tag", "v1.0.0");
    const commit = await repository.commit({ "hooks/guard": guardText("two") });
    await repository.git("tag", "v1.1.0");
    const named = (text: string) => text.replace("COMMIT", commit.slice(0, 12)).replace("URL", repository.url);
    await runInProcess(place, `add ${repository.url}${named(revision)} --yes`);
    const result = await runInProcess(place, "update --yes");
    expect(result).toMatchObject({ stderr: "", code: 0 });
    expect(result.stdout.replaceAll("DIR", place.dir)).toMatch(new RegExp(`^${named(first)}`));
    const [, more = ""] = result.stdout.replaceAll("DIR", place.dir).split(/(?<=\n)(?=▲)/);
    expect(more).toBe(named(next ?? ""));
    const json = JSON.parse((await runInProcess(place, "update --json")).stdout);
    expect(json.packs[0]).toMatchObject({ action: "unchanged" });
    expect(json.packs[0].newer).toBe(newer);
    // The command that it names does what it says.
    if (next === null) return;
    const command = more.trim().replace(/^.*hookctl /, "");
    expect(await runInProcess(place, `${command} --yes`)).toMatchObject({ code: 0 });
    expect((await runInProcess(place, "update")).stdout).toContain("• Pinned to v1.1.0: guards ");
  },
);
