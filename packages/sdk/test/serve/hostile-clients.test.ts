import { mkdirSync, readFileSync, rmSync } from "node:fs";
import type { Socket } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lifeline } from "../../../../test/support/lifeline.ts";
import { HANG_TIMEOUT_MS, workspace } from "../../../../test/support/workspace.ts";
import { connectTo, runRequest, startOnSocket, startServer } from "./server.ts";

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
