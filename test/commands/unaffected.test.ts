import { rename } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runInProcess } from "../support/in-process.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

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
  ["on mine", { [USER]: HOOK_OFF }, null],
  ["on git", {}, null],
  ["on git", { [USER]: OFF }, null],
  ["on git", { [USER]: '{"guards":{"git":true},"projects":{"DIR/project":{"guards":{"git":false}}}}' }, null],
  ["on git", { [USER]: '{"projects":{"DIR/project":{"guards":{"git":{"enabled":false,"rules":{}}}}}}' }, null],
  ["on git", { [PROJECT]: ON }, null],
  ["on git --scope project", { [USER]: OFF }, STAYS_OFF],
  ["off git --for good", { [USER]: ON }, null],
  ["off git --for good --here", { [USER]: ON }, null],
  ["off git --scope project", { [USER]: ON }, STAYS_ON],
  ["off mine --for good", {}, null],
];

test.each(CASES)("%s, with %j", async (call, files, unaffected) => {
  await using place = await workspace();
  await place.hook("mine", "true");
  for (const [file, text] of Object.entries(files)) await place.write(file, text.replace("DIR", place.dir));
  const result = await runInProcess(place, call);
  const [, verb, name = ""] = /^(\w+) (\w+)/.exec(call) ?? [];
  expect(result).toEqual({ stdout: expect.any(String), stderr: "", code: unaffected === null ? 0 : 1 });
  expect(result.stdout.includes(unaffected ?? "✖")).toBe(unaffected !== null);
  // The settings as they then are: approved, all that was said of them must be so.
  await runInProcess(place, "trust --yes");
  const { stdout } = await runInProcess(place, "list --json");
  const listed = JSON.parse(stdout).hooks.filter((hook: { name: string }) => hook.name === name);
  const isOn = listed.some((hook: { disabled_reason?: string | null }) => (hook.disabled_reason ?? null) === null);
  expect(isOn).toBe(!/^(?:disable|off)$/.test(verb ?? "") === (unaffected === null));
});

const IN_PROJECT = { scope: "project" } as const;
const UNREADY: readonly (readonly [
  title: string,
  change: (place: Workspace) => Promise<unknown>,
  text: string,
  code: number,
])[] = [
  ["has no approval", (place) => runInProcess(place, "untrust mine"), "✖ mine does not run: mine is not approved", 1],
  ["changed", (place) => place.hook("mine", "true # x", IN_PROJECT), "✖ mine does not run: mine changed since", 1],
  [
    "is disabled by its name",
    ({ project }) => rename(join(project, MINE), join(project, `${MINE}.disable`)),
    "mine is disabled by its name",
    64,
  ],
];
const MINE = ".kodelet/hooks/mine";

test.each(UNREADY)("enable does not say that a hook is on if it %s", async (_title, change, text, code) => {
  await using place = await workspace();
  await place.hook("mine", "true", IN_PROJECT);
  await runInProcess(place, "trust mine --yes");
  await change(place);
  const result = await runInProcess(place, "enable mine");
  expect(result.code).toBe(code);
  expect(result.stdout + result.stderr).toContain(text);
  expect(result.stdout).not.toContain("on (");
});

test("untrust says which hooks still run", async () => {
  await using place = await workspace();
  await place.hook("mine", "true", IN_PROJECT);
  await runInProcess(place, "trust mine --yes");
  expect((await runInProcess(place, "untrust mine")).stderr).toBe("");
  await runInProcess(place, "trust mine --yes");
  await place.write(USER, '{"settings":{"project_hooks":"allow"}}');
  expect((await runInProcess(place, "untrust mine")).stderr).toContain("it still runs: hookctl untrust --deny");
  expect((await runInProcess(place, "untrust --deny mine")).stderr).toBe("");
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
