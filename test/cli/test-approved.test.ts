import { join } from "node:path";
import { expect, test } from "vitest";
import { runMain } from "../support/in-process.ts";
import { parseTestJson } from "../support/json-test-output.ts";
import { printResponse, touch } from "../support/shell.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const project = { scope: "project" } as const;
const started = (place: Workspace): string => touch(join(place.dir, "canary"));

test("an approved hook is checked and tried by its name", async () => {
  await using place = await workspace();
  await place.hook("guard", `cat > /dev/null; ${printResponse({ blocked: true, reason: "no" })}`, project);
  expect(await runMain(place, ["trust", "guard", "--yes"])).toMatchObject({ code: 0 });
  const checked = await runMain(place, ["test", "guard", "--json"], { env: { XDG_STATE_HOME: undefined } });
  expect(checked).toMatchObject({ code: 0, stderr: "" });
  expect(parseTestJson(checked)).toMatchObject({ hooks: [{ name: "guard", passed: true }], skipped_hooks: [] });
  expect(await runMain(place, ["try", "guard", "-q"])).toMatchObject({
    code: 2,
    stderr: "",
    stdout: '{"blocked":true,"reason":"no"}\n',
  });
});

test("one that changed since is started neither by test nor by try", async () => {
  await using place = await workspace();
  await place.hook("guard", "exit 0", project);
  expect(await runMain(place, ["trust", "guard", "--yes"])).toMatchObject({ code: 0 });
  await place.hook("guard", started(place), project);
  const checked = await runMain(place, ["test"]);
  expect(checked).toMatchObject({ code: 77, stderr: expect.stringContaining("Read it, then: hookctl trust guard\n") });
  expect(checked.stdout).toContain("Skipped\n • guard: ");
  const tried = await runMain(place, ["try", "guard"]);
  expect(tried).toMatchObject({ code: 77, stdout: "", stderr: expect.stringContaining("(HOOK_REFUSED_CHANGED)") });
  expect(await place.read("canary")).toBeNull();
});

test("a path does not lift a denial", async () => {
  await using place = await workspace();
  await place.hook("guard", started(place), project);
  expect(await runMain(place, ["untrust", "guard", "--deny"])).toMatchObject({ code: 0 });
  for (const word of [".", "./.kodelet/hooks/guard"]) {
    const checked = await runMain(place, ["test", word]);
    expect(checked).toMatchObject({ code: 77, stderr: expect.stringContaining("(NOTHING_TO_TEST)") });
    expect(checked.stdout).toContain("Skipped\n • guard: ");
  }
  expect(await place.read("canary")).toBeNull();
});

test("an approval by digest holds for one name of many", async () => {
  await using place = await workspace();
  await place.hook("guard", "exit 0", project);
  await place.hook("other", "exit 0", project);
  const { stdout } = await runMain(place, ["trust", "--digest"]);
  const env = { HOOKCTL_TRUST: stdout.trim() };
  const checked = await runMain(place, ["test", "guard", "--json"], { env });
  expect(checked).toMatchObject({ code: 0, stderr: "" });
  expect(parseTestJson(checked).hooks.map(({ name }) => name)).toEqual(["guard"]);
  expect(await runMain(place, ["try", "guard", "-q"], { env })).toMatchObject({
    code: 0,
    stdout: '{"blocked":false}\n',
  });
});
