import { describe, expect, test } from "vitest";
import { runInProcess } from "../../../../test/support/in-process.ts";
import { type Workspace, workspace } from "../../../../test/support/workspace.ts";
import { AGENTS } from "../../../agents/agents.ts";
import { adoptHooks } from "../../install/adopt/adopt-hooks.ts";

const HOOKS = "project/.github/hooks";
const handler = (script: string, timeoutSec = 3) => ({
  ...{ type: "command", bash: `./scripts/hooks/${script}.sh`, powershell: `./scripts/hooks/${script}.ps1`, timeoutSec },
});
const PACKS: Readonly<Record<string, object>> = {
  "10-memory.json": { SessionStart: [handler("start")], Stop: [handler("stop", 5)] },
  "20-guards.json": { preToolUse: [handler("guard")], postToolUse: [handler("after")] },
  "30-errors.json": { errorOccurred: [handler("error", 5)], postToolUse: [handler("budget")] },
};
const packText = (hooks: object): string => `${JSON.stringify({ version: 1, hooks }, null, 4)}\n`;

/** A guard as Copilot's documentation has it: it reads the arguments, and answers in Copilot's words. */
const GUARD = `#!/bin/sh
input=$(cat)
printf '%s' "$input" >scripts/seen.json
case $input in
*'"toolArgs":{"command":"rm'*) echo '{"permissionDecision":"deny","permissionDecisionReason":"no rm"}' ;;
*'"toolArgs":{"command":"break'*) echo broken >&2; exit 1 ;;
esac
`;

async function setUp(): Promise<Workspace> {
  const place = await workspace();
  for (const [name, hooks] of Object.entries(PACKS)) await place.write(`${HOOKS}/${name}`, packText(hooks));
  for (const name of ["start", "stop", "after", "error", "budget"]) {
    await place.write(`project/scripts/hooks/${name}.sh`, `#!/bin/sh\ncat >scripts/${name}.json\n`, 0o755);
  }
  await place.write("project/scripts/hooks/guard.sh", GUARD, 0o755);
  return place;
}

const call = (command: string) => ({
  stdin: JSON.stringify({ sessionId: "s1", timestamp: 1, toolName: "bash", toolArgs: { command } }),
});
const seen = async (place: Workspace, name: string) =>
  JSON.parse((await place.read(`project/scripts/${name}.json`)) ?? "null");

test("every file of Copilot's folder is taken over, and the denial of a guard blocks for each agent", async () => {
  await using place = await setUp();
  const result = await runInProcess(place, "adopt copilot");
  expect(result).toMatchObject({ stderr: "", code: 0 });
  expect(result.stdout).toContain("Migrated and approved 6 hooks");
  for (const name of Object.keys(PACKS)) expect(await place.read(`${HOOKS}/${name}`)).toContain('"hooks": {}');
  expect(await place.read(`${HOOKS}/hookctl.json`)).toContain("bridge copilot --event preToolUse");

  const denied = await runInProcess(place, "bridge copilot --event preToolUse", call("rm -rf dist"));
  expect(JSON.parse(denied.stdout)).toMatchObject({
    permissionDecision: "deny",
    permissionDecisionReason: expect.stringContaining("no rm (copilot-preToolUse-1,"),
  });
  expect((await runInProcess(place, "bridge copilot --event preToolUse", call("ls"))).stdout).toBe("");
  const claude = {
    session_id: "s1",
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command: "rm x" },
  };
  const other = await runInProcess(place, "bridge claude", { stdin: JSON.stringify(claude) });
  expect(other.stdout).toContain('"permissionDecision":"deny"');
  expect(await seen(place, "seen")).toMatchObject({ toolName: "bash", toolArgs: { command: "rm x" }, sessionId: "s1" });
});

test("before a tool call an exit code that is not 0 blocks, as it does in Copilot", async () => {
  await using place = await setUp();
  await runInProcess(place, "adopt copilot");
  const denied = await runInProcess(place, "bridge copilot --event preToolUse", call("break"));
  expect(JSON.parse(denied.stdout)).toMatchObject({ permissionDecision: "deny" });
  expect(denied.stdout).toContain("broken");
});

