import { mkdirSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lifeline } from "../../../../test/support/lifeline.ts";
import { HOOKCTL, type Workspace, workspace } from "../../../../test/support/workspace.ts";
import { connect } from "../../index.ts";
import { startOnSocket } from "./server.ts";

const PAYLOAD = { tool_name: "bash", tool_input: { command: "ls" } } as const;

function socketIn(place: Workspace): string {
  const folder = join(place.dir, "s");
  mkdirSync(folder, { mode: 0o700, recursive: true });
  return join(folder, "hookctl");
}

const programOf = ({ project, env }: Workspace) => ({
  command: [HOOKCTL[0] ?? "", ...HOOKCTL.slice(1), "serve"] as const,
  cwd: project,
  env,
});

test("a program that it starts answers as createHooks would", async () => {
  await using place = await workspace();
  await place.hook("guard", `printf '{"blocked":true,"reason":"no"}'`);
  await using server = connect(programOf(place));
  expect(await server.run("before_tool_call", PAYLOAD)).toMatchObject({ decision: "block", reason: "no" });
  expect((await server.list({ event: "PreToolUse" })).hooks).toMatchObject([{ name: "guard" }]);
  const state = server.state("s");
  await state.set("k", { a: 1 });
  expect([await state.get("k"), await state.increment("n"), await state.get("none")]).toEqual([{ a: 1 }, 1, undefined]);
  await state.delete("k");
  expect(await state.get("k")).toBeUndefined();
  expect(await server.inbox("s")).toEqual({ schema: "hookctl.inbox/1", messages: [], wake: false });
  await server.shutdown();
});

test("numbers in a text keep their digits, and a text cannot end its request", async () => {
  await using place = await workspace();
  await place.hook("keep", 'cat >/dev/null; printf \'{"input":{"n":12345678901234567890,"d":1.10}}\'');
  await using server = connect(programOf(place));
  const text = await server.runText("before_tool_call", '{"tool_name":"bash",\n"tool_input":{"n":1.10}}');
  expect(text).toContain('{"n":12345678901234567890,"d":1.10}');
  const hostile = '{}},"id":2}\n{"jsonrpc":"2.0","id":3,"method":"shutdown"}';
  await expect(server.run("before_tool_call", hostile)).rejects.toMatchObject({ code: "PAYLOAD_NOT_JSON" });
  await expect(server.run("before_tool_call", '{"tool_name":1}')).rejects.toMatchObject({ code: /^PAYLOAD_/ });
});

test("without a server, after it is killed, and during a run, every call rejects; a new server is found", {
  tags: "slow",
}, async () => {
  await using place = await workspace();
  await using line = await lifeline(place.dir);
  await place.hook("guard", `case $(cat) in *wait*) ${line.hold}; sleep 60;; esac`);
  const socket = socketIn(place);
  await using client = connect({ socket });
  const run = (command: string) => client.run("before_tool_call", { tool_name: "bash", tool_input: { command } });
  await expect(run("ls")).rejects.toMatchObject({ code: "SERVE_UNREACHABLE" });
  const first = await startOnSocket(place, socket);
  expect(await run("ls")).toMatchObject({ decision: "continue" });
  const cut = expect(run("wait")).rejects.toMatchObject({ code: "SERVE_UNREACHABLE" });
  await line.held;
  await first[Symbol.asyncDispose]();
  await cut;
  await expect(run("ls")).rejects.toMatchObject({ code: "SERVE_UNREACHABLE" });
  await using _second = await startOnSocket(place, socket);
  expect(await run("ls")).toMatchObject({ decision: "continue" });
});

test("an aborted run rejects, and its hooks are ended", { tags: "slow" }, async () => {
  await using place = await workspace();
  await using line = await lifeline(place.dir);
  await place.hook("guard", `${line.hold}; sleep 60`);
  await using server = connect(programOf(place));
  const abort = new AbortController();
  const cut = expect(server.run("before_tool_call", PAYLOAD, { signal: abort.signal })).rejects.toMatchObject({
    code: "SERVE_CANCELLED",
  });
  await line.held;
  abort.abort();
  await cut;
  await line.released;
});

test("closing ends pending runs and their hooks", { tags: "slow" }, async () => {
  await using place = await workspace();
  await using line = await lifeline(place.dir);
  await place.hook("guard", `${line.hold}; sleep 60`);
  const server = connect(programOf(place));
  const cut = expect(server.run("before_tool_call", PAYLOAD)).rejects.toMatchObject({ code: "SERVE_UNREACHABLE" });
  await line.held;
  await server.close();
  await cut;
  await line.released;
  await expect(server.run("before_tool_call", PAYLOAD)).rejects.toMatchObject({ code: "USAGE_CLOSED" });
});

test.each([
  ["text", "ok\n"],
  ["half an answer", '{"jsonrpc":"2.0","id":1,"result":{"decision":"continue"'],
  ["an error for nobody", '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}\n'],
  ["neither result nor error", '{"jsonrpc":"2.0","id":1}\n'],
  ["a result and an error", '{"jsonrpc":"2.0","id":1,"result":{"decision":"continue"},"error":{}}\n'],
  ["the answer to another request", '{"jsonrpc":"2.0","id":2,"result":{"decision":"continue"}}\n'],
  ["nothing", ""],
])("a server that sends %s allows nothing", async (_name, sent) => {
  await using place = await workspace();
  const socket = socketIn(place);
  const server = createServer((client) => {
    client.on("error", () => {});
    client.on("data", () => client.end(sent));
  });
  await new Promise<void>((settle) => server.listen(socket, settle));
  try {
    await using client = connect({ socket });
    await expect(client.run("before_tool_call", PAYLOAD)).rejects.toThrow();
  } finally {
    server.close();
  }
});
