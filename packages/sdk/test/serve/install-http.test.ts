import { createServer } from "node:http";
import { expect, test } from "vitest";
import { type CommandResult, type Workspace, workspace } from "../../../../test/support/workspace.ts";
import { startHttp } from "./http-server.ts";

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
  place.run(["install", "claude", ...args.split(" ").filter(Boolean), "--scope", "user"]);

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
      ConfigChange: "command",
      PostToolUseFailure: "http",
      Stop: "http",
      StopFailure: "http",
    },
    ...{ SubagentStart: "http", SubagentStop: "http", SessionEnd: "http", PostCompact: "http", Notification: "http" },
  });
  const { Stop } = await handlers(place);
  expect(Stop).toMatchObject({
    url: "http://127.0.0.1:4665/bridge/claude/Stop",
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
  expect(await typesOf(place)).toEqual({ PreToolUse: "http", SessionStart: "command", ConfigChange: "command" });
  expect((await handlers(place)).PreToolUse?.url).toContain("?fail-closed");
  expect(await place.run(["install", "claude", "--scope", "user"])).toMatchObject({ code: 0 });
  expect(await place.read(SETTINGS)).toBe(written);
  expect(await install(place, "--fail-closed")).toMatchObject({ code: 0 });
  expect(await typesOf(place)).toEqual({ PreToolUse: "command", SessionStart: "command", ConfigChange: "command" });
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

test("doctor sends a test call to the server, and says what came back", async () => {
  await using place = await workspace();
  await using server = await startHttp(place);
  await install(place, `--http ${server.port} --events Stop`);
  const told = async (env: object): Promise<string> => {
    const { stdout } = await place.run(["doctor", "claude", "--json"], { env: { ...env } });
    const { checks } = JSON.parse(stdout) as { checks: { name: string; status: string; detail: string }[] };
    const found = checks.find(({ name }) => name === "claude server");
    return `${found?.status}: ${found?.detail}`;
  };
  const at = `127.0.0.1:${server.port}`;
  expect(await told({ HOOKCTL_SERVE_TOKEN: server.token })).toBe(
    `ok: the server on ${at} takes the token in HOOKCTL_SERVE_TOKEN and answered a test PreToolUse`,
  );
  expect(await told({ HOOKCTL_SERVE_TOKEN: "x".repeat(32) })).toBe(
    `fail: the server on ${at} refuses the token in HOOKCTL_SERVE_TOKEN: Claude Code continues without the hooks of Stop`,
  );
  expect(await told({})).toBe(`warn: a server listens on ${at}; no token was found here to try it`);
  server.child.kill("SIGKILL");
  await server.ended;
  expect(await told({})).toMatch(`fail: no server listens on ${at}`);
  for (const [status, text] of [
    [200, "hello"],
    [404, "{}"],
    [500, "\u001b[2J"],
  ] as const) {
    await using _other = await otherServer(server.port, status, text);
    const words = await told({ HOOKCTL_SERVE_TOKEN: server.token });
    expect(words).toMatch(`fail: what listens on ${at} is not hookctl serve: it answered ${status}`);
    expect(words).not.toContain("\u001b");
  }
});

async function otherServer(port: number, status: number, text: string): Promise<AsyncDisposable> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(status).end(text);
  });
  await new Promise<void>((settle) => server.listen(port, "127.0.0.1", settle));
  return { [Symbol.asyncDispose]: async () => void (await new Promise((settle) => server.close(settle))) };
}

test.each([
  ["http://localhost:4665/bridge/claude/Stop?deadline=118s", 4665],
  ["http://127.0.0.1:4665/bridge/claude/Stop?deadline=118s", 4665],
  ["http://[::1]:4665/bridge/claude/SessionEnd?deadline=1s&x=y", 4665],
  ["http://127.0.0.1:99999/bridge/claude/Stop?deadline=118s", null],
  ["http://localhost/bridge/claude/Stop?deadline=118s", null],
])("install replaces an edited address: %s", { tags: "slow" }, async (edited, port) => {
  await using place = await workspace();
  await install(place, "--http 4665 --events Stop");
  const text = (await place.read(SETTINGS)) ?? "";
  await place.write(SETTINGS, text.replace(/http:[^"]*/, edited));
  const doctor = await place.run(["doctor", "claude"]);
  expect(doctor.stdout).toContain("differs from what install would write");
  expect(await install(place, "--events Stop")).toMatchObject({ code: 0, stdout: expect.stringContaining("Wrote") });
  const found = await handlers(place);
  expect(Object.keys(found)).toEqual(["Stop"]);
  if (port === null) expect(found.Stop?.type).toBe("command");
  else expect(found.Stop?.url).toBe(`http://127.0.0.1:${port}/bridge/claude/Stop`);
});

test("an address stays fail-closed, also when the hook that required it is gone", { tags: "slow" }, async () => {
  await using place = await workspace();
  await place.hook("guard", "true", { says: '{"event":"before_tool_call","fail_open":false}' });
  await install(place, "--http 4665 --fail-open");
  await place.hook("guard", "true", { says: "before_tool_call" });
  await install(place, "");
  expect((await handlers(place)).PreToolUse?.url).toContain("?fail-closed");
});
