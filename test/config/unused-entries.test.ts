import { describe, expect, test } from "vitest";
import { approveAll } from "../support/approvals.ts";
import { runInProcess } from "../support/in-process.ts";
import { toolCall } from "../support/payloads.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const TAIL = "a declared hook has no effect: ";
const run = (place: Workspace, event = "PreToolUse", args = "") =>
  runInProcess(place, `run ${event} ${args}`, { stdin: toolCall() });
const hooks = (event: string) => ({ [event]: [{ name: "gone", command: "true" }], PreToolUse: [{ block: "frozen" }] });

/** Files whose other hooks have to work. */
const files: readonly (readonly [file: string, text: string])[] = [
  ["home/.kodelet/hooks.json", JSON.stringify({ hooks: hooks("SubagentResume") })],
  ["home/.kodelet/hooks.json", JSON.stringify({ hooks: hooks("PreToolUsed") })],
  ["project/.kodelet/hooks.json", JSON.stringify({ hooks: hooks("PreToolUsed") })],
  ["project/hooks.json", JSON.stringify({ version: 1, hooks: hooks("Frobnicate") })],
  [
    "project/reyn.yaml",
    "hooks:\n  - on: file_changed\n    name: gone\n    exec: [a]\n  - on: PreToolUse\n    block: frozen\n",
  ],
];

describe.each(files)("an entry of %s that hookctl cannot raise", (file, text) => {
  test("is told in each run, and the others work", async () => {
    await using place = await workspace();
    await place.write(file, text);
    if (file.startsWith("project")) expect((await runInProcess(place, "trust --yes")).code).toBe(78);
    for (const _ of [1, 2]) {
      const { code, stderr } = await run(place);
      expect({ code, told: stderr.split(TAIL).length - 1 }).toEqual({ code: 2, told: 1 });
      expect(stderr).toContain(`DIR/${file}`);
    }
  });

  test("commands that start nothing do their work and exit with 78", async () => {
    await using place = await workspace();
    await place.write(file, text);
    await runInProcess(place, "trust --yes");
    for (const line of ["list", "run PreToolUse --dry-run", "trust --show"]) {
      const output = await runInProcess(place, line);
      expect({ line, ...output }).toMatchObject({ code: 78, stderr: expect.stringContaining(`DIR/${file}`) });
    }
    expect((await runInProcess(place, "list --json")).stdout).toContain("PreToolUse#1");
    expect((await runInProcess(place, "doctor")).stdout).toMatch(new RegExp(`✖ .*DIR/${file}`));
  });
});

test("a guard of the user whose event was misspelt blocks until a person removes it", async () => {
  await using place = await workspace();
  const settings = (event: string) =>
    place.write(
      "home/.kodelet/hooks.json",
      JSON.stringify({ hooks: { [event]: [{ name: "guard", block: "frozen" }], Stop: [{ inject: "x" }] } }),
    );
  await settings("PreToolUse");
  expect(await run(place)).toMatchObject({ code: 2 });
  await settings("PreToolUsed");
  for (const _ of [1, 2])
    expect(await run(place)).toMatchObject({
      code: 2,
      stdout: expect.stringContaining("your settings file is broken"),
    });
  await place.write("home/.kodelet/hooks.json", '{"hooks":{"Stop":[{"inject":"x"}]}}');
  expect(await run(place)).toMatchObject({ code: 0 });
});

test("an approved guard whose event was misspelt still applies", async () => {
  await using place = await workspace();
  const settings = (event: string) =>
    place.write(
      "project/hooks.json",
      JSON.stringify({ hooks: { [event]: [{ name: "guard", block: "frozen" }], Stop: [{ inject: "x" }] } }),
    );
  await settings("PreToolUse");
  await approveAll(place);
  await settings("PreToolUsed");
  expect(await run(place)).toMatchObject({ code: 2, stdout: expect.stringContaining('"reason":"frozen"') });
});

test.each(["SubagentStart", "SubagentStop"])("%s is Base Coat's", async (event) => {
  await using place = await workspace();
  await place.write(
    "home/.kodelet/hooks.json",
    JSON.stringify({ hooks: { [event]: [{ command: `printf '{"action":"block","reason":"stopped"}'` }] } }),
  );
  const output = await runInProcess(place, `run ${event} --as basecoat -q`, { stdin: `{"hook":"${event}"}` });
  const blocks = event === "SubagentStart";
  expect(output).toMatchObject({
    code: blocks ? 2 : 0,
    stdout: expect.stringContaining(blocks ? "stopped" : "action"),
  });
});
