import { expect, test } from "vitest";
import { runInProcess } from "../support/in-process.ts";
import { workspace } from "../support/workspace.ts";

/** Which hooks a call tests, where one that the settings require is missing. */
test.each([
  ["test mine", 0],
  ["test --hook mine", 0],
  ["test", 1],
])("%s, while another required hook is missing", async (call, code) => {
  await using place = await workspace();
  await place.hook("mine", "true");
  await place.write("home/.kodelet/hooks.json", '{"overrides":{"gone":{"required":true}}}');
  const result = await runInProcess(place, call);
  expect(result.code).toBe(code);
  expect(result.stdout.includes("✖ gone")).toBe(code === 1);
});

test("list sees no problems only where it warns of nothing", async () => {
  await using place = await workspace();
  await place.hook("mine", "true");
  expect((await runInProcess(place, "list")).stdout).toContain(", no problems.");
  await place.write("project/.kodelet/hooks.json", '{"settings":{"timeout":"3s"}}');
  const { stdout } = await runInProcess(place, "list");
  expect(stdout).toContain("▲ ");
  expect(stdout).not.toContain("no problems");
});
