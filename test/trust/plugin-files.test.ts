import { describe, expect, test } from "vitest";
import { approveAll, outcomeOf } from "../support/approvals.ts";
import { runInProcess } from "../support/in-process.ts";
import { workspace } from "../support/workspace.ts";

const plugin = "acme@guards";
/** No text names this file: it is found at run time. */
const READS_RULES = 'for f in "$(dirname "$0")"/r*/*; do read -r rule < "$f"; done\necho "{}"';

describe("a hook of a project's plugin is approved with every file below its hooks folder:", () => {
  const changes: readonly (readonly [file: string, text: string, outcome: string])[] = [
    ["rules/one.txt", "changed", "refused HOOK_REFUSED_CHANGED"],
    ["rules/deep/two.json", "[]", "refused HOOK_REFUSED_CHANGED"],
    ["second", "#!/bin/sh\n", "continue"],
    ["notes.md", "changed", "continue"],
    ["rules/seen.log", "changed", "continue"],
    ["node_modules/x/index.js", "changed", "continue"],
  ];
  test.each(changes)("after a change of %s", async (file, text, outcome) => {
    await using place = await workspace();
    const folder = `project/.kodelet/plugins/${plugin}/hooks`;
    await place.hook("guard", READS_RULES, { scope: "project", plugin });
    await place.hook("second", "", { scope: "project", plugin });
    for (const name of changes.map(([name]) => name).filter((name) => name !== "second"))
      await place.write(`${folder}/${name}`, "before");
    await approveAll(place);
    expect(await outcomeOf(place, "acme/guards/guard")).toBe("continue");
    await place.write(`${folder}/${file}`, text, file === "second" ? 0o755 : 0o644);
    expect(await outcomeOf(place, "acme/guards/guard")).toBe(outcome);
  });

  test("the review shows them, and what changed in them", async () => {
    await using place = await workspace();
    await place.hook("guard", READS_RULES, { scope: "project", plugin });
    const rules = await place.write(`project/.kodelet/plugins/${plugin}/hooks/rules/one.txt`, "no pushes\n");
    expect((await runInProcess(place, "trust --show")).stdout).toContain("no pushes");
    await approveAll(place);
    await place.write(rules, "all pushes\n");
    expect((await runInProcess(place, "trust --show")).stdout).toMatch(/- no pushes\n.*\+ all pushes/);
  });

  test("a file of the project's own hooks folder counts only if a hook names it", async () => {
    await using place = await workspace();
    await place.hook("guard", READS_RULES, { scope: "project" });
    await place.write("project/.kodelet/hooks/rules/one.txt", "before");
    await approveAll(place);
    await place.write("project/.kodelet/hooks/rules/one.txt", "changed");
    expect(await outcomeOf(place, "guard")).toBe("continue");
  });
});
