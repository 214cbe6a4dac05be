import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lifeline } from "../../../../test/support/lifeline.ts";
import { HANG_TIMEOUT_MS, workspace } from "../../../../test/support/workspace.ts";
import { call, freePort, type HttpServer, startHttp } from "./http-server.ts";
import { connectTo, runRequest, startOnSocket, startServer } from "./server.ts";

const PATH = "/bridge/claude/PreToolUse";

/** A connection that sends this text, and what comes back until it is closed. */
function raw({ port }: HttpServer, text: string): { readonly socket: Socket; readonly closed: Promise<string> } {
  const socket = connect(port, "127.0.0.1");
  let came = "";
  socket.setEncoding("latin1").on("data", (part) => {
    came += part;
  });
  socket.on("error", () => {});
  if (text !== "") socket.write(text);
  return { socket, closed: new Promise((settle) => socket.on("close", () => settle(came))) };
}

/** The head of a good request, with these lines in place of the ones of the same name. */
function headOf({ port, token }: HttpServer, lines: readonly string[]): string {
  const usual = [`Host: 127.0.0.1:${port}`, `Authorization: Bearer ${token}`, "Content-Type: application/json"];
  return `POST ${PATH} HTTP/1.1\r\n${[...usual, ...lines].join("\r\n")}\r\n\r\n`;
}

test.each([
  ["nothing", ""],
  ["half a head", "POST / HTTP/1.1\r\nHo"],
  ["a request without the token, and half its body", `POST ${PATH} HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{`],
])("hundreds of connections that send %s keep nobody out, and end no request that waits", async (_, text) => {
  await using place = await workspace();
  await using line = await lifeline(place.dir);
  await place.hook("guard", `case $(cat) in *wait*) ${line.hold}; until [ -e "$HOME/go" ]; do sleep 0.1; done;; esac`);
  await using server = await startHttp(place);
  const waiting = server.ask(PATH, call(place, "wait"));
  await line.held;
  const silent = Array.from({ length: 600 }, () => raw(server, text));
  await Promise.all(silent.map(({ socket }) => once(socket, "connect").catch(() => {})));
  for (let count = 0; count < 5; count++)
    expect(await server.ask(PATH, call(place, "ls"))).toMatchObject({ status: 200, body: "{}" });
  await place.write("home/go", "");
  expect(await waiting).toMatchObject({ status: 200, body: "{}" });
  for (const { socket } of silent) socket.destroy();
});

test("a client that sends a byte at a time is cut off, and keeps nobody waiting", { tags: "slow" }, async () => {
  await using place = await workspace();
  await using server = await startHttp(place);
  const { socket, closed } = raw(server, "");
  const head = headOf(server, ["Content-Length: 2"]);
  let sent = 0;
  const dripping = setInterval(() => socket.write(head.charAt(sent++)), 250);
  expect(await server.ask(PATH, call(place, "ls"))).toMatchObject({ status: 200 });
  const came = await closed;
  clearInterval(dripping);
  expect(came).not.toContain("200");
  expect(sent).toBeLessThan(head.length);
  expect(await server.ask(PATH, call(place, "ls"))).toMatchObject({ status: 200 });
});

