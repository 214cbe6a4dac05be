import { expect } from "vitest";
import { printResponse } from "../support/shell.ts";
import { testOnNode, type Workspace, workspace } from "../support/workspace.ts";

const SESSION = "home/.local/state/hookctl/sessions/s1";

/** Ends the process by KILL right before its n-th change of a session's files. */
const KILLER = `
const fs = require("node:fs");
let left = Number(process.env.KILL_AT);
for (const name of ["mkdirSync", "symlinkSync", "writeFileSync", "renameSync", "unlinkSync", "rmSync"]) {
  const change = fs[name];
  fs[name] = function (...words) {
    if (words.some((word) => String(word).includes("/sessions/")) && --left === 0) process.kill(process.pid, "SIGKILL");
    return change.apply(this, words);
  };
}
`;

const stop = (place: Workspace, env: Readonly<Record<string, string>> = {}) =>
  place.run(["run", "agent_stop", "-q"], { stdin: JSON.stringify({ conv_id: "s1", messages: [] }), env });

const jsonIn = async (place: Workspace, name: string): Promise<Readonly<Record<string, unknown>>> =>
  JSON.parse((await place.read(`${SESSION}/${name}`)) ?? "{}");

testOnNode("a KILL before any change leaves files that parse, and the next run goes on from there", async () => {
  await using place = await workspace();
  const said = { state: { increment: { runs: 1 } }, pushes: [{ message: "m" }], follow_up_messages: ["go on"] };
  await place.hook("talks", printResponse(said), { says: "agent_stop" });
  const killer = await place.write("killer.cjs", KILLER);
  const before = { runs: 0, messages: 0, turns: 0 };
  let killed = 0;
  for (let point = 1; ; point++) {
    const { signal } = await stop(place, { NODE_OPTIONS: `--require=${killer}`, KILL_AT: String(point) });
    const [state, inbox, valve] = [
      await jsonIn(place, "state"),
      await jsonIn(place, "inbox"),
      await jsonIn(place, "valve"),
    ];
    const after = {
      runs: Number(state.runs ?? 0),
      messages: ((inbox.messages ?? []) as readonly unknown[]).length,
      turns: Number(valve.turns ?? 0),
    };
    for (const key of ["runs", "messages", "turns"] as const) expect(after[key]).toBeGreaterThanOrEqual(before[key]);
    // Counted first: no message waits of which the valve does not know.
    expect(after.turns).toBeGreaterThanOrEqual(after.messages > 0 ? 1 : 0);
    Object.assign(before, after);
    if (signal === null) break;
    killed++;
  }
  expect(killed).toBeGreaterThan(8);
  const last = await stop(place);
  expect(last).toMatchObject({ stderr: "", code: 0, signal: null });
  expect(JSON.parse(last.stdout)).not.toHaveProperty("warnings");
  expect(await jsonIn(place, "state")).toEqual({ runs: before.runs + 1 });
});
