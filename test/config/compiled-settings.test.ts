import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runMain } from "../support/in-process.ts";
import { parseListJson } from "../support/json-output.ts";
import { loadedModules } from "../support/loaded-modules.ts";
import { testOnNode, type Workspace, workspace } from "../support/workspace.ts";

const settings = (timeout: string): string => JSON.stringify({ settings: { timeout } });

async function listed(place: Workspace) {
  const { ended, libraries } = await loadedModules(place, ["list", "--json"]);
  expect(ended).toMatchObject({ code: 0, signal: null, stderr: "" });
  return { limit: parseListJson(ended).hooks[0]?.timeout_ms, libraries };
}

testOnNode("settings are compiled once, and the plan is used until an input changes", async () => {
  await using place = await workspace();
  await place.hook("guard", ":");
  await place.write("home/.kodelet/hooks.json", settings("7s"));
  const first = await listed(place);
  expect(first).toMatchObject({ limit: 7_000, libraries: expect.arrayContaining(["yaml", "zod"]) });
  expect(await listed(place)).toEqual({ limit: 7_000, libraries: [] });

  await place.write("home/.kodelet/hooks.json", settings("8s"));
  expect(await listed(place)).toMatchObject({ limit: 8_000, libraries: expect.arrayContaining(["zod"]) });
  expect(await listed(place)).toEqual({ limit: 8_000, libraries: [] });
});

test("a file that was not there makes the plan stale as surely as an edit", { tags: "slow" }, async () => {
  await using place = await workspace();
  await place.hook("guard", ":");
  expect(await listed(place)).toMatchObject({ limit: 30_000 });
  await place.write("home/.kodelet/hooks.json", settings("8s"));
  expect(await listed(place)).toMatchObject({ limit: 8_000 });
});

test("a mistake is remembered as a mistake", async () => {
  await using place = await workspace();
  await place.write("home/.kodelet/hooks.json", '{"settings":{"timout":"3s"}}');
  const stderr = expect.stringContaining("Did you mean timeout?");
  for (const _ of [1, 2])
    expect(await runMain(place, ["list"])).toEqual({ stdout: "", stderr, code: 78, signal: null });
});

testOnNode("a plan that is damaged or cannot be kept is made again", { tags: "slow" }, async () => {
  await using place = await workspace();
  await place.hook("guard", ":");
  await place.write("home/.kodelet/hooks.json", settings("7s"));
  await listed(place);
  const folder = join(place.home, ".cache", "hookctl");
  const [plan = ""] = (await readdir(folder)).filter((name) => name.startsWith("plan-"));
  const kept = (await place.read(join("home/.cache/hookctl", plan))) ?? "";
  expect(kept).toContain("7000");
  for (const damaged of ['{"version":1,', kept.replace("7000", "9000"), kept.replace("overrides", "overrided")]) {
    await place.write(join(folder, plan), damaged);
    expect(await listed(place)).toMatchObject({ limit: 7_000, libraries: expect.arrayContaining(["zod"]) });
  }
  await mkdir(join(place.dir, "cache"));
  await place.write("cache/hookctl", "a file where a folder should be");
  const result = await runMain(place, ["list", "--json"], { env: { XDG_CACHE_HOME: join(place.dir, "cache") } });
  expect(result).toMatchObject({ code: 0, signal: null, stderr: "" });
  expect(parseListJson(result).hooks).toMatchObject([{ timeout_ms: 7_000 }]);
});
