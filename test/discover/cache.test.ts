import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { laterClock } from "../support/clock.ts";
import { parseListJson } from "../support/json-output.ts";
import { shellQuote } from "../support/shell.ts";
import { testOnNode, type Workspace, workspace } from "../support/workspace.ts";

/** A hook that notes each question in a file outside its folder. */
const counting = (place: Workspace, answer = "turn_end"): string =>
  `#!/bin/sh\necho "$1" >> ${shellQuote(join(place.dir, "calls"))}\n[ "$1" = hook ] && echo ${answer}\nexit 0`;

async function list(place: Workspace, env: Record<string, string>, ...args: string[]) {
  const result = await place.run(["list", "--json", ...args], { env });
  expect(result).toMatchObject({ code: 0, signal: null, stderr: "" });
  return parseListJson(result).hooks;
}

const calls = async (place: Workspace): Promise<number> => ((await place.read("calls")) ?? "").split("\n").length - 1;

testOnNode("an answer is kept, and a hook that did not change is not asked again", async () => {
  await using place = await workspace();
  await place.hook("counter", counting(place));
  const env = await laterClock(place);
  expect(await list(place, env)).toMatchObject([{ name: "counter", events: ["turn_end"] }]);
  expect(await calls(place)).toBe(1);
  expect(await list(place, env)).toMatchObject([{ name: "counter", events: ["turn_end"] }]);
  expect(await calls(place)).toBe(1);
  const result = await place.run(["run", "turn_end", "-q"], { env, stdin: '{"response":"done"}' });
  expect(result).toEqual({ stdout: "{}\n", stderr: "", code: 0, signal: null });
  expect(await place.read("calls")).toBe("hook\nrun\n");
});

testOnNode("a file younger than two seconds is asked each time", { tags: "slow" }, async () => {
  await using place = await workspace();
  const later = await laterClock(place);
  await place.hook("counter", counting(place));
  // On the file's own clock: however slow the machine, hookctl believes that it was written a moment ago.
  const code =
    "const fs = require('node:fs'); const at = fs.statSync(process.env.YOUNG).ctimeMs; Date.now = () => at + 1500;";
  const env = {
    NODE_OPTIONS: `--require=${await place.write("young.cjs", code)}`,
    YOUNG: join(place.home, ".kodelet", "hooks", "counter"),
  };
  await list(place, env);
  await list(place, env);
  expect(await calls(place)).toBe(2);
  await list(place, later);
  await list(place, later);
  expect(await calls(place)).toBe(3);
});

test("an answer that is kept does not count for a file that is young again by the clock", {
  tags: "slow",
}, async () => {
  await using place = await workspace();
  await place.hook("counter", counting(place));
  await list(place, await laterClock(place));
  await list(place, { NODE_OPTIONS: `--require=${await place.write("zero.cjs", "Date.now = () => 0;")}` });
  expect(await calls(place)).toBe(2);
});

test("--no-cache asks every hook again", { tags: "slow" }, async () => {
  await using place = await workspace();
  await place.hook("counter", counting(place));
  const env = await laterClock(place);
  await list(place, env);
  await list(place, env, "--no-cache");
  expect(await calls(place)).toBe(2);
});

test("an edited hook is asked again, and its new answer counts", async () => {
  await using place = await workspace();
  const env = await laterClock(place);
  await place.hook("counter", counting(place));
  expect(await list(place, env)).toMatchObject([{ events: ["turn_end"] }]);
  await place.hook("counter", counting(place, "agent_stop"));
  expect(await list(place, env)).toMatchObject([{ events: ["agent_stop"] }]);
  expect(await calls(place)).toBe(2);
});

test("a hook whose mode changed is asked again", { tags: "slow" }, async () => {
  await using place = await workspace();
  const env = await laterClock(place);
  const file = await place.hook("counter", counting(place));
  await list(place, env);
  await chmod(file, 0o700);
  await list(place, env);
  expect(await calls(place)).toBe(2);
});

test("a cache that is damaged or cannot be written costs time, never an answer", { tags: "slow" }, async () => {
  await using place = await workspace();
  await place.hook("counter", counting(place));
  const env = await laterClock(place);
  await place.write("home/.cache/hookctl/identities.json", '{"version":1,"hooks":{"x":3');
  expect(await list(place, env)).toMatchObject([{ events: ["turn_end"] }]);
  const blocked = { ...env, XDG_CACHE_HOME: await place.write("no-folder", "") };
  expect(await list(place, blocked)).toMatchObject([{ events: ["turn_end"] }]);
  expect(await list(place, blocked)).toMatchObject([{ events: ["turn_end"] }]);
  expect(await calls(place)).toBe(3);
});
