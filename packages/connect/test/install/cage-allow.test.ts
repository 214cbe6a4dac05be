import { expect, test } from "vitest";
import { runInProcess } from "../../../../test/support/in-process.ts";
import { workspace } from "../../../../test/support/workspace.ts";

const FILE = "home/.kodelet/hooks.json";
const LISTED = JSON.stringify({ cage: { mode: "fallback", network: ["example.org"] } });

test.each([
  ["/", "contains your home directory"],
  ["HOME", "contains your home directory"],
  ["HOME/..", "contains your home directory"],
  ["~/.kodelet", "contains files that decide about calls"],
  ["~/.kodelet/hooks.json", "contains files that decide about calls"],
  ["~/.local/state/hookctl/trust.json", "contains files that decide about calls"],
  ["~/.claude/settings.json", "contains files that decide about calls"],
  ["*.com", "covers every host under it, of any owner"],
  ["*.co.uk", "covers every host under it, of any owner"],
  ["*.com:443", "covers every host under it, of any owner"],
])("cage allow %s is refused, also to read, with the reason", async (typed, why) => {
  await using place = await workspace();
  await place.write(FILE, LISTED);
  const word = typed.replace("HOME", place.home);
  for (const call of [`cage allow ${word}`, `cage allow ${word} --read`, `cage allow ${word} --here`]) {
    const result = await runInProcess(place, call);
    expect(result).toMatchObject({ stdout: "", stderr: expect.stringContaining(why), code: 64 });
  }
  expect(await place.read(FILE)).toBe(LISTED);
});

test.each(["~/work/shared", "~/work/shared/ --read", "/opt/data --here", "api.example.com", "*.example.com --here"])(
  "cage remove takes back cage allow %s",
  async (words) => {
    await using place = await workspace();
    await place.write(FILE, LISTED);
    const [typed = ""] = words.split(" ");
    expect(await runInProcess(place, `cage allow ${words}`)).toMatchObject({ stderr: "", code: 0 });
    expect(await place.read(FILE)).not.toBe(LISTED);
    const removed = await runInProcess(place, `cage remove ${typed}`);
    expect(removed.stdout).toMatch(/^✔ Calls in the cage may no longer reach /);
    const settings = JSON.parse((await place.read(FILE)) ?? "");
    expect(JSON.stringify(settings)).not.toContain(typed.replace("~/", "").replace(/\/$/, ""));
    expect(settings.cage.network).toEqual(["example.org"]);
    expect(await runInProcess(place, `cage remove ${typed}`)).toMatchObject({
      stdout: "",
      stderr: expect.stringContaining("(USAGE_UNKNOWN_RULE)"),
      code: 64,
    });
  },
);

test("without its last host the network stays closed", async () => {
  await using place = await workspace();
  await place.write(FILE, LISTED);
  expect(await runInProcess(place, "cage remove example.org")).toMatchObject({ stderr: "", code: 0 });
  expect(JSON.parse((await place.read(FILE)) ?? "")).toEqual({ cage: { mode: "fallback", network: [] } });
  expect(await runInProcess(place, "cage show")).toMatchObject({ stdout: expect.stringContaining("network: only ") });
});
