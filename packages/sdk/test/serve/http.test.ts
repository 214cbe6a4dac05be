import { once } from "node:events";
import { readFileSync, statSync } from "node:fs";
import { Agent } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lifeline } from "../../../../test/support/lifeline.ts";
import { workspace } from "../../../../test/support/workspace.ts";
import { call, freePort, startHttp } from "./http-server.ts";

const GUARD = `case $(cat) in *rm*) echo '{"blocked":true,"reason":"no rm"}';; esac`;

test("answers as hookctl bridge claude does", async () => {
  await using place = await workspace();
  await place.hook("guard", GUARD);
  await using server = await startHttp(place);
  expect(statSync(server.tokenFile).mode & 0o777).toBe(0o600);
  for (const command of ["rm x", "ls"]) {
    const payload = call(place, command);
    const { stdout } = await place.run(["bridge", "claude", "--event", "PreToolUse"], { stdin: payload });
    const reply = await server.ask("/bridge/claude/PreToolUse", payload);
    const idless = (text: string): string => text.replace(/why \w+/, "why ID").trim();
    expect(reply).toMatchObject({ status: 200, body: expect.any(String) });
    expect(idless(reply.body)).toBe(idless(stdout) || "{}");
  }
});

test("the project is that of the payload's folder, or the one in the address", { tags: "slow" }, async () => {
  await using place = await workspace();
  await place.write("other/.kodelet/hooks.json", '{"guards":{"git":true}}');
  await place.run(["-C", join(place.dir, "other"), "trust", "--yes"]);
  await using server = await startHttp(place);
  const payload = call(place, "git push --force origin main");
  const other = encodeURIComponent(join(place.dir, "other"));
  expect((await server.ask("/bridge/claude/PreToolUse", payload)).body).toBe("{}");
  expect((await server.ask(`/bridge/claude/PreToolUse?directory=${other}`, payload)).body).toContain('"deny"');
  const moved = payload.replace(place.project, join(place.dir, "other")).replace('"s"', '"t"');
  expect((await server.ask("/bridge/claude/PreToolUse", moved)).body).toContain('"deny"');
});

test("who is not the agent gets nothing, and starts nothing", async () => {
  await using place = await workspace();
  await place.hook("guard", 'touch "$HOME/ran"');
  await using server = await startHttp(place);
  const payload = call(place, "ls");
  const path = "/bridge/claude/PreToolUse";
  const statusOf = async (more: object, at = path): Promise<number> => {
    const { status, body } = await server.ask(at, payload, more);
    expect(body).toBe("");
    return status;
  };
  expect(await statusOf({ headers: { authorization: undefined } })).toBe(401);
  expect(await statusOf({ headers: { authorization: "Bearer " } })).toBe(401);
  expect(await statusOf({ headers: { authorization: `Bearer ${server.token}x` } })).toBe(401);
  expect(await statusOf({ headers: { authorization: `Bearer ${server.token.slice(1)}` } })).toBe(401);
  expect(await statusOf({ headers: { authorization: `Basic ${server.token}` } })).toBe(401);
  expect(await statusOf({ headers: { host: "attacker.example" } })).toBe(403);
  expect(await statusOf({ headers: { host: `attacker.example:${server.port}` } })).toBe(403);
  expect(await statusOf({ headers: { origin: "https://attacker.example" } })).toBe(403);
  expect(await statusOf({ headers: { origin: "null" } })).toBe(403);
  for (const method of ["GET", "PUT", "DELETE", "OPTIONS", "HEAD", "PATCH"])
    expect(await statusOf({ method })).toBe(405);
  expect(await statusOf({ headers: { "content-type": "text/plain" } })).toBe(415);
  expect(await statusOf({}, "/bridge/claude/Nothing")).toBe(404);
  expect(await statusOf({}, "/bridge/codex/PreToolUse")).toBe(404);
  expect(await statusOf({}, "/")).toBe(404);
  expect(await statusOf({}, `${path}?trust`)).toBe(400);
  expect(await statusOf({ headers: { "content-length": String(65 * 1024 * 1024) } }).catch(() => 413)).toBe(413);
  expect(await place.read("home/ran")).toBeNull();
});

test("it listens on the loopback alone", { tags: "slow" }, async () => {
  await using place = await workspace();
  await using server = await startHttp(place);
  const sockets = readFileSync("/proc/net/tcp", "utf8") + readFileSync("/proc/net/tcp6", "utf8");
  const port = server.port.toString(16).toUpperCase().padStart(4, "0");
  const listening = [...sockets.matchAll(new RegExp(`: ([0-9A-F]+):${port} [0-9A-F:]+ 0A`, "g"))].map(([, at]) => at);
  expect(listening).toEqual(["0100007F"]);
});