test("a head that two programs could read in two ways is refused", async () => {
  await using place = await workspace();
  await place.hook("guard", 'touch "$HOME/ran"');
  await using server = await startHttp(place);
  const body = call(place, "ls");
  const length = `Content-Length: ${Buffer.byteLength(body)}`;
  const chunked = `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  const cases: readonly (readonly [string[], string])[] = [
    [["Host: attacker.example", length], body],
    [[`Host: 127.0.0.1:${server.port}`, length], body],
    [["Authorization: Bearer x", length], body],
    [[`authorization: Bearer ${server.token}`, length], body],
    [["Content-Type: text/plain", length], body],
    [[length, length], body],
    [[length, "Content-Length: 3"], body],
    [[length, "Transfer-Encoding: chunked"], chunked],
    [["Transfer-Encoding: chunked", length], chunked],
    [["Transfer-Encoding: chunked", "Transfer-Encoding: identity"], chunked],
  ];
  for (const [lines, sent] of cases) {
    const came = await raw(server, headOf(server, lines) + sent).closed;
    expect({ lines, status: /^HTTP\/1\.1 (\d+)/.exec(came)?.[1] }).toEqual({ lines, status: "400" });
  }
  expect(await place.read("home/ran")).toBeNull();
  const { closed } = raw(server, `${headOf(server, ["Transfer-Encoding: chunked", "Connection: close"])}${chunked}`);
  expect(await closed).toContain("200");
});

test.each([
  ["others may write to", (folder: string) => chmodSync(folder, 0o777), "writable by group or others"],
  ["a group may write to", (folder: string) => chmodSync(folder, 0o775), "writable by group or others"],
  ["is missing", (folder: string) => chmodSync(folder, 0o700), "its folder does not exist"],
])("no token in a folder that %s", { tags: "slow" }, async (words, spoil, cause) => {
  await using place = await workspace();
  const folder = join(place.dir, "t");
  mkdirSync(folder, { mode: 0o700 });
  spoil(folder);
  const file = join(folder, words === "is missing" ? "none/token" : "token");
  const result = await place.run(["serve", "--http", String(await freePort()), "--token-file", file]);
  expect(result).toMatchObject({ code: 70, stdout: "", stderr: expect.stringContaining(cause) });
  expect(existsSync(file)).toBe(false);
});

test("no token where a link leads, and none through a folder of others", { tags: "slow" }, async () => {
  await using place = await workspace();
  const open = join(place.dir, "open");
  mkdirSync(join(open, "own"), { recursive: true, mode: 0o700 });
  chmodSync(open, 0o777);
  symlinkSync(join(open, "own"), join(place.dir, "link"));
  symlinkSync(join(place.dir, "elsewhere"), join(place.dir, "token"));
  for (const [file, cause] of [
    [join(place.dir, "link", "token"), "writable by group or others"],
    [join(place.dir, "token"), "others may read it"],
  ] as const) {
    const result = await place.run(["serve", "--http", String(await freePort()), "--token-file", file]);
    expect(result).toMatchObject({ code: 70, stdout: "", stderr: expect.stringContaining(cause) });
  }
  expect(existsSync(join(place.dir, "elsewhere"))).toBe(false);
});

/** What the audit log says ended the hooks of its last run. */
const interruptedBy = (home: string): unknown =>
  JSON.parse(readFileSync(join(home, ".local/state/hookctl/audit.jsonl"), "utf8").trim().split("\n").at(-1) ?? "{}")
    .interrupted;

test("the record says what ended a hook: its client, a cancel, or a signal", async () => {
  await using place = await workspace();
  const home = join(place.dir, "home");
  const folder = join(place.dir, "s");
  mkdirSync(folder, { mode: 0o700 });
  for (const [by, end] of [
    ["a client that left", (socket: Socket) => socket.destroy()],
    ["cancel", (socket: Socket) => socket.write('{"jsonrpc":"2.0","id":2,"method":"cancel","params":{"id":1}}\n')],
  ] as const) {
    await using line = await lifeline(place.dir);
    await place.hook("guard", `${line.hold}; sleep 60`);
    await using _server = await startOnSocket(place, join(folder, "hookctl"));
    await using client = await connectTo(join(folder, "hookctl"));
    client.send(runRequest(1, "ls"));
    await line.held;
    end(client.socket);
    await line.released;
    await expect.poll(() => interruptedBy(home), { timeout: HANG_TIMEOUT_MS }).toBe(by);
  }
  await using line = await lifeline(place.dir);
  await place.hook("guard", `${line.hold}; sleep 60`);
  await using server = startServer(place);
  server.send(runRequest(1, "ls"));
  await line.held;
  server.child.kill("SIGHUP");
  await server.ended;
  expect(interruptedBy(home)).toBe("SIGHUP");
});

test("a server that ends leaves the socket of the one that took its place", async () => {
  await using place = await workspace();
  const folder = join(place.dir, "s");
  mkdirSync(folder, { mode: 0o700 });
  const path = join(folder, "hookctl");
  await using first = await startOnSocket(place, path);
  rmSync(path);
  await using _second = await startOnSocket(place, path);
  first.child.kill("SIGTERM");
  expect(await first.ended).toEqual({ code: 143, signal: null });
  await using client = await connectTo(path);
  expect(await client.ask({ id: 1, method: "list" })).toMatchObject({ id: 1, result: { hooks: [] } });
});
