import { mkdir, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Approval } from "../../src/protocol/approval.ts";
import { approveAll, hookInRun, outcomeOf, runToolCall } from "../support/approvals.ts";
import { fakeTerminal } from "../support/fake-terminal.ts";
import { runInProcess } from "../support/in-process.ts";
import { parseListJson, parseRunJson } from "../support/json-output.ts";
import { toolCall } from "../support/payloads.ts";
import { printResponse } from "../support/shell.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const HOOKS = "project/.kodelet/hooks";
const UNTRUSTED = "refused HOOK_REFUSED_UNTRUSTED";
const CHANGED = "refused HOOK_REFUSED_CHANGED";
const DENIED = "refused HOOK_REFUSED_DENIED";

/** One program that is several hooks, by the name it is started under. */
const MULTI = `#!/bin/sh
case "$(basename "$0") $1" in
  "guard hook") echo '{"event":"before_tool_call","fail_open":false}' ;;
  "guard run") echo '{"blocked":true,"reason":"the guard says no"}' ;;
  "zaudit hook") echo agent_stop ;;
  *" hook") echo before_tool_call ;;
esac
`;

const linkTo = (place: Workspace, name: string, target = "../../tools/multi"): Promise<void> =>
  symlink(target, join(place.dir, HOOKS, name));

/** A project whose hooks are links to one program of it. */
async function setUp(...names: readonly string[]): Promise<Workspace> {
  const place = await workspace();
  await place.write("project/tools/multi", MULTI, 0o755);
  for (const name of names) await linkTo(place, name);
  return place;
}

/** Name -> how it stands. */
async function statuses(place: Workspace, args = ""): Promise<Readonly<Record<string, unknown>>> {
  const { hooks } = parseListJson(await runInProcess(place, `list --json ${args}`));
  return Object.fromEntries(hooks.map(({ name, trust }) => [name, trust]));
}

const storeOf = ({ home }: Workspace): string => join(home, ".local/state/hookctl/trust.json");

describe("several links to one program", () => {
  test("each answers for itself: the guard among them blocks, whatever the last one said", async () => {
    await using place = await setUp("guard", "zaudit");
    const result = await runInProcess(place, "trust --yes");
    expect(result.stdout).toBe("✔ Approved guard   before_tool_call\n✔ Approved zaudit   agent_stop\n");
    const run = await runToolCall(place);
    expect(run).toMatchObject({ decision: "block", decided_by: "guard", reason: "the guard says no" });
    const { hooks } = parseListJson(await runInProcess(place, "list --json"));
    expect(hooks).toMatchObject([
      { name: "guard", trust: "trusted", events: ["before_tool_call"] },
      { name: "zaudit", trust: "trusted", events: ["agent_stop"] },
    ]);
  });

  test("a new name for an approved program is not approved by that", async () => {
    await using place = await setUp("guard");
    await place.hook("plain", printResponse({}), { scope: "project" });
    await approveAll(place);
    await linkTo(place, "new-name");
    await linkTo(place, "by-plain", "plain");
    expect(await statuses(place)).toEqual({
      "by-plain": "untrusted",
      guard: "trusted",
      "new-name": "untrusted",
      plain: "trusted",
    });
    expect(await outcomeOf(place, "by-plain")).toBe(UNTRUSTED);
    await approveAll(place, "trust by-plain");
    expect(await statuses(place)).toMatchObject({ "by-plain": "trusted", "new-name": "untrusted" });
  });

  test("a yes once to one of them covers no other", async () => {
    await using place = await setUp("guard", "other");
    const words = new Map([["guard", "n"]]);
    const ask = async (shown: string): Promise<string> =>
      [...words].find(([name]) => shown.startsWith(`\n${name} `))?.[1] ?? "y";
    const result = await runInProcess(place, "run before_tool_call --ask --json", {
      stdin: toolCall(),
      host: { openTerminal: async () => fakeTerminal(ask) },
    });
    const run = parseRunJson(result);
    expect(hookInRun(run, "guard").failure?.code).toBe("HOOK_REFUSED_UNTRUSTED");
    expect(hookInRun(run, "other").outcome).toBe("continue");
  });

  test("a closed guard that is removed is missed, while another link keeps its program there", async () => {
    await using place = await setUp("guard", "zaudit");
    await approveAll(place);
    await rm(join(place.dir, HOOKS, "guard"));
    const run = await runToolCall(place);
    expect(run).toMatchObject({ decision: "block", decided_by: "guard" });
    expect(hookInRun(run, "guard").failure?.code).toBe("HOOK_REFUSED_CHANGED");
    const pruned = await runInProcess(place, "trust --prune");
    expect(pruned.stdout).toMatch(/^✔ Removed the approval of guard {3}\S+\n$/);
    expect(await runToolCall(place)).toMatchObject({ decision: "continue" });
    expect(await statuses(place)).toEqual({ zaudit: "trusted" });
  });

  test("an edit of the program is a change of each of them", async () => {
    await using place = await setUp("guard", "zaudit");
    await approveAll(place);
    await place.write("project/tools/multi", `${MULTI}:\n`, 0o755);
    expect(await statuses(place)).toEqual({ guard: "changed", zaudit: "changed" });
    await approveAll(place, "trust zaudit");
    expect(await statuses(place)).toEqual({ guard: "changed", zaudit: "trusted" });
  });

  test("one is forgotten or denied without the others", async () => {
    await using place = await setUp("guard", "other", "zaudit");
    await approveAll(place);
    await approveAll(place, "untrust guard");
    expect(await statuses(place)).toEqual({ guard: "untrusted", other: "trusted", zaudit: "trusted" });
    await approveAll(place, "untrust --deny zaudit");
    expect(await statuses(place)).toEqual({ guard: "untrusted", other: "trusted", zaudit: "denied" });
    await approveAll(place, "untrust zaudit");
    expect(await statuses(place)).toEqual({ guard: "untrusted", other: "trusted", zaudit: "untrusted" });
  });
});

