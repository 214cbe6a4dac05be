import { expect, test } from "vitest";
import { workspace } from "../../../../test/support/workspace.ts";

const SETTINGS = "home/.kodelet/hooks.json";
const TOOLS = ["a", "b", "c"].map((name) => `${name}-tool *`);

/** Edits of one settings file, by each command that edits it. */
const EDITS: readonly (readonly string[])[] = [
  ...TOOLS.map((rule) => ["block", rule]),
  ["rules", "remove", "old-tool *"],
  ["on", "git", "secrets"],
  ["config", "set", "timeout", "7s"],
  ["init", "claude", "--guards", "filesystem"],
];

test("edits of the settings at the same time are all kept", async () => {
  await using place = await workspace();
  await place.write(SETTINGS, '{"commands":{"block":["old-tool *"]}}');
  const results = await Promise.all(EDITS.map((args) => place.run(args)));
  expect(results.filter(({ code }) => code !== 0)).toEqual([]);
  const { commands, ...others } = JSON.parse((await place.read(SETTINGS)) ?? "");
  expect({ ...commands, block: commands.block.toSorted(), ...others }).toEqual({
    block: TOOLS,
    guards: { git: true, secrets: true, filesystem: true },
    settings: { timeout: "7s" },
  });
});
