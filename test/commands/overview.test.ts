import { expect, test } from "vitest";
import { runInProcess } from "../support/in-process.ts";
import { workspace } from "../support/workspace.ts";

test("hookctl alone counts the hooks that no call would start", async () => {
  await using place = await workspace();
  await place.write("project/.kodelet/hooks/closed", "#!/bin/sh\necho before_tool_call\n");
  const shown = await runInProcess(place, "");
  expect(shown).toMatchObject({ stderr: "", code: 0 });
  expect(shown.stdout).toContain("  Hooks    0 hooks, 1 cannot run: hookctl doctor\n");
  const { stdout } = await runInProcess(place, "--json");
  expect(JSON.parse(stdout)).toMatchObject({ hooks: [], cannot_run: ["closed"] });
});
