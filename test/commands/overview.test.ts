import { expect, test } from "vitest";
import { runInProcess } from "../support/in-process.ts";
import { workspace } from "../support/workspace.ts";

test("hookctl alone counts the hooks that no call would start", async () => {
  await using place = await workspace();
  await place.write("project/.kodelet/hooks/closed", "#!/bin/sh\necho before_tool_call\n");
  const shown = await runInProcess(place, "");
  expect(shown).toMatchObject({ stderr: "", code: 0 });
  expect(shown.stdout).toContain("  Hooks    0 hooks, closed cannot run: hookctl doctor\n");
  const { stdout } = await runInProcess(place, "--json");
  expect(JSON.parse(stdout)).toMatchObject({ hooks: [], cannot_run: ["closed"] });
});

test("a hook that declares a wrong event is named, as soon as it was started once", async () => {
  await using place = await workspace();
  await place.hook("typo", "cat >/dev/null", { says: "befor_tool_call" });
  expect((await runInProcess(place, "")).stdout).toContain("  Hooks    1 hook, 1 not started yet: hookctl list\n");
  expect(JSON.parse((await runInProcess(place, "--json")).stdout)).toMatchObject({ not_started: ["typo"] });
  await runInProcess(place, "list");
  expect((await runInProcess(place, "")).stdout).toContain("  Hooks    0 hooks, typo cannot run: hookctl doctor\n");
  expect((await runInProcess(place, "status")).stdout).toBe("hookctl: 0 hooks · typo cannot run: hookctl doctor\n");
  expect(JSON.parse((await runInProcess(place, "--json")).stdout)).toMatchObject({
    cannot_run: ["typo"],
    not_started: [],
  });
  expect(JSON.parse((await runInProcess(place, "status --json")).stdout)).toMatchObject({ cannot_run: ["typo"] });
});
