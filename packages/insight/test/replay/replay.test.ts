import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { EngineHost } from "../../../../src/engine/run-context.ts";
import { approveAll } from "../../../../test/support/approvals.ts";
import { touch } from "../../../../test/support/shell.ts";
import { type Workspace, workspace } from "../../../../test/support/workspace.ts";
import { loadGuards } from "../../../guard-hooks/load-guards.ts";
import { openReplay } from "../../replay/open-replay.ts";
import type { RecordedCall, ReplayOptions } from "../../replay/replay-project.ts";

const hostOf = ({ env, project }: Workspace): EngineHost => ({
  ...{ env, cwd: project, userId: process.getuid?.() ?? -1, beganMs: 0 },
  ...{ nowMs: Date.now, elapsedMs: () => performance.now(), random: Math.random },
  interrupt: { raised: () => null, listen: () => () => undefined },
  loadGuards,
});

const engine = {
  ...{ directory: null, hooksDirs: [], config: null, only: null, skip: [], timeoutMs: null, deadlineMs: null },
  ...{ trust: false, useCache: true },
};

const replayOf = (
  place: Workspace,
  over: { readonly trust?: boolean; readonly guards?: ReplayOptions["guards"] } = {},
) => {
  const { trust = false, guards = "on" } = over;
  return openReplay({ engine: { ...engine, trust }, guards }, hostOf(place));
};

const shellCall = (command: string, cwd: string, over: Partial<RecordedCall> = {}): RecordedCall => ({
  ...{ id: "run-1", time: "2026-11-20T10:00:00.000Z", event: "before_tool_call" },
  ...{ cwd, madeIn: null },
  payload: JSON.stringify({ conv_id: "s1", cwd, tool_name: "Bash", tool_kind: "shell", tool_input: { command } }),
  ...over,
});

const decisionOf = async (place: Workspace, call: RecordedCall, over: Parameters<typeof replayOf>[1] = {}) => {
  const judged = await replayOf(place, over).judge(call);
  if (judged.kind === "unjudged") return judged.problem.code;
  return [judged.verdict.decision, judged.verdict.decidedBy].join(" by ");
};

const RULES = {
  hooks: {
    before_tool_call: [{ block: "No deploys on Friday", name: "friday", match: { "tool_input.command": "deploy*" } }],
  },
};

describe("a recorded call is put to today's hooks", () => {
  test("built-in guards and rules of the user decide", async () => {
    await using place = await workspace();
    await place.write("home/.config/hookctl/config.json", JSON.stringify({ guards: { git: true }, ...RULES }));
    expect(await decisionOf(place, shellCall("git push --force origin main", place.project))).toBe("block by git");
    expect(await decisionOf(place, shellCall("deploy now", place.project))).toBe("block by friday");
    expect(await decisionOf(place, shellCall("git status", place.project))).toBe("continue by ");
  });

  test("a rule of the project judges only once it is approved, or with --trust", async () => {
    await using place = await workspace();
    await place.write("project/.kodelet/hooks.json", JSON.stringify(RULES));
    const call = shellCall("deploy now", place.project);
    expect(await decisionOf(place, call)).toBe("continue by ");
    expect(await decisionOf(place, call, { trust: true })).toBe("block by friday");
    await approveAll(place);
    expect(await decisionOf(place, call)).toBe("block by friday");
  });

  test("a call of a folder that is gone is judged by the user's hooks, and the folder counts as its project", async () => {
    await using place = await workspace();
    await place.write("home/.config/hookctl/config.json", JSON.stringify({ guards: { filesystem: true } }));
    expect(await decisionOf(place, shellCall("rm -rf /gone/project/build", "/gone/project"))).toBe("continue by ");
    expect(await decisionOf(place, shellCall("rm -rf /gone/other", "/gone/project"))).toMatch(
      /^(block|ask) by filesystem$/,
    );
  });

  test("a call of another machine is judged by the caller's project, with the home of that machine", async () => {
    await using place = await workspace();
    await place.write("home/.config/hookctl/config.json", JSON.stringify({ guards: { filesystem: true } }));
    const madeIn = { home: "/Users/ann", project: "/Users/ann/app" };
    const at = (command: string) => decisionOf(place, shellCall(command, "/Users/ann/app", { madeIn }));
    expect(await at("rm -rf /Users/ann/app/dist")).toBe("continue by ");
    expect(await at("rm -rf /Users/ann")).toBe("block by filesystem");
  });

  test("guards that are off judge where the caller wants all of them", async () => {
    await using place = await workspace();
    const call = shellCall("git push --force origin main", place.project);
    expect(await decisionOf(place, call)).toBe("continue by ");
    expect(await decisionOf(place, call, { guards: "all" })).toBe("block by git");
    expect(await decisionOf(place, call, { guards: "all-without-hooks" })).toBe("block by git");
    await place.write("home/.config/hookctl/config.json", JSON.stringify({ guards: { filesystem: true } }));
    expect(await decisionOf(place, call, { guards: "all-without-hooks" })).toBe("continue by ");
  });

  test("a payload that no hook could read is not judged", async () => {
    await using place = await workspace();
    expect(await decisionOf(place, { ...shellCall("ls", place.project), payload: "[" })).toBe("PAYLOAD_NOT_JSON");
  });
});

describe("nothing is started or written", () => {
  test("programs that are not approved or did not declare their events are left out by name; others are kept from writing", async () => {
    await using place = await workspace();
    const marks = ["user", "project", "command"].map((name) => join(place.dir, `${name}-was-started`));
    const [user = "", project = "", command = ""] = marks;
    await place.hook("own", touch(user));
    await place.hook("theirs", touch(project), { scope: "project" });
    await place.write(
      "home/.config/hookctl/config.json",
      JSON.stringify({ hooks: { before_tool_call: [{ command: ["touch", command], name: "toucher" }] } }),
    );
    for (const trust of [false, true]) {
      const replay = replayOf(place, { trust });
      await replay.judge(shellCall("ls", place.project));
      const leftOut = replay.leftOut().map(({ name }) => name);
      expect(leftOut).toEqual(expect.arrayContaining(["own", "theirs"]));
    }
    for (const mark of marks) expect(await place.read(mark)).toBeNull();
  });

  test("no session, inbox, audit log or approval appears in the user's state", async () => {
    await using place = await workspace();
    await place.write(
      "home/.config/hookctl/config.json",
      JSON.stringify({ guards: { git: true }, hooks: { before_tool_call: [{ inject: "Mind the tests" }] } }),
    );
    // The first call notes the guards of the settings, as a list does.
    await replayOf(place).judge(shellCall("ls", place.project));
    const before = await filesBelow(place.home);
    await replayOf(place).judge(shellCall("git push --force origin main", place.project));
    expect(await filesBelow(place.home)).toEqual(before);
    expect([...before.keys()].filter((path) => /session|audit|inbox|trust/.test(path))).toEqual([]);
  });
});

async function filesBelow(folder: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(await Promise.all(files.map(async (file) => [file, await readFile(file, "utf8")] as const)));
}
