import { expect } from "vitest";
import { giveToUser } from "../support/as-user.ts";
import { parseRunJson } from "../support/json-output.ts";
import { type Machine, machine } from "../support/machine.ts";
import { stop, toolCall } from "../support/payloads.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

export interface Unsafe {
  readonly title: string;
  readonly make: (there: Machine, place: Workspace) => Promise<unknown>;
  readonly cause: string;
}

/** What could block is blocked, and `doctor` says why. */
export async function expectUnsafe({ make, cause }: Omit<Unsafe, "title">): Promise<void> {
  await using place = await workspace();
  await using there = await machine();
  await there.hook("guard", "printf '{}'");
  await giveToUser(place);
  await make(there, place);

  const ran = await there.runAsUser(place, ["run", "before_tool_call", "--json"], { stdin: toolCall() });
  expect(ran.code).toBe(2);
  const run = parseRunJson(ran);
  expect(run).toMatchObject({ decision: "block", decided_by: "machine hooks" });
  expect(run.warnings).toContainEqual(expect.stringContaining(cause));

  // Also where the user switches hooks off.
  const off = await there.runAsUser(place, ["run", "before_tool_call", "--no-hooks"], { stdin: toolCall() });
  expect(off.code).toBe(2);

  const stopped = await there.runAsUser(place, ["run", "agent_stop", "--json"], { stdin: stop() });
  expect(parseRunJson(stopped)).toMatchObject({ decision: "continue" });
  expect(parseRunJson(stopped).warnings).toContainEqual(expect.stringContaining(cause));

  const doctor = await there.runAsUser(place, ["doctor", "--json"]);
  expect(doctor.code).toBe(1);
  const checks: readonly { name: string; status: string; detail: string }[] = JSON.parse(doctor.stdout).checks;
  expect(checks.find(({ name }) => name === "machine")).toMatchObject({
    status: "fail",
    detail: expect.stringContaining(cause),
  });
}
