import { describe, expect, test } from "vitest";
import { giveToUser } from "../support/as-user.ts";
import { parseRunJson } from "../support/json-output.ts";
import { machine, WHY_NO_MACHINE } from "../support/machine.ts";
import { toolCall } from "../support/payloads.ts";
import { workspace } from "../support/workspace.ts";
import { expectBlocked, GUARD, TYPICAL_ATTACKS } from "./attacks.ts";

describe.skipIf(WHY_NO_MACHINE !== "")(`a user cannot take a hook of the machine away${WHY_NO_MACHINE}`, () => {
  test.each(TYPICAL_ATTACKS)("with $title", { tags: "slow" }, expectBlocked);

  test("the guard of these tests lets other calls pass", async () => {
    await using place = await workspace();
    await using there = await machine();
    await there.hook("guard", GUARD);
    await giveToUser(place);
    const ran = await there.runAsUser(place, ["run", "before_tool_call", "--json"], { stdin: toolCall("ls") });
    expect(parseRunJson(ran)).toMatchObject({ decision: "continue", hooks: [{ name: "guard", outcome: "continue" }] });
    expect(ran.code).toBe(0);
  });
});
