import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { canSwitchUser, giveToUser, runAsUser as runAsThem, WHY_SKIPPED } from "../support/as-user.ts";
import { parseListJson, parseRunJson } from "../support/json-output.ts";
import { toolCall } from "../support/payloads.ts";
import { printResponse } from "../support/shell.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

/** The call is made as somebody to whom the whole workspace belongs. */
async function runAsUser(place: Workspace, args: readonly string[], stdin = toolCall()) {
  await giveToUser(place);
  return runAsThem(place, args, { stdin });
}

async function placeWithGuard(): Promise<Workspace> {
  const place = await workspace();
  await chmod(place.dir, 0o755);
  await place.hook("guard", printResponse({}), { says: '{"event":"before_tool_call","fail_open":false}' });
  return place;
}

const hooksIn = (folder: string): string => join(folder, ".kodelet", "hooks");

const unseen: { title: string; mode: number; at: (place: Workspace) => string; names: (place: Workspace) => string }[] =
  [
    { title: "the hooks folder", mode: 0, at: ({ home }) => hooksIn(home), names: ({ home }) => hooksIn(home) },
    { title: "its .kodelet", mode: 0, at: ({ home }) => join(home, ".kodelet"), names: ({ home }) => hooksIn(home) },
    { title: "HOME", mode: 0, at: ({ home }) => home, names: ({ home }) => hooksIn(home) },
    { title: "a file of it", mode: 0o444, at: ({ home }) => hooksIn(home), names: () => "guard" },
    {
      title: "its plugins",
      mode: 0,
      at: ({ home }) => join(home, ".kodelet", "plugins"),
      names: ({ home }) => join(home, ".kodelet", "plugins"),
    },
  ];

describe.skipIf(!canSwitchUser)(`what the user may not look at himself${WHY_SKIPPED}`, () => {
  test.each(unseen)("$title: an event that can be denied is blocked", async ({ mode, at, names }) => {
    await using place = await placeWithGuard();
    await place.hook("other", printResponse({}), { plugin: "org@repo" });
    await chmod(at(place), mode);
    const result = await runAsUser(place, ["run", "before_tool_call", "--json"]);
    const output = parseRunJson(result);
    expect(output).toMatchObject({ decision: "block", decided_by: names(place) });
    expect(output.reason).toContain("cannot be read (EACCES), and it may contain a fail-closed guard");
    expect(result.stderr).toMatch(
      /✖ Blocked: .*\n {2}This hook is fail-closed\. Make it readable for your user: ls -ld /,
    );
    expect(result.code).toBe(2);
    await chmod(at(place), 0o755);
  });

  test("the codes say so to a program, and --hook does not take the folder out", async () => {
    await using place = await placeWithGuard();
    await chmod(hooksIn(place.home), 0);
    const result = await runAsUser(place, ["run", "before_tool_call", "--json", "--hook", "else"]);
    expect(parseRunJson(result).hooks).toMatchObject([
      { outcome: "refused", failure: { code: "HOOK_REFUSED_UNREADABLE" } },
    ]);
    expect(result.code).toBe(2);
    await chmod(hooksIn(place.home), 0o755);
  });

  test("where nothing can be denied it is a warning", async () => {
    await using place = await placeWithGuard();
    await chmod(hooksIn(place.home), 0);
    const result = await runAsUser(place, ["run", "session_end"], "{}");
    const warning = `${hooksIn(place.home)} cannot be read: EACCES`;
    expect(result).toMatchObject({ code: 0, stdout: `{"warnings":["${warning}"]}\n` });
    await chmod(hooksIn(place.home), 0o755);
  });

  test("in a list it is a warning", async () => {
    await using place = await placeWithGuard();
    await chmod(hooksIn(place.home), 0);
    const result = await runAsUser(place, ["list", "--json"], "");
    const warnings = [`${hooksIn(place.home)} cannot be read: EACCES`];
    expect(parseListJson(result)).toMatchObject({ hooks: [], warnings });
    await chmod(hooksIn(place.home), 0o755);
  });

  test("a project's folder is a warning: nothing of it may block before it is approved", async () => {
    await using place = await placeWithGuard();
    await chmod(hooksIn(place.project), 0);
    const result = await runAsUser(place, ["run", "before_tool_call", "--json"]);
    const warnings = [`${hooksIn(place.project)} cannot be read: EACCES`];
    expect(parseRunJson(result)).toMatchObject({ decision: "continue", warnings });
    expect(result.code).toBe(0);
    await chmod(hooksIn(place.project), 0o755);
  });

  const ofProject: { title: string; file: string; mode: number }[] = [
    { title: "a helper", file: "lib.sh", mode: 0 },
    { title: "a hook that may only be run", file: "guard", mode: 0o111 },
  ];
  test.each(ofProject)("$title of a project is named, and nothing is approved that could never run", async (row) => {
    await using place = await workspace();
    await chmod(place.dir, 0o755);
    await place.hook("guard", `${printResponse({})} # ./lib.sh`, { scope: "project" });
    await place.write("project/.kodelet/hooks/lib.sh", "1");
    const path = join(hooksIn(place.project), row.file);
    await chmod(path, row.mode);
    expect(await runAsUser(place, ["trust", "--yes"])).toMatchObject({
      stdout: "",
      stderr: `✖ Nothing was approved: ${path} cannot be read. (TRUST_UNSAFE_PLACE)\n  Make it readable for your user: ls -ld ${path}\n`,
      code: 77,
    });
    expect((await runAsUser(place, ["trust", "--list"])).stdout).toMatch(/^No hooks are approved/);
  });

  const remembered = [
    { says: "before_tool_call", decision: "continue", outcome: "refused" },
    { says: '{"event":"before_tool_call","fail_open":false}', decision: "block", outcome: "refused" },
    { says: '{"event":"agent_stop","fail_open":false}', decision: "continue", outcome: undefined },
  ];
  test.each(remembered)("a file that said $says before decides $decision", async ({ says, decision, outcome }) => {
    await using place = await placeWithGuard();
    const entry = [join(hooksIn(place.home), "guard"), ["any state", says, ""]] as const;
    const cache = { version: 1, hooks: Object.fromEntries([entry]) };
    await place.write("home/.cache/hookctl/identities.json", JSON.stringify(cache));
    await chmod(hooksIn(place.home), 0o444);
    const output = parseRunJson(await runAsUser(place, ["run", "before_tool_call", "--json"]));
    expect({ decision: output.decision, outcome: output.hooks[0]?.outcome }).toEqual({ decision, outcome });
    await chmod(hooksIn(place.home), 0o755);
  });
});
