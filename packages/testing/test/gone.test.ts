import { rm } from "node:fs/promises";
import { expect, test } from "vitest";
import { runInProcess } from "../../../test/support/in-process.ts";
import { printResponse } from "../../../test/support/shell.ts";
import { workspace } from "../../../test/support/workspace.ts";

test("a hook that answered before and is gone is told so, with what to type", async () => {
  await using place = await workspace();
  const path = await place.hook("guard", printResponse({}));
  await runInProcess(place, "list");
  await rm(path);
  const { stdout, code } = await runInProcess(place, "test");
  expect(code).toBe(1);
  expect(stdout).toContain("it does not exist\n     Hint: If this is intended: hookctl untrust guard\n");
});
