import { stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { AGENT_INSTALLS, AGENTS } from "../../packages/agents/agents.ts";
import { placeClosedToUsers } from "../../src/fs/machine-folder.ts";
import { AGENT_NAMES } from "../../src/protocol/agent-names.ts";
import { giveToUser } from "../support/as-user.ts";
import { machine, WHY_NOT_INSTALLED } from "../support/machine.ts";
import { HOOKCTL, workspace } from "../support/workspace.ts";

test("every agent with a file for the machine says what its administrator has to know", () => {
  for (const name of AGENT_NAMES) {
    const { machine: file } = AGENTS[name].settings.files;
    expect(AGENT_INSTALLS[name].machineNote === undefined).toBe(file === undefined);
    if (file !== undefined) expect(file).toMatch(/^\/etc\//);
  }
});

describe.skipIf(WHY_NOT_INSTALLED !== "")(`install --scope machine${WHY_NOT_INSTALLED}`, () => {
  test("a user is told who may, and can print it", async () => {
    await using place = await workspace();
    await using there = await machine();
    await giveToUser(place);
    const refused = await there.runAsUser(place, ["install", "claude", "--scope", "machine"]);
    expect(refused).toMatchObject({ code: 64, stdout: "" });
    expect(refused.stderr).toContain("sudo hookctl install claude --scope machine");
    const printed = await there.runAsUser(place, ["install", "claude", "--scope", "machine", "--print"]);
    expect(printed).toMatchObject({ code: 0, stderr: "/etc/claude-code/managed-settings.d/hookctl.json:\n" });
    expect(Object.keys(JSON.parse(printed.stdout).hooks)).toContain("PreToolUse");
    await expect(stat(join(there.etc, "claude-code"))).rejects.toThrow("ENOENT");
  });

  test("users may read what root writes, whatever root's umask", async () => {
    await using place = await workspace();
    await using there = await machine();
    const words = ["sh", "-c", 'umask 077; exec "$@"', "sh", ...HOOKCTL, "install", "claude", "--scope", "machine"];
    expect(await there.start(words, { cwd: place.project, env: { HOME: "/root" } })).toMatchObject({ code: 0 });
    expect(placeClosedToUsers(join(there.etc, "claude-code"))).toBeNull();
  });
});