test("an unreadable payload is blocked where a hook could have blocked", { tags: "slow" }, async () => {
  await using place = await workspace();
  await place.hook("guard", GUARD);
  await using server = await startHttp(place);
  expect((await server.ask("/bridge/claude/PreToolUse", "{")).body).toContain('"deny"');
  expect((await server.ask("/bridge/claude/PreToolUse?fail-closed&deadline=x", call(place, "ls"))).body).toContain(
    '"deny"',
  );
});

test("a client that leaves takes its hooks with it, and so does the server", async () => {
  await using place = await workspace();
  await using line = await lifeline(place.dir);
  await place.hook("guard", `${line.hold}; sleep 60`);
  await using server = await startHttp(place);
  const payload = call(place, "ls");
  const raw = connect(server.port, "127.0.0.1");
  raw.write(
    `POST /bridge/claude/PreToolUse HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nAuthorization: Bearer ${server.token}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${payload.length}\r\n\r\n${payload}`,
  );
  await line.held;
  raw.destroy();
  await line.released;
  server.child.kill("SIGTERM");
  expect(await server.ended).toEqual({ code: 143, signal: null });
});

test("a session that leaves its project keeps the project's hooks", async () => {
  await using place = await workspace();
  await place.write("project/.kodelet/hooks.json", '{"guards":{"git":true}}');
  await place.write("elsewhere/file", "");
  await place.run(["trust", "--yes"]);
  await using server = await startHttp(place);
  const payload = call(place, "git push --force origin main");
  for (const cwd of [place.project, join(place.dir, "elsewhere"), join(place.project, "deleted")]) {
    const { body } = await server.ask("/bridge/claude/PreToolUse", payload.replace(place.project, cwd));
    expect({ cwd, body }).toEqual({ cwd, body: expect.stringContaining('"deny"') });
  }
});

test.each([
  ["sends nothing", ""],
  ["sends half a request", "POST /bridge/claude/PreToolUse HTTP/1.1\r\nHo"],
])("a connection that %s does not keep a server that is to end", async (_, text) => {
  await using place = await workspace();
  await using server = await startHttp(place);
  const raw = connect(server.port, "127.0.0.1");
  raw.on("error", () => {});
  await once(raw, "connect");
  if (text !== "") raw.write(text);
  await server.ask("/bridge/claude/PreToolUse", call(place, "ls"));
  server.child.kill("SIGTERM");
  expect(await server.ended).toEqual({ code: 143, signal: null });
  raw.destroy();
});

test("a server that is to end answers the request that waits, blocks it, and closes its connection", async () => {
  await using place = await workspace();
  await using line = await lifeline(place.dir);
  await place.hook("guard", `${line.hold}; sleep 60`);
  await using server = await startHttp(place);
  const path = "/bridge/claude/PreToolUse";
  const answers = server.ask(path, call(place, "ls"), { agent: new Agent({ keepAlive: true }) });
  await line.held;
  server.child.kill("SIGTERM");
  expect(await answers).toMatchObject({ body: expect.stringContaining('"deny"'), headers: { connection: "close" } });
  expect(await server.ended).toEqual({ code: 143, signal: null });
});

test("the token reaches no hook", { tags: "slow" }, async () => {
  await using place = await workspace();
  const seen = `printf '{"blocked":true,"reason":"%s"}' "[$HOOKCTL_SERVE_TOKEN]"`;
  await place.hook("guard", seen);
  const payload = '{"tool_name":"bash","tool_input":{}}';
  const { stdout } = await place.run(["run", "before_tool_call"], {
    stdin: payload,
    env: { HOOKCTL_SERVE_TOKEN: "secret" },
  });
  expect(JSON.parse(stdout)).toMatchObject({ reason: "[]" });
  await place.hook("guard", seen, { scope: "project" });
  await place.run(["trust", "--yes"]);
  const project = await place.run(["run", "before_tool_call", "--json", "-q"], {
    ...{ stdin: payload, env: { HOOKCTL_SERVE_TOKEN: "secret" } },
  });
  expect(project.stdout).toContain("[]");
  expect(project.stdout).not.toContain("secret");
});

test.each([
  ["others may read it", "0123456789abcdef0123456789abcdef\n", 0o644],
  ["it does not hold a token", "short\n", 0o600],
])("a token file is refused: %s", async (words, text, mode) => {
  await using place = await workspace();
  const file = await place.write("token", text, mode);
  const result = await place.run(["serve", "--http", String(await freePort()), "--token-file", file]);
  expect(result).toMatchObject({ code: 70, stdout: "", stderr: expect.stringContaining(words) });
});

test("without a place for the token it says what to type", { tags: "slow" }, async () => {
  await using place = await workspace();
  const result = await place.run(["serve", "--http", "4665"]);
  expect(result).toMatchObject({ code: 64, stdout: "", stderr: expect.stringContaining("--token-file FILE") });
});
