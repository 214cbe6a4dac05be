import { expect, test } from "vitest";
import { runInProcess } from "../support/in-process.ts";
import { workspace } from "../support/workspace.ts";

const USER = "home/.kodelet/hooks.json";
const PROJECT = "project/.kodelet/hooks.json";
const ON = '{"guards":{"git":true}}';
const OFF = '{"guards":{"git":false}}';
const HOOK_OFF = '{"overrides":{"mine":{"enabled":false}}}';
const REQUIRED = '{"overrides":{"mine":{"required":true}}}';
const STAYS_ON = "✖ git stays on: DIR/home/.kodelet/hooks.json turns it on\n";
const STAYS_OFF = "✖ git stays off: the settings in DIR/home/.kodelet/hooks.json turn it off\n";

type Files = Readonly<Record<string, string>>;

/** A switch in one scope, and what the other scope says. Null: the switch works. */
const CASES: readonly (readonly [call: string, files: Files, unaffected: string | null])[] = [
  ["disable git --scope project", { [USER]: ON }, STAYS_ON],
  ["disable git --scope project", { [USER]: ON, [PROJECT]: OFF }, STAYS_ON],
  ["disable git --scope project", { [PROJECT]: ON }, null],
  ["disable git --scope project", {}, null],
  ["disable git", { [USER]: ON }, null],
  ["enable git --scope project", { [USER]: OFF }, STAYS_OFF],
  ["enable git --scope project", { [USER]: ON }, null],
  ["enable git --scope project", {}, null],
  ["enable git", { [USER]: OFF }, null],
  ["disable mine", {}, null],
  ["enable mine", { [USER]: HOOK_OFF }, null],
  ["disable mine --scope project", {}, "✖ mine stays on: "],
  ["disable mine --scope project", { [USER]: REQUIRED }, "✖ mine stays on: "],
  ["on mine", {}, null],
  ["on mine", { [USER]: HOOK_OFF }, "✖ mine stays off: "],
];

test.each(CASES)("%s, with %j", async (call, files, unaffected) => {
  await using place = await workspace();
  await place.hook("mine", "true");
  for (const [file, text] of Object.entries(files)) await place.write(file, text);
  const result = await runInProcess(place, call);
  const [, verb, name = ""] = /^(\w+) (\w+)/.exec(call) ?? [];
  expect(result).toEqual({ stdout: expect.any(String), stderr: "", code: unaffected === null ? 0 : 1 });
  expect(result.stdout.includes(unaffected ?? "✖")).toBe(unaffected !== null);
  // The settings as they then are: approved, all that was said of them must be so.
  await runInProcess(place, "trust --yes");
  const { stdout } = await runInProcess(place, "list --json");
  const listed = JSON.parse(stdout).hooks.filter((hook: { name: string }) => hook.name === name);
  const isOn = listed.some((hook: { disabled_reason?: string | null }) => (hook.disabled_reason ?? null) === null);
  expect(isOn).toBe((verb !== "disable") === (unaffected === null));
});

test("--json has the guards that the switch does not reach, with the reason", async () => {
  await using place = await workspace();
  await place.write(USER, ON);
  const { stdout, code } = await runInProcess(place, "disable git --scope project --json");
  expect(code).toBe(1);
  expect(JSON.parse(stdout).unaffected).toEqual([
    { name: "git", reason: "stays on: DIR/home/.kodelet/hooks.json turns it on" },
  ]);
});