test("each hook gets what Copilot would send it", async () => {
  await using place = await setUp();
  await runInProcess(place, "adopt copilot");
  const at = (event: string, sent: object) =>
    runInProcess(place, `bridge copilot --event ${event} -q`, { stdin: JSON.stringify({ sessionId: "s1", ...sent }) });
  await at("sessionStart", { source: "startup" });
  expect(await seen(place, "start")).toMatchObject({ hook_event_name: "SessionStart", session_id: "s1" });
  const done = { toolName: "bash", toolArgs: { command: "ls" } };
  await at("postToolUse", { ...done, toolResult: { resultType: "success", textResultForLlm: "a b" } });
  const after = { ...done, toolResult: { resultType: "success", textResultForLlm: "a b" }, sessionId: "s1" };
  expect(await seen(place, "after")).toMatchObject({ ...after, timestamp: expect.any(Number) });
  expect(await seen(place, "budget")).toMatchObject(after);
  await at("errorOccurred", { error: { message: "model call failed", name: "ModelError" } });
  expect(await seen(place, "error")).toMatchObject({ error: { message: "model call failed", name: "ModelError" } });
});

test("--undo gives every file back byte for byte", async () => {
  await using place = await setUp();
  await runInProcess(place, "adopt copilot");
  expect(await runInProcess(place, "adopt copilot --undo")).toMatchObject({ stderr: "", code: 0 });
  for (const [name, hooks] of Object.entries(PACKS)) {
    expect(await place.read(`${HOOKS}/${name}`)).toBe(packText(hooks));
  }
  expect(await place.read(`${HOOKS}/hookctl.json`)).toBeNull();
  expect(await place.read("project/.kodelet/hooks.json")).toBeNull();
});

test("a dry run writes nothing, and twice is once", async () => {
  await using place = await setUp();
  expect((await runInProcess(place, "adopt copilot --dry-run")).stdout).toContain("6 hooks. Nothing was written");
  expect(await place.read("project/.kodelet/hooks.json")).toBeNull();
  await runInProcess(place, "adopt copilot");
  const settings = await place.read("project/.kodelet/hooks.json");
  expect((await runInProcess(place, "adopt copilot")).stdout).toContain(
    "no hooks in its project settings (.github/hooks/hookctl.json) that adopt can migrate",
  );
  expect(await place.read("project/.kodelet/hooks.json")).toBe(settings);
});

describe("one handler", () => {
  const taken = (one: object, event = "preToolUse") => adoptHooks(packText({ [event]: [one] }), AGENTS.copilot, []);

  test.each([
    [
      { type: "command", command: "./x/y.sh" },
      'export CLAUDE_PROJECT_DIR="$HOOKCTL_PROJECT_DIR"; cd "$HOOKCTL_PROJECT_DIR" || exit 1\n./x/y.sh',
      "30s",
    ],
    [
      { type: "command", bash: "./y.sh", cwd: "tools/a", timeoutSec: 7 },
      'export CLAUDE_PROJECT_DIR="$HOOKCTL_PROJECT_DIR"; cd "$HOOKCTL_PROJECT_DIR"/tools/a || exit 1\n./y.sh',
      "7s",
    ],
  ])("%j is an entry", (one, command, timeout) => {
    expect(taken(one).adopted).toMatchObject([{ on: "copilot:preToolUse", entry: { command, timeout } }]);
  });

  test.each([
    [{ type: "command", powershell: "./x.ps1" }, "preToolUse", "only shell commands can be migrated"],
    [{ type: "prompt", prompt: "x" }, "preToolUse", "only shell commands can be migrated"],
    [{ type: "command", bash: "x", env: { A: "1" } }, "preToolUse", '"env" has no equivalent in hookctl\'s settings'],
    [{ type: "command", bash: "x", cwd: "../other" }, "preToolUse", "it runs outside the project"],
    [{ type: "command", bash: "x" }, "preMcpToolCall", "hookctl has no such event"],
  ])("%j stays where it is", (one, event, why) => {
    const found = taken(one, event);
    expect(found).toMatchObject({ adopted: [], kept: [`${event}: ${why}`], left: packText({ [event]: [one] }) });
  });
});
