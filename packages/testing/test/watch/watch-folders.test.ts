import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { workspace } from "../../../../test/support/workspace.ts";
import { watchFolders } from "../../watch/watch-folders.ts";

describe("while the folders to watch are looked up again", () => {
  test("a file that was saved before is told", async () => {
    await using place = await workspace();
    const watch = watchFolders();
    expect(watch.update([place.project])).toEqual([]);
    const file = join(place.project, "guard");
    writeFileSync(file, "");
    expect(watch.update([place.project])).toEqual([]);
    expect(await watch.saved()).toContain(file);
    watch.close();
  });

  test("a folder that was made again under its name is watched", async () => {
    await using place = await workspace();
    const folder = join(place.dir, "hooks");
    mkdirSync(folder);
    const watch = watchFolders();
    expect(watch.update([folder])).toEqual([]);
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
    expect(watch.update([folder])).toEqual([]);
    const file = join(folder, "guard");
    writeFileSync(file, "");
    for (let told: readonly string[] = []; !told.includes(file); ) told = await watch.saved();
    watch.close();
  });
});
