import { existsSync, lstatSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Workspace, workspace } from "../../../../test/support/workspace.ts";
import { listenOnSocket, type SocketServer } from "../../serve/socket.ts";

function socketIn(place: Workspace): string {
  const folder = join(place.dir, "s");
  mkdirSync(folder, { mode: 0o700 });
  return join(folder, "hookctl");
}

async function listening(path: string): Promise<SocketServer> {
  const server = await listenOnSocket(path, (client) => client.destroy());
  if (!server.ok) throw new Error(server.error);
  return server.value;
}

const isAnswered = (path: string): Promise<boolean> =>
  new Promise((settle) => {
    const probe = connect(path);
    probe.on("connect", () => settle(true)).on("error", () => settle(false));
  });

test("the end of a server removes its socket, and leaves nothing beside it", async () => {
  await using place = await workspace();
  const path = socketIn(place);
  (await listening(path)).close();
  expect(readdirSync(join(path, ".."))).toEqual([]);
});

test.each<[what: string, put: (path: string) => void]>([
  ["a file", (path) => writeFileSync(path, "")],
  ["a link", (path) => symlinkSync("nowhere", path)],
  ["a folder", (path) => mkdirSync(path)],
])("the end of a server leaves %s that took its place", async (_what, put) => {
  await using place = await workspace();
  const path = socketIn(place);
  const server = await listening(path);
  rmSync(path);
  put(path);
  server.close();
  expect(lstatSync(path, { throwIfNoEntry: false })).toBeDefined();
});

test.each([
  ["was deleted", (path: string) => rmSync(path)],
  ["ended before", (_path: string, old: SocketServer) => old.close()],
])("a server whose socket %s does not remove the socket of a newer one", async (_how, end) => {
  await using place = await workspace();
  const path = socketIn(place);
  const old = await listening(path);
  end(path, old);
  await new Promise((settle) => setImmediate(settle));
  const newer = await listening(path);
  old.close();
  expect(await isAnswered(path)).toBe(true);
  newer.close();
  expect(existsSync(path)).toBe(false);
});
