import { chmod, rm } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { inside } from "../support/inside.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const STDIN = JSON.stringify({ tool_name: "bash", tool_input: { command: "ls" } });
const OPEN = "before_tool_call";
const CLOSED = '{"event":"before_tool_call","fail_open":false}';

const run = (place: Workspace, event = "before_tool_call") =>
  inside(place, `run ${event} --json`, { stdin: event === "before_tool_call" ? STDIN : "{}" });

async function guard(scope: "user" | "project", says: string) {
  const place = await workspace();
  const path = await place.hook("guard", "cat >/dev/null", { scope, says });
  if (scope === "project") expect(await inside(place, "trust guard")).toMatchObject({ code: 0 });
  expect(await run(place)).toMatchObject({ code: 0, stderr: expect.not.stringContaining("does not run") });
  return { place, path };
}

describe.each(["user", "project"] as const)("a %s hook that lost its execute bit", (scope) => {
  test("and fails open is told in each run at its event, in the list and by doctor", async () => {
    const { place, path } = await guard(scope, OPEN);
    await using _ = place;
    await chmod(path, 0o644);
    for (let call = 0; call < 2; call++) {
      const { stdout, stderr, code } = await run(place);
      expect({ stderr, code }).toMatchObject({
        stderr: expect.stringContaining("guard does not run any more"),
        code: 0,
      });
      expect(JSON.parse(stdout).guard_warnings).toMatchObject([{ code: "HOOK_LOST", hook: "guard" }]);
    }
    expect((await run(place, "session_end")).stderr).not.toContain("does not run any more");
    const list = (await inside(place, "list")).stdout;
    expect(list).toContain("guard");
    expect(list).not.toContain("hookctl init");
    expect(await inside(place, "doctor")).toMatchObject({ stdout: expect.stringContaining("✖ hook: guard"), code: 1 });
  });

  test("and is closed blocks", async () => {
    const { place, path } = await guard(scope, CLOSED);
    await using _ = place;
    await chmod(path, 0o644);
    expect(await run(place)).toMatchObject({ code: 2 });
  });
});

test("an approved hook that is gone is told until it is forgotten by the command that the warning names", async () => {
  const { place, path } = await guard("project", OPEN);
  await using _ = place;
  await rm(path);
  expect((await run(place)).stderr).toContain("If that is meant: hookctl untrust guard");
  expect(await inside(place, "untrust guard")).toMatchObject({ code: 0 });
  expect((await run(place)).stderr).not.toContain("does not run");
});

test("a hook that is switched off by its name is as meant", async () => {
  const { place, path } = await guard("user", OPEN);
  await using _ = place;
  await rm(path);
  await place.write(`${path}.disable`, "#!/bin/sh\necho before_tool_call\n", 0o755);
  expect(await run(place)).toMatchObject({ code: 0, stderr: "" });
});
