import { chmodSync, existsSync, lstatSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { approveAll } from "../../../../test/support/approvals.ts";
import { canSwitchUser, WHY_SKIPPED } from "../../../../test/support/as-user.ts";
import { laterClock } from "../../../../test/support/clock.ts";
import { lifeline } from "../../../../test/support/lifeline.ts";
import { runProgram, type Workspace, workspace } from "../../../../test/support/workspace.ts";
import { connectTo, runRequest, startOnSocket, startServer } from "./server.ts";

const GUARD = `payload=$(cat)
case "$payload" in *rm*) echo '{"blocked":true,"reason":"no rm"}';; esac`;

/** What differs between two runs of the same payload. */
const same = (text: string): string =>
  text
    .replace(/"run_id":"[^"]*"/g, '"run_id":""')
    .replace(/"duration_ms":[\d.]+/g, '"duration_ms":0')
    .replace(/"id":\d+/, '"id":0');

test.each(["ls", "rm -rf x"])("a result is what run --json prints: %s", async (command) => {
  await using place = await workspace();
  await place.hook("guard", GUARD);
  const payload = `{"tool_name":"bash","tool_input":{"command":${JSON.stringify(command)},"n":1.10,"big":12345678901234567890}}`;
  const printed = await place.run(["run", "before_tool_call", "--json", "-q"], { stdin: payload });
  await using server = startServer(place);
  server.send(`{"jsonrpc":"2.0","id":7,"method":"run","params":{"event":"before_tool_call","payload":${payload}}}`);
  expect(same(await server.line())).toBe(same(`{"jsonrpc":"2.0","id":7,"result":${printed.stdout.trim()}}`));
});

test("with invalid settings of the user the error has the result that run --json prints", async () => {
  await using place = await workspace();
  await place.write("home/.kodelet/hooks.json", "{");
  await place.hook("adds", `echo '{"additional_context":"seen"}'`);
  const payload = { tool_name: "a", tool_input: {} };
  const printed = await place.run(["run", "before_tool_call", "--json", "-q"], { stdin: JSON.stringify(payload) });
  await using server = startServer(place);
  server.send(runRequest(1, "ls", { payload }));
  const { error } = JSON.parse(await server.line());
  expect(printed.code).toBe(78);
  expect(error.data).toMatchObject({ code: "CONFIG_NOT_PARSED", exit_code: 78, result: { decision: "continue" } });
  expect(same(JSON.stringify(error.data.result))).toBe(same(printed.stdout.trim()));
});

test("the server's own switch shows in the result as it does in run --json", { tags: "slow" }, async () => {
  await using place = await workspace();
  const off = { HOOKCTL_NO_HOOKS: "1" };
  const printed = await place.run(["run", "before_tool_call", "--json", "-q"], {
    stdin: '{"tool_name":"a","tool_input":{}}',
    env: off,
  });
  await using server = startServer(place, [], off);
  server.send(runRequest(1, "ls", { payload: { tool_name: "a", tool_input: {} } }));
  expect(same(await server.line())).toBe(same(`{"jsonrpc":"2.0","id":1,"result":${printed.stdout.trim()}}`));
});

test("requests before the end of stdin are answered, also one without a line end; then exit 0", async () => {
  await using place = await workspace();
  await place.hook("guard", GUARD);
  const requests = [1, 2, 3].map((id) => JSON.stringify(runRequest(id, "ls"))).join("\r\n");
  const { stdout, stderr, code } = await place.run(["serve"], { stdin: requests });
  const answers = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
  expect(answers.map(({ id, result }) => `${id} ${result.decision}`).sort()).toEqual([
    "1 continue",
    "2 continue",
    "3 continue",
  ]);
});

test("half a line at the end is an error, and nothing of it runs", { tags: "slow" }, async () => {
  await using place = await workspace();
  await place.hook("guard", 'touch "$HOME/ran"');
  const half = JSON.stringify(runRequest(1, "ls")).slice(0, -1);
  const { stdout, code } = await place.run(["serve"], { stdin: half });
  expect({ code, answer: JSON.parse(stdout) }).toMatchObject({
    code: 0,
    answer: { id: null, error: { code: -32700 } },
  });
  expect(await place.read("home/ran")).toBeNull();
});

test.each([
  { files: "young", isLater: false },
  { files: "so old that what they hold is kept", isLater: true },
])("each request finds hooks, settings and approvals as they are by then; files are $files", async ({ isLater }) => {
  await using place = await workspace();
  await using server = startServer(place, [], isLater ? await laterClock(place) : {});
  const decided = async (id: number): Promise<unknown> => {
    const { result } = (await server.ask(runRequest(id, "rm x"))) as {
      result: { decision: string; hooks: { trust: string }[] };
    };
    return `${result.decision} ${result.hooks.map(({ trust }) => trust).join()}`;
  };
  expect(await decided(1)).toBe("continue ");
  await place.hook("guard", GUARD, { scope: "project" });
  expect(await decided(2)).toBe("continue untrusted");
  await approveAll(place);
  expect(await decided(3)).toBe("block trusted");
  await place.hook("guard", `${GUARD} # changed`, { scope: "project" });
  expect(await decided(4)).toBe("block changed");
  await place.run(["untrust", "guard"]);
  expect(await decided(5)).toBe("continue untrusted");
  await place.write("home/.kodelet/hooks.json", '{"guards":{"filesystem":true}}');
  expect(await decided(6)).toMatch(/^continue untrusted/);
  expect(await server.ask(runRequest(7, "rm -rf /"))).toMatchObject({
    result: { decision: "block", decided_by: "filesystem" },
  });
});

test("the environment of a request is not what decides for hookctl or its programs", async () => {
  await using place = await workspace();
  await place.hook("guard", `printf '{"blocked":true,"reason":"%s"}' "$CLAUDE_PROJECT_DIR $MINE $HOOKCTL_DEPTH"`);
  await using server = startServer(place, ["--env", "MINE"]);
  const reasonWith = async (id: number, params: object): Promise<unknown> => {
    const { result, error } = await server.ask(runRequest(id, "ls", params));
    return error?.data.code ?? (result as { reason: string }).reason;
  };
  expect(await reasonWith(1, { env: { CLAUDE_PROJECT_DIR: "/there", MINE: "a" } })).toBe("/there a 1");
  expect(await reasonWith(2, {})).toBe("  1");
  expect(await reasonWith(3, { depth: 2 })).toBe("  3");
  expect(await reasonWith(4, { depth: 3 })).toBe("RECURSION");
  const refused = ["HOME", "XDG_STATE_HOME", "HOOKCTL_TRUST_STORE", "HOOKCTL_NO_HOOKS", "HOOKCTL_DEPTH", "PATH"];
  for (const name of [...refused, "LD_PRELOAD", "NODE_OPTIONS", "BASH_ENV", "GIT_DIR", "OTHER"]) {
    expect(await reasonWith(5, { env: { [name]: "x" } })).toBe("USAGE_BAD_REQUEST");
  }
});

test.each(["HOME", "LD_PRELOAD", "XDG_STATE_HOME"])("--env %s is refused", { tags: "slow" }, async (name) => {
  await using place = await workspace();
  const { code, stdout, stderr } = await place.run(["serve", "--env", name]);
  expect({ code, stdout }).toEqual({ code: 64, stdout: "" });
  expect(stderr).toContain("no request may set it");
});

test("a batch gets one list; a notification gets nothing", { tags: "slow" }, async () => {
  await using place = await workspace();
  await using server = startServer(place);
  server.send(
    JSON.stringify([
      runRequest(1, "ls"),
      { jsonrpc: "2.0", method: "list" },
      { jsonrpc: "2.0", id: 2, method: "list" },
      3,
    ]),
    { jsonrpc: "2.0", method: "list" },
    [{ jsonrpc: "2.0", method: "list" }],
    { jsonrpc: "2.0", id: "last", method: "nothing" },
  );
  const answers: unknown[] = [JSON.parse(await server.line()), JSON.parse(await server.line())];
  const batch = answers.find(Array.isArray) as { id: unknown }[];
  expect(batch.map(({ id }) => id)).toEqual([1, 2, null]);
  expect(answers).toContainEqual(
    expect.objectContaining({ id: "last", error: expect.objectContaining({ code: -32601 }) }),
  );
});

test("cancel ends the hooks of a request; an id that waits cannot be used again", async () => {
  await using place = await workspace();
  await using line = await lifeline(place.dir);
  await place.hook("guard", `${line.hold}; sleep 60`);
  await using server = startServer(place);
  server.send(runRequest(1, "ls"));
  await line.held;
  expect(await server.ask({ id: 1, method: "list" })).toMatchObject({ id: null, error: { code: -32600 } });
  server.send({ jsonrpc: "2.0", id: 2, method: "cancel", params: { id: 1 } });
  const answers = [await server.answer(), await server.answer()];
  expect(answers).toContainEqual({ jsonrpc: "2.0", id: 2, result: { cancelled: true } });
  expect(answers).toContainEqual(expect.objectContaining({ id: 1, error: expect.objectContaining({ code: -32800 }) }));
  await line.released;
});

test("an id that waits is the same however it is written", { tags: "slow" }, async () => {
  await using place = await workspace();
  await using line = await lifeline(place.dir);
  await place.hook("guard", `${line.hold}; sleep 60`);
  await using server = startServer(place);
  server.send(JSON.stringify(runRequest(1, "ls")).replace('"id":1', '"id":"a"'));
  await line.held;
  expect(await server.ask({ id: "a", method: "list" })).toMatchObject({ id: null, error: { code: -32600 } });
  server.send('{"jsonrpc":"2.0","id":2,"method":"cancel","params":{"id":"\\u0061"}}');
  const answers = [await server.answer(), await server.answer()];
  expect(answers).toContainEqual({ jsonrpc: "2.0", id: 2, result: { cancelled: true } });
  await line.released;
});

test("a signal ends hooks, and then the server", async () => {
  await using place = await workspace();
  await using line = await lifeline(place.dir);
  await place.hook("guard", `${line.hold}; sleep 60`);
  await using server = startServer(place);
  server.send(runRequest(1, "ls"));
  await line.held;
  server.child.kill("SIGTERM");
  expect(await server.answer()).toMatchObject({ id: 1, error: { data: { code: "INTERRUPTED" } } });
  await line.released;
  expect(await server.ended).toEqual({ code: 143, signal: null });
});

test("shutdown waits for the others, and ends the server", async () => {
  await using place = await workspace();
  await place.hook("guard", "sleep 1");
  await using server = startServer(place);
  server.send(runRequest(1, "ls"), { jsonrpc: "2.0", id: 2, method: "shutdown" }, runRequest(3, "ls"));
  const answers = [await server.answer(), await server.answer(), await server.answer()];
  expect(answers.map(({ id }) => id)).toEqual([3, 1, 2]);
  expect(answers[0]).toMatchObject({ error: { data: { code: "SERVE_STOPPING" } } });
  expect(await server.ended).toEqual({ code: 0, signal: null });
});

test("state and inbox answer what the commands print", async () => {
  await using place = await workspace();
  await using server = startServer(place);
  const state = (id: number, params: object) =>
    server.ask({ id, method: "state", params: { session: "s", ...params } });
  expect(await state(1, { action: "set", key: "k", value: [1] })).toMatchObject({ result: null });
  expect(await state(2, { action: "get", key: "k" })).toMatchObject({ result: { key: "k", value: [1] } });
  expect(await state(20, { action: "get", value: "k" })).toMatchObject({
    error: { data: { code: "USAGE_BAD_REQUEST" } },
  });
  expect(await state(3, { action: "fly" })).toMatchObject({ error: { code: -32602 } });
  expect(await server.ask({ id: 4, method: "inbox", params: { session: "s" } })).toMatchObject({
    result: { messages: [] },
  });
  expect(await server.ask({ id: 5, method: "inbox" })).toMatchObject({
    error: { message: expect.stringContaining("session") },
  });
});

test("at most N chains run at a time, and the others wait", { tags: "slow" }, async () => {
  await using place = await workspace();
  await place.hook("guard", 'mkdir "$HOME/one" || exit 3; sleep 0.05; rmdir "$HOME/one"');
  await using server = startServer(place, ["--max-concurrent", "1"]);
  const ids = Array.from({ length: 8 }, (_, index) => index);
  server.send(...ids.map((id) => runRequest(id, "ls")));
  for (const _ of ids) expect(await server.answer()).toMatchObject({ result: { hooks: [{ outcome: "continue" }] } });
});

test("a line beyond the limit is refused, and the next one answered", { tags: "slow" }, async () => {
  await using place = await workspace();
  await using server = startServer(place);
  const chunk = "x".repeat(1024 * 1024);
  for (let count = 0; count < 65; count++) server.child.stdin?.write(chunk);
  server.child.stdin?.write("\n");
  expect(await server.answer()).toMatchObject({ id: null, error: { data: { code: "PAYLOAD_TOO_LARGE" } } });
  expect(await server.ask({ id: 1, method: "list" })).toMatchObject({ id: 1, result: { hooks: [] } });
});

/** A folder for sockets whose path is short enough. */
function socketFolder(place: Workspace): string {
  const folder = join(place.dir, "s");
  mkdirSync(folder, { mode: 0o700 });
  return folder;
}

test("on a socket for one user: answered, cancelled with its client, removed at the end", async () => {
  await using place = await workspace();
  await using line = await lifeline(place.dir);
  await place.hook("guard", `case $(cat) in *wait*) ${line.hold}; sleep 60;; esac`);
  const path = join(socketFolder(place), "hookctl");
  await using server = await startOnSocket(place, path);
  expect(lstatSync(path).mode & 0o777).toBe(0o600);
  {
    await using leaving = await connectTo(path);
    leaving.send(runRequest(1, "wait"));
    await line.held;
  }
  await line.released;
  await using client = await connectTo(path);
  client.send(runRequest(1, "ls"));
  client.end();
  expect(JSON.parse(await client.line())).toMatchObject({ id: 1, result: { decision: "continue" } });
  await using other = await connectTo(path);
  expect(await other.ask({ id: 2, method: "shutdown" })).toMatchObject({ result: null });
  expect(await server.ended).toEqual({ code: 0, signal: null });
  expect(existsSync(path)).toBe(false);
});

test("a second server is refused; the socket of a killed one is taken over", { tags: "slow" }, async () => {
  await using place = await workspace();
  const path = join(socketFolder(place), "hookctl");
  await using first = await startOnSocket(place, path);
  const second = await place.run(["serve", "--socket", path]);
  expect(second).toMatchObject({ code: 70, stdout: "", stderr: expect.stringContaining("another server uses it") });
  first.child.kill("SIGKILL");
  await first.ended;
  expect(existsSync(path)).toBe(true);
  await using third = await startOnSocket(place, path);
  await using client = await connectTo(path);
  expect(await client.ask({ id: 1, method: "list" })).toMatchObject({ id: 1 });
  expect(third.stderr()).toContain(path);
  expect(existsSync(`${path}.lock`)).toBe(false);
});

test.each([
  ["a folder that others may write to", (folder: string) => chmodSync(folder, 0o777), "writable by group or others"],
  ["a file in its place", (folder: string) => writeFileSync(join(folder, "hookctl"), ""), "a file exists there"],
])("no socket in %s", async (_name, spoil, words) => {
  await using place = await workspace();
  const folder = socketFolder(place);
  spoil(folder);
  const result = await place.run(["serve", "--socket", join(folder, "hookctl")]);
  expect(result).toMatchObject({ code: 70, stdout: "", stderr: expect.stringContaining(words) });
});

const hasAnother = process.getuid?.() === 0 && canSwitchUser;
test.skipIf(!hasAnother)(
  `another user is not let in, also if the folder lets them through (as root)${WHY_SKIPPED}`,
  async () => {
    await using place = await workspace();
    const folder = socketFolder(place);
    const path = join(folder, "hookctl");
    await using _server = await startOnSocket(place, path);
    for (const open of [place.dir, folder]) chmodSync(open, 0o755);
    const script = `require("node:net").connect(${JSON.stringify(path)}).on("error", (e) => console.log(e.code)).on("connect", () => console.log("in"))`;
    const asNobody = ["/usr/bin/setpriv", "--reuid", "65534", "--clear-groups", process.execPath, "-e", script];
    expect((await runProgram(asNobody, { env: { PATH: "/usr/bin:/bin" } })).stdout).toBe("EACCES\n");
  },
);

test("a client that does not read its answers is not read from", async () => {
  await using place = await workspace();
  await using server = startServer(place);
  const { stdin, stdout } = server.child;
  stdout?.pause();
  const line = `${JSON.stringify({ jsonrpc: "2.0", id: "x".repeat(100_000), method: "nothing" })}\n`;
  let written = 0;
  for (let isStuck = false; !isStuck && written < 1000; written++) {
    if (stdin?.write(line) !== false) continue;
    const drained = new Promise((settle) => stdin?.once("drain", () => settle(true)));
    isStuck = (await Promise.race([drained, new Promise((settle) => setTimeout(settle, 2000))])) !== true;
  }
  expect(written).toBeLessThan(200);
});
