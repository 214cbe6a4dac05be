import { chmod, mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runMain } from "../support/in-process.ts";
import { toolCall } from "../support/payloads.ts";
import { printResponse, shellQuote } from "../support/shell.ts";
import { type CallOptions, HOOKCTL, type Workspace, workspace } from "../support/workspace.ts";
import { expectAllCounted, SESSIONS } from "./counting-processes.ts";

const inSession = toolCall("ls", { conv_id: "s1" });
const ask = (place: Workspace, options: CallOptions = {}) =>
  runMain(place, ["run", "before_tool_call", "-q"], { stdin: inSession, ...options });
const stateOf = (place: Workspace, id = "s1") => place.read(`${SESSIONS}/${id}/state`);
const withoutWarnings = { stdout: '{"blocked":false}\n', stderr: "", code: 0 };

describe("a patch in a reply", () => {
  test("is kept in a folder and a file that only the user may read", async () => {
    await using place = await workspace();
    await place.hook("count", printResponse({ state: { set: { last: "ls" }, increment: { calls: 1 } } }));
    expect(await ask(place)).toMatchObject(withoutWarnings);
    expect(await ask(place)).toMatchObject(withoutWarnings);
    expect(await stateOf(place)).toBe('{"last":"ls","calls":2}');
    const modes = ["", "/state"].map(async (path) => (await stat(join(place.dir, SESSIONS, "s1", path))).mode & 0o777);
    expect(await Promise.all(modes)).toEqual([0o700, 0o600]);
    expect(await readdir(join(place.dir, SESSIONS, "s1"))).toEqual(["state"]);
  });

  test("is seen by the next hook of the same chain, in the payload and in AgentHook's ctx", async () => {
    await using place = await workspace();
    await place.hook(
      "10-set",
      printResponse({ state: { set: { n: 12345678901234567890n.toString(), deep: { a: [1.1] } } } }),
    );
    const seen = join(place.dir, "seen");
    await place.hook("20-see", `cat > ${shellQuote(seen)}`);
    await place.hook("30-ctx", `cat > ${shellQuote(`${seen}.ctx`)}`, { says: "pre_tool_call" });
    expect(await ask(place)).toMatchObject(withoutWarnings);
    const state = { n: "12345678901234567890", deep: { a: [1.1] } };
    expect(JSON.parse((await place.read(seen)) ?? "")).toMatchObject({ conv_id: "s1", state });
    expect(JSON.parse((await place.read(`${seen}.ctx`)) ?? "")).toMatchObject({ ctx: { session_id: "s1", state } });
  });

  test("of a failed hook is dropped, of a blocking hook kept, of an observer not listened to", async () => {
    await using place = await workspace();
    await place.hook("10-fails", `${printResponse({ state: { set: { failed: true } } })}; exit 1`);
    await place.hook("20-blocks", printResponse({ blocked: true, reason: "no", state: { set: { blocked: true } } }));
    await place.hook("30-observes", printResponse({ state: { set: { observed: true } } }), {
      says: '{"event":"before_tool_call","observe":true}',
    });
    const { stdout, code } = await ask(place);
    expect({ answer: JSON.parse(stdout), code }).toMatchObject({ answer: { blocked: true, reason: "no" }, code: 2 });
    expect(await stateOf(place)).toBe('{"blocked":true}');
  });

  test("that cannot be understood fails the reply", async () => {
    await using place = await workspace();
    const wrong = [{ increment: { n: "1" } }, { set: [] }, { delete: 5 }, { inc: { n: 1 } }, [1]];
    for (const state of wrong) {
      await place.hook("wrong", printResponse({ state }));
      const { stdout, code } = await ask(place);
      expect({ answer: JSON.parse(stdout), code }).toMatchObject({
        answer: { warnings: [expect.stringMatching(/"state".*"set" \(an object\)/)] },
        code: 0,
      });
    }
    expect(await place.read(SESSIONS)).toBeNull();
  });

  test("without a session, or without a place for it, is told and not kept", async () => {
    await using place = await workspace();
    await place.hook("count", printResponse({ state: { increment: { calls: 1 } } }));
    const result = async (options: CallOptions) => JSON.parse((await ask(place, options)).stdout);
    expect(await result({ stdin: toolCall("ls") })).toEqual({
      blocked: false,
      warnings: ["the state patch of count was not saved: the payload has no conv_id"],
    });
    const state = join(place.home, ".local/state");
    await mkdir(state, { recursive: true });
    await chmod(state, 0o777);
    expect((await result({})).warnings).toContainEqual(
      expect.stringContaining("was not saved: there is no private folder for sessions"),
    );
    expect(await readdir(join(state, "hookctl"))).not.toContain("sessions");
  });

  test("counts up nothing that is no number, and says so", async () => {
    await using place = await workspace();
    await place.write(`${SESSIONS}/s1/state`, '{"calls":"many"}');
    await place.hook("count", printResponse({ state: { increment: { calls: 1, others: 1 } } }));
    expect(JSON.parse((await ask(place)).stdout)).toEqual({
      blocked: false,
      warnings: ['count increments "calls", which is not a number'],
    });
    expect(await stateOf(place)).toBe('{"calls":"many","others":1}');
  });
});