describe("a denied file is denied by whatever name it is reached", () => {
  test("a link that was approved before is denied with its file, and does not count as missing", async () => {
    await using place = await setUp();
    await place.hook("plain", printResponse({}), {
      scope: "project",
      says: '{"event":"before_tool_call","fail_open":false}',
    });
    await linkTo(place, "by-link", "plain");
    await approveAll(place);
    await approveAll(place, "untrust --deny plain");
    expect(await statuses(place, "--trust")).toEqual({ "by-link": "denied", plain: "denied" });
    await approveAll(place, "untrust --yes");
    expect(await outcomeOf(place, "by-link", "--trust")).toBe(DENIED);
    await rm(join(place.dir, HOOKS, "by-link"));
    expect(await runToolCall(place)).toMatchObject({ decision: "continue" });
  });

  test("a folder that is reached in another way makes no difference", async () => {
    await using place = await workspace();
    await place.write("project/shared/hooks/plain", `#!/bin/sh\necho before_tool_call\n`, 0o755);
    await symlink("multi", join(place.project, "shared/hooks/zlink"));
    await place.write("project/shared/hooks/multi", MULTI, 0o755);
    await rm(join(place.dir, HOOKS), { recursive: true });
    await symlink("../shared/hooks", join(place.dir, HOOKS));
    await approveAll(place, "untrust --deny plain zlink");
    const denied = { plain: "denied", zlink: "denied" };
    expect(await statuses(place, "--trust")).toMatchObject({ ...denied, multi: "trusted" });
    expect(await statuses(place, "--trust --hooks-dir shared/hooks")).toMatchObject({ ...denied, multi: "trusted" });
    await approveAll(place, "untrust plain zlink");
    expect(await statuses(place)).toMatchObject({ plain: "untrusted", zlink: "untrusted" });
    expect((await runInProcess(place, "trust --list")).stdout).toBe("No hooks are approved or denied.\n");
  });
});

describe("the same hook by another way to its folder", () => {
  test("a project that is reached by a link has the same approvals", async () => {
    await using place = await setUp("guard");
    await approveAll(place);
    const way = join(place.dir, "way");
    await symlink(place.project, way);
    expect(await statuses(place, `-C ${way}`)).toEqual({ guard: "trusted" });
    await approveAll(place, `untrust guard -C ${way}`);
    await approveAll(place, `trust guard -C ${way}`);
    expect(await statuses(place)).toEqual({ guard: "trusted" });
  });

  test("a folder of --hooks-dir has one approval, whichever way it is named", async () => {
    await using place = await workspace();
    await place.write("project/checks/plain", `#!/bin/sh\necho before_tool_call\n`, 0o755);
    await symlink("plain", join(place.project, "checks/zlink"));
    await symlink("checks", join(place.project, "way"));
    await approveAll(place, "trust --yes --hooks-dir way");
    const both = { plain: "trusted", zlink: "trusted" };
    expect(await statuses(place, "--hooks-dir way")).toEqual(both);
    expect(await statuses(place, "--hooks-dir checks")).toEqual(both);
    await approveAll(place, "untrust zlink --hooks-dir checks");
    expect(await statuses(place, "--hooks-dir way")).toEqual({ plain: "trusted", zlink: "untrusted" });
  });

  test("a plugin whose folder is a link to the project's own hooks brings new names, and they are asked for", async () => {
    await using place = await workspace();
    await place.hook("guard", printResponse({}), { scope: "project" });
    await approveAll(place);
    await mkdir(join(place.project, ".kodelet/plugins/org@repo"), { recursive: true });
    await symlink("../../hooks", join(place.project, ".kodelet/plugins/org@repo/hooks"));
    expect(await statuses(place)).toEqual({ guard: "trusted", "org/repo/guard": "untrusted" });
    await approveAll(place);
    expect(await statuses(place)).toEqual({ guard: "trusted", "org/repo/guard": "trusted" });
  });
});

