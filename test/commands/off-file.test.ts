import { chmod, symlink, utimes } from "node:fs/promises";
import { uptime } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { call, decisionAt, FILE, MINUTE, NOON, off, RESET, STATE, setUp } from "./off.ts";

describe("a file that a person did not write by `off` pauses nothing, and every run tells that", () => {
  const lasting = (more: object = {}) =>
    JSON.stringify({
      version: 1,
      pauses: ["deny", "git"].map((name) => ({
        ...{ name, project: null, by: "me", startUptimeMs: Math.floor(uptime() * 1000) },
        ...{ startMs: NOON - MINUTE, endMs: NOON + MINUTE, ...more },
      })),
    });
  test("but for the mode and the place it would count", async () => {
    await using place = await setUp();
    await place.write(FILE, lasting(), 0o600);
    expect(await decisionAt(place, 0)).toBe("continue");
  });

  const forged: { title: string; text: string; mode?: number; cause: string }[] = [
    { title: "others may read it, as after a clone", text: lasting(), mode: 0o644, cause: "other users can read" },
    { title: "others may write it", text: lasting(), mode: 0o622, cause: "is writable by group or others" },
    { title: "an endless pause", text: lasting({ endMs: 1e15 }), cause: "does not contain pauses" },
    { title: "a pause that ends before it starts", text: lasting({ endMs: 1 }), cause: "does not contain pauses" },
    { title: "numbers that are none", text: lasting({ startMs: "0" }), cause: "does not contain pauses" },
    { title: "another version", text: '{"version":2,"pauses":[]}', cause: "another version" },
    { title: "no JSON", text: "off", cause: "not JSON" },
    { title: "nothing", text: "", cause: "not JSON" },
    { title: "a list", text: "[]", cause: "another version" },
    { title: "too much", text: " ".repeat(300_000), cause: "too large" },
  ];
  test.each(forged)("$title", async ({ text, mode = 0o600, cause }) => {
    await using place = await setUp();
    await place.write(FILE, text, mode);
    await chmod(join(place.dir, STATE), 0o700);
    const result = await call(place, "run before_tool_call", 0, { stdin: RESET });
    expect(result).toMatchObject({ stderr: expect.stringContaining(cause), code: 2 });
    expect(result.stderr).toContain("so no hook is paused");
    expect((await call(place, "list", 0)).stdout).toContain(cause);
    expect((await call(place, "off", 0)).stderr).toContain(cause);
    // A person who switches a hook off now replaces it.
    expect(await off(place)).toMatchObject({ stderr: "", code: 0 });
    expect(await decisionAt(place, 1)).toBe("continue");
  });

  test.each([
    { title: "a link", make: (file: string, real: string) => symlink(real, file) },
    { title: "a folder", make: (file: string) => import("node:fs/promises").then(({ mkdir }) => mkdir(file)) },
  ])("$title in its place", async ({ make }) => {
    await using place = await setUp();
    await place.write(`${STATE}/real.json`, lasting(), 0o600);
    await make(join(place.dir, FILE), join(place.dir, STATE, "real.json"));
    const result = await call(place, "run before_tool_call", 0, { stdin: RESET });
    expect(result).toMatchObject({ stderr: expect.stringContaining("so no hook is paused"), code: 2 });
  });

  test("no variable names another one", async () => {
    await using place = await setUp();
    await place.write("evil/hookctl/pauses.json", lasting(), 0o600);
    const env = { XDG_STATE_HOME: "DIR/evil", HOOKCTL_TRUST_STORE: "DIR/evil/hookctl/trust.json" };
    expect(await decisionAt(place, 0, { env })).toBe("block");
  });
});

test("two persons at once: both pauses are kept, and no temporary file stays", async () => {
  await using place = await setUp();
  const names = ["one", "two", "three", "four", "five", "six"];
  for (const name of names) await place.hook(name, "exit 0");
  const ends = await Promise.all(names.map((name) => off(place, `${name} --for 10m`)));
  expect(ends.map(({ code }) => code)).toEqual(names.map(() => 0));
  const { pauses } = JSON.parse((await call(place, "off --json", 1)).stdout) as { pauses: { name: string }[] };
  expect(pauses.map(({ name }) => name).sort()).toEqual(names.toSorted());
  const { readdir } = await import("node:fs/promises");
  expect((await readdir(join(place.dir, STATE))).filter((name) => name.startsWith("pauses"))).toEqual(["pauses.json"]);
});

test("the end is not prolonged by touching the file", async () => {
  await using place = await setUp();
  await off(place);
  await utimes(join(place.dir, FILE), new Date(NOON + 1e9), new Date(NOON + 1e9));
  expect(await decisionAt(place, 10)).toBe("block");
});
