import { describe, expect, test } from "vitest";
import { giveToUser } from "../support/as-user.ts";
import { type Machine, machine, WHY_NO_MACHINE } from "../support/machine.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const FILE = {
  name: "cloud",
  rules: {
    "acme-deploy": {
      about: "a release goes to production",
      decision: "block",
      effect: "changes production",
      instead: "Ask in the channel of the team.",
      forms: { acme: ["deploy"] },
      examples: { stopped: ["acme deploy"], allowed: ["acme status"] },
    },
  },
};

const runs = (there: Machine, place: Workspace, command: string) =>
  there.runAsUser(place, ["run", "before_tool_call"], {
    stdin: JSON.stringify({ tool_name: "bash", tool_input: { command } }),
  });

describe.skipIf(WHY_NO_MACHINE !== "")(`rules of the machine${WHY_NO_MACHINE}`, () => {
  test("a file in its folder adds a rule to a guard", async () => {
    await using place = await workspace();
    await using there = await machine();
    await there.write("hookctl/hooks.json", JSON.stringify({ guards: { cloud: true } }));
    await there.write("hookctl/rules/acme.json", JSON.stringify(FILE));
    await giveToUser(place);
    const { stdout, stderr, code } = await runs(there, place, "cd web && acme deploy");
    expect({ stdout: JSON.parse(stdout), stderr, code }).toEqual({
      stdout: expect.objectContaining({
        blocked: true,
        reason: expect.stringContaining("`acme deploy` changes production. Ask in the channel of the team."),
      }),
      stderr: expect.any(String),
      code: 2,
    });
    expect((await runs(there, place, "acme status")).code).toBe(0);
    const { stdout: explained } = await there.runAsUser(place, ["explain", "acme deploy"]);
    expect(explained).toContain("cloud/acme-deploy");
  });

  test("with a file that is no table every call is blocked, and the place of the fault named", async () => {
    await using place = await workspace();
    await using there = await machine();
    await there.write("hookctl/hooks.json", JSON.stringify({ guards: { cloud: true } }));
    await there.write("hookctl/rules/acme.json", JSON.stringify({ ...FILE, name: "clouds" }));
    await giveToUser(place);
    const { stdout, stderr, code } = await runs(there, place, "ls");
    expect(code).not.toBe(0);
    expect(stdout + stderr).toMatch(/\/etc\/hookctl\/rules\/acme\.json: name/);
  });
});
