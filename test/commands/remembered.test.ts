import { mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runInProcess } from "../support/in-process.ts";
import { toolCall } from "../support/payloads.ts";
import { shellQuote } from "../support/shell.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const stdin = toolCall();
const RUN = "run before_tool_call -q";

/** A hook that notes every time it is asked for its event. */
const noting = ({ dir }: Workspace): string =>
  `#!/bin/sh\nif [ "$1" = hook ]; then echo asked >> ${shellQuote(join(dir, "asked"))}; echo before_tool_call; fi\n`;
const timesAsked = async (place: Workspace): Promise<number> =>
  ((await place.read("asked")) ?? "").split("\n").length - 1;

test("a hook that answered once is not asked for its event again, and its plan says so", async () => {
  await using place = await workspace();
  await place.hook("guard", noting(place));
  for (const call of [RUN, RUN, "list"]) expect(await runInProcess(place, call, { stdin })).toMatchObject({ code: 0 });
  expect(await timesAsked(place)).toBe(1);
  expect((await runInProcess(place, "run before_tool_call --dry-run")).stderr).toContain("✔ would start");
});

test("--no-cache asks every hook again", async () => {
  await using place = await workspace();
  await place.hook("guard", noting(place));
  for (const call of [RUN, `${RUN} --no-cache`]) await runInProcess(place, call, { stdin });
  expect(await timesAsked(place)).toBe(2);
});

test("a file that was just written is asked each time", async () => {
  await using place = await workspace();
  const { mtimeMs } = await stat(await place.hook("guard", noting(place)));
  const host = { nowMs: () => mtimeMs + 1000 };
  for (const call of [RUN, RUN]) await runInProcess(place, call, { stdin, host });
  expect(await timesAsked(place)).toBe(2);
});

test("a cache folder inside the project gives way to the usual one: it must not answer for the user's hooks", async () => {
  await using place = await workspace();
  await place.hook("guard", noting(place));
  const env = { XDG_CACHE_HOME: join(place.project, "cache") };
  for (const call of [RUN, RUN]) await runInProcess(place, call, { stdin, env });
  expect(await timesAsked(place)).toBe(1);
  expect(await place.read("project/cache/hookctl/identities.json")).toBeNull();
  expect(await place.read("home/.cache/hookctl/identities.json")).toContain("before_tool_call");
});

test("a cache that cannot be written costs time, never an answer", async () => {
  await using place = await workspace();
  await place.hook("guard", noting(place));
  await place.write("home/.kodelet/hooks.yaml", "settings: {timeout: 5s}");
  const env = { XDG_CACHE_HOME: await place.write("cache", "a file") };
  for (const call of [RUN, RUN])
    expect(await runInProcess(place, call, { stdin, env })).toMatchObject({ code: 0, stderr: "" });
  expect(await timesAsked(place)).toBe(2);
});

test("an unchanged settings file is not parsed again", async () => {
  await using place = await workspace();
  await place.hook("guard", noting(place));
  await place.write("home/.kodelet/hooks.yaml", "overrides: {guard: {enabled: false}}");
  const first = await runInProcess(place, "list --json");
  expect(JSON.parse(first.stdout)).toMatchObject({ hooks: [{ name: "guard", enabled: false }] });
  expect(await runInProcess(place, "list --json")).toEqual(first);
  await place.write("home/.kodelet/hooks.yaml", "overrides: {guard: {enabled: true}}");
  expect(JSON.parse((await runInProcess(place, "list --json")).stdout)).toMatchObject({ hooks: [{ enabled: true }] });
});

test("the record keeps names, numbers and the call in short, and nothing where the user says off", async () => {
  await using place = await workspace();
  await place.hook("guard", `printf '{"blocked":true,"reason":"no","metadata":{"rule":7}}'`);
  const env = { XDG_STATE_HOME: join(place.dir, "state") };
  await runInProcess(place, RUN, { stdin: toolCall("ls", { conv_id: "s1", recipe_name: "private" }), env });
  const text = (await place.read("state/hookctl/audit.jsonl")) ?? "";
  expect(JSON.parse(text)).toMatchObject({
    ...{ schema: "hookctl.record/1", event: "before_tool_call", session: "s1", decision: "block", decided_by: "guard" },
    hooks: [
      { name: "guard", source: "user", outcome: "block", exit: 0, hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
    ],
  });
  expect(text).not.toContain("private");
  await place.write("home/.kodelet/hooks.json", '{"settings":{"record":"off"}}');
  await runInProcess(place, RUN, { stdin, env });
  expect(await place.read("state/hookctl/audit.jsonl")).toBe(text);
});

test("in HOME itself there is user scope only", async () => {
  await using place = await workspace();
  await place.hook("guard", noting(place));
  await mkdir(join(place.home, "below"));
  for (const directory of [place.home, join(place.home, "below")]) {
    const result = await runInProcess(place, `list --json -C ${directory}`);
    expect(JSON.parse(result.stdout)).toMatchObject({ hooks: [{ name: "guard", source: "user" }] });
  }
});
