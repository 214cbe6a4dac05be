import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { skippableTime } from "../support/clock.ts";
import { makeFifo } from "../support/fifo.ts";
import { runMain } from "../support/in-process.ts";
import { lifeline } from "../support/lifeline.ts";
import { toolCall } from "../support/payloads.ts";
import { printResponse } from "../support/shell.ts";
import { workspace } from "../support/workspace.ts";

const blocking = printResponse({ blocked: true, reason: "no" });

const readable = [
  { title: "prints a line before it", body: `echo checking; ${blocking}` },
  { title: "prints a key twice", body: `printf '{"blocked":true,"blocked":false}'` },
  { title: "gives a wrong type beside it", body: `printf '{"blocked":true,"reason":5}'` },
  { title: "gives a key of another dialect beside it", body: `printf '{"blocked":true,"action":"deny"}'` },
  { title: "prints bytes that are not UTF-8", body: String.raw`printf '{"blocked":true,"reason":"caf\351"}'` },
  { title: "exits with 1", body: `${blocking}; exit 1` },
];

test.each(readable)("a block that can be read counts: the guard $title", async ({ body }) => {
  await using place = await workspace();
  await place.hook("guard", body);
  const result = await runMain(place, ["run", "before_tool_call"], { stdin: toolCall() });
  expect(result).toMatchObject({ code: 2, signal: null, stderr: expect.stringContaining("✖ Blocked by guard") });
  expect(JSON.parse(result.stdout)).toMatchObject({ blocked: true });
});

test("a block that can be read counts: the guard runs into its timeout", async () => {
  await using place = await workspace();
  await using life = await lifeline(place.dir);
  using time = skippableTime();
  await place.hook("guard", `${blocking}; ${life.hold}; sleep 20`);
  const running = runMain(place, ["run", "before_tool_call", "--timeout", "9s"], { stdin: toolCall() });
  await life.held;
  time.skip();
  expect(await running).toMatchObject({ code: 2, stderr: expect.stringContaining("✖ Blocked by guard") });
});

describe("what may be a block beside something that can be read", () => {
  const doubtful = printResponse({ input: { command: "ls" }, blocked: "true" });

  test("blocks where the hook fails closed", async () => {
    await using place = await workspace();
    await place.hook("guard", doubtful, { says: '{"event":"before_tool_call","fail_open":false}' });
    const result = await runMain(place, ["run", "before_tool_call"], { stdin: toolCall() });
    const reason = 'guard could not decide: guard printed "blocked" as "true"; it must be true or false';
    expect(JSON.parse(result.stdout)).toMatchObject({ blocked: true, reason });
    expect(result).toMatchObject({ code: 2, stderr: expect.stringContaining(reason) });
  });

  test("is a warning where it fails open, and the rest counts", async () => {
    await using place = await workspace();
    await place.hook("guard", doubtful);
    const result = await runMain(place, ["run", "before_tool_call"], { stdin: toolCall() });
    const warnings = [
      'guard printed "blocked" as "true"; it must be true or false; this may be a block or a change, and the hook is not fail-closed',
    ];
    expect(JSON.parse(result.stdout)).toEqual({ blocked: false, input: { command: "ls" }, warnings });
    expect(result).toMatchObject({ code: 0, stderr: expect.stringContaining(warnings[0] ?? "") });
  });
});

test("a block by the user's guard is told as such beside an unapproved project file of its name", async () => {
  await using place = await workspace();
  await place.hook("guard", blocking);
  await place.hook("guard", blocking, { scope: "project" });
  const result = await runMain(place, ["run", "before_tool_call"], { stdin: toolCall() });
  expect(result.code).toBe(2);
  expect(result.stderr).toContain("✖ Blocked by guard\n  no\n");
  expect(result.stderr).not.toContain("This hook is fail-closed");
});

test.each(["identities.json"])("a FIFO in place of the cache file %s holds nothing up", async (name) => {
  await using place = await workspace();
  await place.hook("guard", blocking);
  await place.write(`home/.cache/hookctl/${name}.keep`, "");
  makeFifo(join(place.home, ".cache", "hookctl", name));
  const result = await runMain(place, ["run", "before_tool_call", "-q"], { stdin: toolCall() });
  expect(result).toMatchObject({ stdout: '{"blocked":true,"reason":"no"}\n', stderr: "", code: 2 });
});

test("a folder named by --hooks-dir that is not there is wrong usage, not an empty set", async () => {
  await using place = await workspace();
  const result = await runMain(place, ["run", "before_tool_call", "--hooks-dir", "/nowhere"], { stdin: toolCall() });
  expect(result).toEqual({
    stdout: "",
    stderr:
      '✖ Invalid value "/nowhere" for --hooks-dir: there is no such folder (USAGE_BAD_VALUE)\n  All options: hookctl run --help\n',
    code: 64,
    signal: null,
  });
});

test("an override whose name is nearly a hook's is told with that hook's name", async () => {
  await using place = await workspace();
  await place.hook("guard", ":");
  await place.write(
    "home/.kodelet/hooks.json",
    '{"overrides":{"gaurd":{"fail_open":false},"elsewhere":{"priority":1}}}',
  );
  const result = await runMain(place, ["run", "before_tool_call"], { stdin: toolCall() });
  const output = 'the settings override "gaurd" matches no hook, so it has no effect. Did you mean "guard"?';
  expect(result).toMatchObject({ code: 0, stdout: `{"blocked":false,"warnings":[${JSON.stringify(output)}]}\n` });
  expect(result.stderr).toContain(output);
  expect(result.stderr).not.toContain("elsewhere");
});

test("a reply of a hundred thousand unknown keys costs a few warnings, not a hundred thousand", {
  tags: "slow",
}, async () => {
  await using place = await workspace();
  await place.hook(
    "noisy",
    `awk 'BEGIN { printf "{\\"k\\":1"; for (i = 0; i < 60000; i++) printf ",\\"k%d\\":1", i; print "}" }'`,
  );
  const result = await runMain(place, ["run", "before_tool_call", "--json", "-q"], { stdin: toolCall() });
  expect(result.code).toBe(0);
  expect((JSON.parse(result.stdout) as { warnings: unknown[] }).warnings.length).toBeLessThan(20);
});
