import { expect, test } from "vitest";
import { type CommandResult, type Workspace, workspace } from "../support/workspace.ts";

const SETTINGS = "home/.claude/settings.json";

interface Handler {
  readonly type: string;
  readonly url?: string;
  readonly command?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly allowedEnvVars?: readonly string[];
}

/** What is registered for each event. */
async function handlers(place: Workspace, file = SETTINGS): Promise<Readonly<Record<string, Handler>>> {
  const { hooks } = JSON.parse((await place.read(file)) ?? "{}") as { hooks: Record<string, { hooks: Handler[] }[]> };
  return Object.fromEntries(
    Object.entries(hooks).map(([event, groups]) => [event, groups[0]?.hooks[0] ?? { type: "" }]),
  );
}

const typesOf = async (place: Workspace): Promise<Readonly<Record<string, string>>> =>
  Object.fromEntries(Object.entries(await handlers(place)).map(([event, { type }]) => [event, type]));

const install = (place: Workspace, args: string): Promise<CommandResult> =>
  place.run(["install", "claude", ...args.split(" "), "--scope", "user"]);

test("events that cannot block ask the server, the others start hookctl", async () => {
  await using place = await workspace();
  const result = await install(place, "--http 4665 --events all");
  expect(result).toMatchObject({ code: 0, stderr: "" });
  expect(result.stdout).toContain("continues without the hooks of PostToolUseFailure");
  expect(await typesOf(place)).toEqual({
    ...{ PreToolUse: "command", PermissionRequest: "command", PostToolUse: "command", UserPromptSubmit: "command" },
    ...{
      PreCompact: "command",
      SessionStart: "command",
      PostToolUseFailure: "http",
      Stop: "http",
      StopFailure: "http",
    },
    ...{ SubagentStart: "http", SubagentStop: "http", SessionEnd: "http", PostCompact: "http", Notification: "http" },
  });
  const { Stop } = await handlers(place);
  expect(Stop).toMatchObject({
    url: "http://127.0.0.1:4665/bridge/claude/Stop?deadline=118s",
    headers: { Authorization: "Bearer $HOOKCTL_SERVE_TOKEN" },
    allowedEnvVars: ["HOOKCTL_SERVE_TOKEN"],
  });
});

test("a person may register all events; later calls keep that, and --fail-closed takes it back", {
  tags: "slow",
}, async () => {
  await using place = await workspace();
  await place.write(SETTINGS, '{\n  "model": "x"\n}\n');
  await place.hook("guard", "true", { says: '{"event":"before_tool_call","fail_open":false}' });
  expect(await install(place, "--http 4665 --fail-open")).toMatchObject({ code: 0 });
  const written = await place.read(SETTINGS);
  expect(await typesOf(place)).toEqual({ PreToolUse: "http", SessionStart: "command" });
  expect((await handlers(place)).PreToolUse?.url).toContain("&fail-closed");
  expect(await place.run(["install", "claude", "--scope", "user"])).toMatchObject({ code: 0 });
  expect(await place.read(SETTINGS)).toBe(written);
  expect(await install(place, "--fail-closed")).toMatchObject({ code: 0 });
  expect(await typesOf(place)).toEqual({ PreToolUse: "command", SessionStart: "command" });
  expect(await place.run(["uninstall", "claude", "--scope", "user"])).toMatchObject({ code: 0 });
  expect(await place.read(SETTINGS)).toBe('{\n  "model": "x"\n}\n');
});

test("below an agent a guard is not moved to a server", { tags: "slow" }, async () => {
  await using place = await workspace();
  const result = await place.run(["install", "claude", "--http", "4665", "--fail-open", "--scope", "user"], {
    env: { CLAUDECODE: "1" },
  });
  expect(result).toMatchObject({ code: 77, stdout: "" });
  expect(await place.read(SETTINGS)).toBeNull();
});

test("a local file names the project", { tags: "slow" }, async () => {
  await using place = await workspace();
  const line = ["install", "claude", "--http", "4665", "--events", "Stop", "--scope", "local"];
  expect(await place.run(line)).toMatchObject({ code: 0 });
  const { Stop } = await handlers(place, "project/.claude/settings.local.json");
  expect(new URL(Stop?.url ?? "").searchParams.get("directory")).toBe(place.project);
});

test.each([
  ["install claude --http 4665", "--scope user"],
  ["install claude --http 4665 --scope machine", "--scope user"],
  ["install codex --http 4665 --scope user", "sends its events to no address"],
  ["install claude --http 70000 --scope user", "1 to 65535"],
])("%s is refused", async (line, words) => {
  await using place = await workspace();
  const result = await place.run(line.split(" "));
  expect(result).toMatchObject({ code: 64, stdout: "", stderr: expect.stringContaining(words) });
});

test("doctor says when no server listens", { tags: "slow" }, async () => {
  await using place = await workspace();
  await install(place, "--http 1 --events Stop");
  const { stdout } = await place.run(["doctor", "claude"]);
  expect(stdout).toContain("no server listens on 127.0.0.1:1: Claude Code continues without the hooks of Stop");
  expect(stdout).not.toContain("differs from what install would write");
});

test("a session is not told that an event over HTTP is not registered", async () => {
  await using place = await workspace();
  await place.hook("stop", "true", { says: "agent_stop" });
  await install(place, "--http 4665");
  const stdin = JSON.stringify({
    session_id: "s",
    cwd: place.project,
    hook_event_name: "SessionStart",
    source: "startup",
  });
  const result = await place.run(["bridge", "claude", "--event", "SessionStart"], { stdin });
  expect(result).toMatchObject({ code: 0 });
  expect(result.stdout + result.stderr).not.toContain("not registered");
});
