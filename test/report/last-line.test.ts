import { expect, test } from "vitest";
import { runMain } from "../support/in-process.ts";
import { parseRunJson } from "../support/json-output.ts";
import { toolCall } from "../support/payloads.ts";
import { printResponse } from "../support/shell.ts";
import { workspace } from "../support/workspace.ts";

const failing: readonly { title: string; body: string; scope: "user" | "project"; timeout?: string; end?: string }[] = [
  { title: "fails", body: "exit 1", scope: "user" },
  { title: "prints no JSON", body: "echo yes", scope: "user" },
  { title: "exceeds its timeout", body: "sleep 20", scope: "user", timeout: "300ms" },
  { title: "does not say its event", body: "#!/bin/sh\nexit 1\n", scope: "user" },
  { title: "is not approved", body: printResponse({}), scope: "project", end: "did not start" },
];

test.each(failing)(
  "the story of a run with a hook that $title does not end in green",
  async ({ body, scope, timeout = "30s", end = "failed" }) => {
    await using place = await workspace();
    await place.hook("guard", body, { scope, says: JSON.stringify({ event: "before_tool_call", timeout }) });
    await place.hook("other", printResponse({}));
    const result = await runMain(place, ["run", "before_tool_call"], { stdin: toolCall() });
    expect(result).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(new RegExp(`\\n▲ Allowed, but 1 hook ${end} {5}2 hooks, \\d+ ms\\n$`)),
    });
    expect(result.stderr).not.toContain("✔ Allowed");
  },
);

test("two failures are counted, and a run without one ends in green", async () => {
  await using place = await workspace();
  const run = () => runMain(place, ["run", "before_tool_call"], { stdin: toolCall() });
  await place.hook("a", printResponse({}));
  expect((await run()).stderr).toMatch(/\n✔ Allowed {5}1 hook, \d+ ms\n$/);
  for (const name of ["b", "c"]) await place.hook(name, "exit 1");
  expect((await run()).stderr).toMatch(/\n▲ Allowed, but 2 hooks failed {5}3 hooks, \d+ ms\n$/);
});

test("the duration holds the time that a hook took to say its event, in the story and in --json", async () => {
  await using place = await workspace();
  await place.hook("guard", "#!/bin/sh\nsleep 0.4\necho before_tool_call\n");
  const call = (flag: string) => runMain(place, ["run", "before_tool_call", "--no-cache", flag], { stdin: toolCall() });
  expect(parseRunJson(await call("--json")).duration_ms).toBeGreaterThanOrEqual(400);
  const result = / (\d+) ms\n$/.exec((await call("--color=never")).stderr);
  expect(Number(result?.[1])).toBeGreaterThanOrEqual(400);
});
