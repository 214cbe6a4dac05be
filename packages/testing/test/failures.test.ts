import { describe, expect, test } from "vitest";
import { runInProcess } from "../../../test/support/in-process.ts";
import { workspace } from "../../../test/support/workspace.ts";

const CRASHES = `#!/usr/bin/env node
if (process.argv[2] === "hook") { console.log("before_tool_call"); process.exit(); }
process.stdin.resume().on("end", () => {
  throw new TypeError("no tool_inptu");
});
`;

describe("a hook that crashes on every payload", () => {
  test("is told once, with the place", async () => {
    await using place = await workspace();
    await place.write("home/.kodelet/hooks/guard", CRASHES, 0o755);
    const { stdout, code } = await runInProcess(place, "test");
    expect(code).toBe(1);
    expect(stdout.match(/TypeError: no tool_inptu at guard:4/g)).toHaveLength(1);
    for (const name of ["handles a sample payload", "survives an empty payload"]) expect(stdout).toContain(name);
  });

  test("an unmet expectation is told for each case", async () => {
    await using place = await workspace();
    await place.hook("guard", "echo '{}'");
    const missed = (name: string): object => ({ name, expect: { decision: "block" } });
    await place.write(
      "home/.kodelet/tests/guard.json",
      JSON.stringify({ hook: "guard", cases: [missed("one"), missed("two")] }),
    );
    const { stdout, code } = await runInProcess(place, "test");
    expect(code).toBe(1);
    expect(stdout.match(/expected the decision block, got allow/g)).toHaveLength(2);
  });
});
