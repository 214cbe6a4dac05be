import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { shellQuote } from "../support/shell.ts";
import { type CommandResult, HOOKCTL, runProgram, type Workspace, workspace } from "../support/workspace.ts";

const examples = fileURLToPath(new URL("../../hooks-examples/rotation", import.meta.url));
const PATH = `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`;

async function rotated(place: Workspace): Promise<CommandResult> {
  const hookctl = await place.write(
    "bin/hookctl",
    `#!/bin/sh\nexec ${HOOKCTL.map(shellQuote).join(" ")} "$@"\n`,
    0o755,
  );
  const env = { ...place.env, PATH, HOOKCTL: hookctl };
  return runProgram([join(examples, "..", "callers", "rotation.sh"), "old", "new"], { cwd: place.project, env });
}

test("the rotation runs whole: block, save, hand off, restore in a fresh session, put back what a compaction lost", async () => {
  await using place = await workspace();
  await place.hook("rotate-session", readFileSync(join(examples, "rotate-session"), "utf8"));
  await place.write("project/.git/HEAD", "ref: refs/heads/feat/145-hooks\n");
  const result = await rotated(place);
  expect(result).toMatchObject({ code: 0, stderr: "" });
  const steps = result.stdout
    .trimEnd()
    .split("\n")
    .map((line) => {
      const [, step = "", answer = ""] = /^(.*?): (.*)$/.exec(line) ?? [];
      return [step, JSON.parse(answer)] as const;
    });
  const own = (metadata: object) => ({ "rotate-session": metadata });
  expect(steps).toEqual([
    [
      "OnBudgetExceeded old",
      { action: "block", reason: "82% of the budget is used: rotate the session before going on" },
    ],
    ["PreCompact old", { action: "passThrough", metadata: own({ anchors: 4 }) }],
    ["SessionEnd old", { action: "passThrough", warnings: ["rotate-session: the handoff is written"] }],
    [
      "SessionStart new",
      {
        action: "injectContext",
        additionalContext: expect.arrayContaining([
          ...["issue: #145", "branch: feat/145-hooks", "blockers: feed login", "next step: restore, then test"],
        ]),
      },
    ],
    ["PreCompact new", { action: "passThrough", metadata: own({ anchors: 4 }) }],
    [
      "PostCompact new",
      {
        action: "injectContext",
        additionalContext: expect.arrayContaining(["branch: feat/145-hooks", "next step: restore, then test"]),
        metadata: own({ kept: 2, lost: 2 }),
      },
    ],
  ]);
  // The handoff is taken once.
  expect(await place.read("project/.kodelet/state/handoff/handoff.json")).toBeNull();
});

test("a step that does not end as it must stops the rotation", async () => {
  await using place = await workspace();
  const result = await rotated(place);
  expect(result).toMatchObject({ code: 1, stderr: "OnBudgetExceeded ended with 0, not with 2\n" });
});
