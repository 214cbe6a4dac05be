import { join } from "node:path";
import { expect, test } from "vitest";
import { runMain } from "../../../test/support/in-process.ts";
import { type Workspace, workspace } from "../../../test/support/workspace.ts";

/** A hook that notes each of its starts. */
const noting = (place: Workspace, name: string, scope: "home" | "project" = "home") =>
  place.write(
    `${scope}/.kodelet/hooks/${name}`,
    `#!/bin/sh\necho "${name} $1" >> ${join(place.dir, "starts")}\n[ "$1" = hook ] && echo before_tool_call || cat >/dev/null\n`,
    0o755,
  );

interface Report {
  readonly hooks: readonly { readonly name: string }[];
  readonly skipped_hooks: readonly { readonly name: string }[];
}

/** The starts of a test with one worker, a start that is repeated told once, and the names in the report. */
async function starts(place: Workspace, args: readonly string[]) {
  const { stdout } = await runMain(place, ["test", "--json", "--jobs", "1", ...args]);
  const report: Report = JSON.parse(stdout);
  const lines = ((await place.read("starts")) ?? "").trim().split("\n");
  return {
    lines: lines.filter((line, index) => line !== lines[index - 1]),
    names: report.hooks.map(({ name }) => name),
    skipped: report.skipped_hooks.map(({ name }) => name),
  };
}

test("a hook is tested before those after it are asked for their events", async () => {
  await using place = await workspace();
  for (const name of ["a", "b", "c"]) await noting(place, name);
  const { lines, names } = await starts(place, []);
  expect(lines).toEqual(["a hook", "a run", "b hook", "b run", "c hook", "c run"]);
  expect(names).toEqual(["a", "b", "c"]);
});

test("a hook that one of the same name may replace is tested when all are known", async () => {
  await using place = await workspace();
  for (const name of ["a", "c"]) await noting(place, name);
  await noting(place, "b");
  await noting(place, "b", "project");
  const { lines, names, skipped } = await starts(place, ["--trust"]);
  expect({ names, skipped }).toEqual({ names: ["b", "a", "c"], skipped: ["b"] });
  expect(lines.indexOf("c hook")).toBeLessThan(lines.indexOf("b run"));
});

test("after the first failure with --bail the rest is only counted", async () => {
  await using place = await workspace();
  await place.hook("a", "exit 3");
  for (const name of ["b", "c"]) await noting(place, name);
  const { stdout, code } = await runMain(place, ["test", "--json", "--jobs", "1", "--bail"]);
  expect({ code, notRun: JSON.parse(stdout).not_run }).toMatchObject({ code: 1, notRun: { why: "bail", hooks: 2 } });
  expect(await place.read("starts")).not.toContain("run");
});