describe("a store that has approvals by real path, as they were kept first", () => {
  /** Writes the store anew with each approval under the file that its hook leads to, the later over the earlier. */
  async function asItWas(place: Workspace, more: readonly Approval[] = []): Promise<void> {
    const { version, approvals, denials } = JSON.parse((await place.read(storeOf(place))) ?? "");
    const all: readonly Approval[] = [...more, ...(Object.values(approvals) as Approval[])];
    const byRealPath = Object.fromEntries(all.map((one) => [one.realPath, one]));
    await place.write(storeOf(place), JSON.stringify({ version, approvals: byRealPath, denials }), 0o600);
  }

  test("a file and a link stay approved, and another name for the link's file is not", async () => {
    await using place = await setUp("guard");
    await place.hook("plain", printResponse({}), { scope: "project" });
    await approveAll(place);
    await asItWas(place);
    await linkTo(place, "new-name");
    expect(await statuses(place)).toEqual({ guard: "trusted", "new-name": "untrusted", plain: "trusted" });
    await approveAll(place);
    expect(await statuses(place)).toEqual({ guard: "trusted", "new-name": "trusted", plain: "trusted" });
    await approveAll(place, "untrust guard");
    expect(await statuses(place)).toMatchObject({ guard: "untrusted", "new-name": "trusted" });
  });

  test("of links that shared one approval the one whose name stands in it keeps it, and the others are named", async () => {
    await using place = await setUp("guard", "zaudit");
    await approveAll(place);
    await asItWas(place);
    expect(await statuses(place)).toEqual({ guard: "untrusted", zaudit: "trusted" });
    const result = await runInProcess(place, "run before_tool_call", { stdin: toolCall() });
    expect(result.stderr).toContain("guard is not approved");
  });

  test("a file beside a link to it is not approved by the link's approval", async () => {
    await using place = await setUp();
    await place.hook("plain", printResponse({}), { scope: "project" });
    await linkTo(place, "zlink", "plain");
    await approveAll(place);
    await asItWas(place);
    expect(await statuses(place)).toEqual({ plain: "untrusted", zlink: "trusted" });
    await approveAll(place);
    expect(await statuses(place)).toEqual({ plain: "trusted", zlink: "trusted" });
  });

  test("a declared entry stays approved, though its files stand there with whole paths", async () => {
    await using place = await workspace();
    const hooks = { before_tool_call: [{ name: "guard", command: "sh guard.sh" }] };
    await place.write("project/.kodelet/hooks.json", JSON.stringify({ hooks }));
    const file = await place.write("project/.kodelet/guard.sh", "exit 0");
    await approveAll(place);
    const store = (await place.read(storeOf(place))) ?? "";
    expect(store).toContain('".kodelet/guard.sh":');
    await place.write(storeOf(place), store.replace(".kodelet/guard.sh", file), 0o600);
    expect(await outcomeOf(place, "guard")).toBe("continue");
    await place.write(file, "exit 1");
    expect(await outcomeOf(place, "guard")).toBe(CHANGED);
  });

  test("of several approvals of one link the last counts", async () => {
    await using place = await setUp("guard");
    await place.write("project/tools/other", MULTI, 0o755);
    await approveAll(place);
    const { approvals } = JSON.parse((await place.read(storeOf(place))) ?? "");
    const before = (Object.values(approvals) as Approval[]).map((one) => ({
      ...one,
      approvedAt: "2026-01-01T00:00:00.000Z",
    }));
    await rm(join(place.dir, HOOKS, "guard"));
    await linkTo(place, "guard", "../../tools/other");
    await approveAll(place);
    await asItWas(place, before);
    expect(await statuses(place)).toEqual({ guard: "trusted" });
    await rm(join(place.dir, HOOKS, "guard"));
    await linkTo(place, "guard");
    expect(await outcomeOf(place, "guard")).toBe(CHANGED);
  });
});