test("20 runs at once lose no count", { tags: "slow" }, async () => {
  await using place = await workspace();
  await place.hook("count", printResponse({ state: { increment: { calls: 1, cost: 0.5 } } }));
  const result = await Promise.all(Array.from({ length: 20 }, () => ask(place)));
  expect(result.filter(({ code, stdout }) => code !== 0 || stdout !== '{"blocked":false}\n')).toEqual([]);
  expect(await stateOf(place)).toBe('{"calls":20,"cost":10}');
  expect(await readdir(join(place.dir, SESSIONS, "s1"))).toEqual(["state"]);
});

test("a hook reads and counts with the verb, for its own session", async () => {
  await using place = await workspace();
  const hookctl = `${HOOKCTL.map(shellQuote).join(" ")}`;
  const seen = join(place.dir, "seen");
  await place.hook("uses-it", `${hookctl} state incr calls 2 > ${shellQuote(seen)}; ${hookctl} state set why "a b"`);
  expect(await ask(place)).toMatchObject(withoutWarnings);
  expect(await ask(place)).toMatchObject(withoutWarnings);
  expect(await place.read(seen)).toBe("4\n");
  expect(await stateOf(place)).toBe('{"calls":4,"why":"a b"}');
});

test("an id that is no file name has a folder of its own, by payload and in a hook's environment", {
  tags: "slow",
}, async () => {
  await using place = await workspace();
  const hookctl = `${HOOKCTL.map(shellQuote).join(" ")}`;
  await place.hook("count", `${hookctl} state incr n > /dev/null`);
  const ids = ["../../../up", "a/b", ".", "", `${"long".repeat(60)}`, "line\nbreak", "ä", "~x"];
  for (const id of ids) await ask(place, { stdin: toolCall("ls", { conv_id: id }) });
  const folders = await readdir(join(place.dir, SESSIONS));
  expect(folders).toHaveLength(ids.length - 1);
  expect(folders.every((name) => /^~[0-9a-f]{40}$/.test(name))).toBe(true);
  expect(await Promise.all(folders.map((name) => stateOf(place, name)))).toEqual(Array(7).fill('{"n":1}'));
});

test("a broken file is set aside with a warning, and nothing of it is lost", async () => {
  await using place = await workspace();
  await place.write(`${SESSIONS}/s1/state`, '{"calls":1');
  await place.hook("count", printResponse({ state: { increment: { calls: 1 } } }));
  const { stdout, code } = await ask(place);
  expect({ answer: JSON.parse(stdout), code }).toEqual({
    answer: {
      blocked: false,
      warnings: [expect.stringMatching(/s1\/state was broken; it was moved to .*broken-/)],
    },
    code: 0,
  });
  const names = (await readdir(join(place.dir, SESSIONS, "s1"))).sort();
  expect(names).toEqual(["state", expect.stringMatching(/^state\.broken-/)]);
  expect(await place.read(`${SESSIONS}/s1/${names[1]}`)).toBe('{"calls":1');
  expect(await stateOf(place)).toBe('{"calls":1}');
});

test("a hook that keeps nothing leaves nothing of a session", async () => {
  await using place = await workspace();
  await place.hook("quiet", printResponse({}));
  expect(await ask(place)).toMatchObject(withoutWarnings);
  const kept = await readdir(join(place.dir, "home/.local/state/hookctl"));
  expect(kept).toEqual(["audit.jsonl", "user-hooks.json"]);
});

test("5 processes at once count one key without losing one", { tags: "slow" }, () => expectAllCounted(5));
