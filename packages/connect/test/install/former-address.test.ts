import { expect, test } from "vitest";
import { runInProcess } from "../../../../test/support/in-process.ts";
import { type Workspace, workspace } from "../../../../test/support/workspace.ts";

const SETTINGS = "home/.claude/settings.json";
const at = (event: string, query = "", place = "127.0.0.1:4665") => ({
  type: "http",
  url: `http://${place}/bridge/claude/${event}${query}`,
  timeout: 3600,
  headers: { Authorization: "Bearer $HOOKCTL_SERVE_TOKEN" },
  allowedEnvVars: ["HOOKCTL_SERVE_TOKEN"],
});
const theirs = { type: "http", url: "http://127.0.0.1:9000/hooks/claude/Stop" };
const command = { type: "command", command: `"/opt/hookctl" bridge claude --event SessionStart --fail-open` };

/** What earlier versions wrote for `install claude --http 4665 --fail-open --scope user`, and an entry of somebody else. */
async function former(): Promise<Workspace> {
  const place = await workspace();
  const hooks = {
    PreToolUse: [{ hooks: [at("PreToolUse", "?fail-closed")] }],
    Stop: [{ hooks: [at("Stop", "?deadline=118s", "localhost:4665"), theirs] }],
    SessionEnd: [{ hooks: [at("SessionEnd", "", "[::1]")] }],
    SessionStart: [{ hooks: [command] }],
  };
  await place.write(SETTINGS, `${JSON.stringify({ model: "opus", hooks }, null, 2)}\n`);
  return place;
}

const settingsOf = async (place: Workspace) => JSON.parse((await place.read(SETTINGS)) ?? "{}");

test("a registration over HTTP is red in doctor, with the command that repairs it", async () => {
  await using place = await former();
  const result = await runInProcess(place, "doctor claude");
  expect(result).toMatchObject({ stderr: "", code: 1 });
  expect(result.stdout).toContain(
    "✖ claude entry: ~/.claude/settings.json calls an HTTP server at PreToolUse, Stop, SessionEnd, which hookctl no longer has: no hook of these events runs\n" +
      "  Reinstall: hookctl init claude --scope user\n",
  );
});

test.each(["install claude --scope user", "init --yes --agents claude --guards none"])(
  "%s makes it a command, with the choice of the person, and leaves what others wrote",
  async (line) => {
    await using place = await former();
    expect(await runInProcess(place, line)).toMatchObject({ code: 0 });
    const { hooks, model } = await settingsOf(place);
    const ours = (event: string, timeout = 3600) => {
      const text = `"${place.home}/.kodelet/hookctl" bridge claude --event ${event} --fail-open; code=$?;`;
      return { type: "command", command: expect.stringContaining(text), timeout };
    };
    expect(model).toBe("opus");
    expect(hooks).toEqual({
      PreToolUse: [{ hooks: [ours("PreToolUse")] }],
      Stop: [{ hooks: [ours("Stop"), theirs] }],
      SessionEnd: [{ hooks: [ours("SessionEnd", 10)] }],
      SessionStart: [{ hooks: [ours("SessionStart")] }],
      ConfigChange: [{ hooks: [ours("ConfigChange")] }],
    });
    expect((await runInProcess(place, "doctor claude")).stdout).not.toContain("over HTTP");
  },
);

test("uninstall removes it, and nothing else", async () => {
  await using place = await former();
  expect(await runInProcess(place, "uninstall claude --scope user")).toMatchObject({ stderr: "", code: 0 });
  expect(await settingsOf(place)).toEqual({ model: "opus", hooks: { Stop: [{ hooks: [theirs] }] } });
});

test("a session is told of the events that only such an address has", async () => {
  await using place = await former();
  await place.hook("stop", "true", { says: "agent_stop" });
  const stdin = JSON.stringify({
    session_id: "s",
    cwd: place.project,
    hook_event_name: "SessionStart",
    source: "startup",
  });
  const { stdout, code } = await runInProcess(place, "bridge claude --event SessionStart", { stdin });
  expect({ stdout, code }).toEqual({ stdout: expect.stringContaining("hookctl init claude --scope user"), code: 0 });
});

test("sealed settings with such an address are restored as they were", async () => {
  await using place = await former();
  const before = await settingsOf(place);
  expect(await runInProcess(place, "seal")).toMatchObject({ code: 0 });
  await place.write(SETTINGS, JSON.stringify({ ...before, hooks: { ...before.hooks, SessionEnd: undefined } }));
  expect(await runInProcess(place, "restore")).toMatchObject({ stderr: "", code: 0 });
  expect(await settingsOf(place)).toEqual(before);
});
