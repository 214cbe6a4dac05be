import { describe, expect, test } from "vitest";
import { approvalStates, approveAll, runToolCall } from "../support/approvals.ts";
import { runInProcess } from "../support/in-process.ts";
import { hasScript, hookctl, runOnTerminal } from "../support/on-terminal.ts";
import { printResponse, shellQuote } from "../support/shell.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const GUARD = (reason: string): string =>
  `#!/bin/sh\nif [ "$1" = hook ]; then echo before_tool_call; exit 0; fi\n${printResponse({ blocked: true, reason })}\n`;
const BROKEN = '#!/bin/sh\nif [ "$1" = hook ]; then echo before_tool_call; exit 0; fi\nexit 1\n';

interface Edited {
  readonly shown: string;
  readonly code: number;
}

/** Edits `guard`: each call of the editor puts the next text in its place. */
async function edited(place: Workspace, texts: readonly string[], keys: readonly string[], more = ""): Promise<Edited> {
  for (const [index, text] of texts.entries()) await place.write(`text.${index + 1}`, text);
  const dir = shellQuote(place.dir);
  const script = `#!/bin/sh\nn=$(( $(cat ${dir}/n 2>/dev/null || echo 0) + 1 )); echo $n > ${dir}/n; cat ${dir}/text.$n > "$1"\n`;
  const editor = await place.write("editor", script, 0o755);
  return runOnTerminal(place, `EDITOR=${shellQuote(editor)} ${hookctl} edit guard ${more}`, keys);
}

async function setUp(scope: "project" | "user" = "project"): Promise<Workspace> {
  const place = await workspace();
  await place.hook("guard", GUARD("old"), { scope });
  if (scope === "project") await approveAll(place);
  return place;
}

const reasonOf = async (place: Workspace): Promise<string | null> => (await runToolCall(place)).reason;

describe.skipIf(!hasScript)("hookctl edit (needs script of util-linux)", () => {
  test("shows the difference, approves it and checks the hook in one step", async () => {
    await using place = await setUp();
    const { shown, code } = await edited(place, [GUARD("new")], ["y\n"]);
    expect(shown).toMatch(/- printf .*old.*\r?\n.*\+ printf .*new/);
    expect(shown).toMatch(/✔ Approved guard {3}before_tool_call\r?\n/);
    expect({ shown, code }).toMatchObject({ shown: expect.stringMatching(/\d+ passed/), code: 0 });
    expect(await reasonOf(place)).toBe("new");
  });

  test("starts nothing of an edit without the yes, and says that it does not run", async () => {
    await using place = await setUp();
    const canary = `#!/bin/sh\ntouch ${shellQuote(place.dir)}/canary\n`;
    const { shown, code } = await edited(place, [canary], ["n\n"]);
    expect({ shown, code }).toMatchObject({ shown: expect.stringContaining("edited, but not approved"), code: 77 });
    expect(await place.read("canary")).toBeNull();
    expect(await approvalStates(place)).toEqual({ guard: "changed" });
  });

  test("asks for no approval of the user's own hook, and checks it", async () => {
    await using place = await setUp("user");
    const { shown, code } = await edited(place, [GUARD("new")], []);
    expect({ shown, code }).toMatchObject({ shown: expect.stringMatching(/\d+ passed/), code: 0 });
    expect(shown).not.toContain("Approve it?");
    expect(await reasonOf(place)).toBe("new");
  });

  test.each(["project", "user"] as const)(
    "an edit that moves a hook of the %s to another event registers that one",
    async (scope) => {
      await using place = await setUp(scope);
      await runInProcess(place, "install claude");
      const moved = '#!/bin/sh\nif [ "$1" = hook ]; then echo agent_stop; exit 0; fi\n';
      const { shown } = await edited(place, [moved], scope === "project" ? ["y\n"] : []);
      expect(shown).toContain("Claude Code: .claude/settings.json now registers Stop too");
      expect(await place.read("project/.claude/settings.json")).toContain("--event Stop ");
    },
  );

  test("a failed check may be edited again", async () => {
    await using place = await setUp();
    const { code } = await edited(place, [BROKEN, GUARD("new")], ["y\n", "e\n", "y\n"]);
    expect(code).toBe(0);
    expect(await reasonOf(place)).toBe("new");
  });

  test("withdrawing the approval after a failed check leaves the earlier one: the guard is changed and blocks", async () => {
    await using place = await setUp();
    const { shown, code } = await edited(place, [BROKEN], ["y\n", "w\n"]);
    expect({ shown, code }).toMatchObject({
      shown: expect.stringContaining("Withdrew the approval of guard"),
      code: 1,
    });
    expect(await approvalStates(place)).toEqual({ guard: "changed" });
    expect(await runToolCall(place)).toMatchObject({ decision: "block", decided_by: "guard" });
  });

  test("keeping it leaves the approval", async () => {
    await using place = await setUp();
    expect(await edited(place, [BROKEN], ["y\n", "k\n"])).toMatchObject({ code: 1 });
    expect(await approvalStates(place)).toEqual({ guard: "approved" });
  });

  test("with --json stdout is the report of the last checks alone", async () => {
    await using place = await setUp();
    const { code } = await edited(place, [BROKEN, GUARD("new")], ["y\n", "e\n", "y\n"], "--json > out.json");
    expect(code).toBe(0);
    const report = JSON.parse((await place.read("project/out.json")) ?? "");
    expect(report).toMatchObject({ schema: "hookctl.test/1", hooks: [{ name: "guard", passed: true }], failed: 0 });
  });

  test("opens the settings file for a declared hook", async () => {
    await using place = await workspace();
    const settings = (inject: string) => JSON.stringify({ hooks: { before_tool_call: [{ name: "guard", inject }] } });
    await place.write("project/.kodelet/hooks.json", settings("old"));
    await approveAll(place);
    const { shown } = await edited(place, [settings("new")], ["y\n", "k\n"]);
    expect(shown).toMatch(/\+.*new/);
    expect(Object.values(await approvalStates(place))).not.toContain("changed");
  });
});

test("without a terminal edit says how to go on", async () => {
  await using place = await setUp();
  const result = await runInProcess(place, "edit guard", { env: { EDITOR: "true" } });
  expect(result).toMatchObject({ stdout: "", stderr: expect.stringContaining("edit needs a terminal"), code: 64 });
});

test("below an agent edit is refused", async () => {
  await using place = await setUp();
  const result = await runInProcess(place, "edit guard", { env: { CLAUDECODE: "1" } });
  expect(result).toMatchObject({ stdout: "", stderr: expect.stringContaining("(TRUST_NEEDS_PERSON)"), code: 77 });
});
