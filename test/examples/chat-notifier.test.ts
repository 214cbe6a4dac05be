import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { call, type Ended, type Workspace, workspace } from "../support/workspace.ts";

const examples = fileURLToPath(new URL("../../hooks-examples", import.meta.url));
const PATH = `${dirname(process.execPath)}:/usr/local/go/bin:/usr/local/bin:/usr/bin:/bin`;
const SECRET = "T0000-B0000-secretpath";
const stdin = JSON.stringify({ event: "agent_stop", cwd: "/work/shop", messages: [{ content: "private" }, {}] });
const hasGo = spawnSync("go", ["version"], { env: { PATH } }).status === 0;

interface Chat extends AsyncDisposable {
  readonly url: string;
  readonly posted: readonly { readonly path: string; readonly body: string }[];
}

/** A chat on the loopback that answers with a status; null: it never answers. */
async function chat(status: number | null): Promise<Chat> {
  const posted: { path: string; body: string }[] = [];
  const server = createServer(async (request, response) => {
    posted.push({ path: `${request.method} ${request.url}`, body: await textOf(request) });
    if (status !== null) response.writeHead(status, { location: "/elsewhere" }).end("ok");
  });
  await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/${SECRET}`,
    posted,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const part of request) text += String(part);
  return text;
}

async function builtGo(place: Workspace): Promise<string> {
  const file = join(place.dir, "chat-notifier");
  const env = { PATH, HOME: place.home, GOCACHE: join(place.dir, "cache"), GO111MODULE: "off" };
  const source = join(examples, "chat-notifier-go", "main.go");
  const built = spawnSync("go", ["build", "-o", file, source], { env, encoding: "utf8" });
  expect(built).toMatchObject({ stderr: "", status: 0 });
  return file;
}

const twins = [
  { title: "the Node twin", canRun: true, make: async (_place: Workspace) => join(examples, "chat-notifier") },
  { title: `the Go source${hasGo ? "" : " (go is not installed)"}`, canRun: hasGo, make: builtGo },
];

describe.each(twins)("$title", ({ canRun, make }) => {
  let file = "";
  let place: Workspace;
  beforeAll(async () => {
    place = await workspace();
    if (canRun) file = await make(place);
    return () => place[Symbol.asyncDispose]();
  }, 120_000);
  const run = (env: Record<string, string>): Promise<Ended> => call([file, "run"], { stdin, env: { PATH, ...env } });

  test.skipIf(!canRun)("says what it is", async () => {
    const ended = await call([file, "hook"], { env: { PATH } });
    expect(JSON.parse(ended.stdout)).toEqual({ event: "agent_stop", observe: true, timeout: "5s" });
    expect(await call([file, "dance"], { env: { PATH } })).toMatchObject({ stdout: "", code: 64 });
  });

  test.skipIf(!canRun)("posts one line, and nothing of the conversation", async () => {
    await using room = await chat(200);
    expect(await run({ CHAT_WEBHOOK_URL: room.url })).toEqual({ stdout: "", stderr: "", code: 0, signal: null });
    expect(room.posted).toEqual([{ path: `POST /${SECRET}`, body: expect.any(String) }]);
    expect(JSON.parse(room.posted[0]?.body ?? "")).toEqual({
      text: "The agent has stopped in shop after 2 messages.",
    });
  });

  test.skipIf(!canRun)("posts nothing in a trial", async () => {
    await using room = await chat(200);
    const ended = await run({ CHAT_WEBHOOK_URL: room.url, HOOKCTL_DRY_RUN: "1" });
    expect(ended).toMatchObject({ stdout: "", stderr: expect.stringContaining("would post: The agent"), code: 0 });
    expect(room.posted).toEqual([]);
  });

  test.skipIf(!canRun).each([
    { title: "refuses", status: 403, said: "the chat answered 403" },
    { title: "sends it elsewhere", status: 307, said: "nothing posted" },
    { title: "never answers", status: null, said: "cannot be reached" },
  ])("goes on when the chat $title, and does not tell the URL", async ({ status, said }) => {
    await using room = await chat(status);
    const ended = await run({ CHAT_WEBHOOK_URL: room.url });
    expect(ended).toMatchObject({ stdout: "", stderr: expect.stringContaining(said), code: 0 });
    expect(ended.stderr).not.toContain(SECRET);
    expect(room.posted).toHaveLength(1);
  });

  test.skipIf(!canRun).each([
    { title: "leads nowhere", url: `http://127.0.0.1:1/${SECRET}` },
    { title: "is no URL", url: `http://[${SECRET}` },
    { title: "is not set", url: "" },
  ])("goes on when the URL $title, and does not tell it", async ({ url }) => {
    const ended = await run({ CHAT_WEBHOOK_URL: url });
    expect(ended).toMatchObject({ stdout: "", stderr: expect.stringContaining("nothing posted"), code: 0 });
    expect(ended.stderr).not.toContain(SECRET);
  });
});

describe("in a project", () => {
  const payload = JSON.stringify({ event: "agent_stop", messages: [] });
  const rows = [
    { title: "without the user's env_allow it does not see the URL", settings: {}, count: 0 },
    { title: "with it, it does", settings: { env_allow: ["CHAT_WEBHOOK_URL"] }, count: 1 },
  ];
  test.each(rows)("$title", async ({ settings, count }) => {
    await using place = await workspace();
    await using room = await chat(200);
    await place.hook("chat-notifier", readFileSync(join(examples, "chat-notifier"), "utf8"), { scope: "project" });
    await place.write("home/.kodelet/hooks.json", JSON.stringify({ settings }));
    const env = { PATH, CHAT_WEBHOOK_URL: room.url };
    const ended = await place.run(["run", "agent_stop", "--trust"], { stdin: payload, env });
    expect(ended).toMatchObject({ stdout: "{}\n", code: 0 });
    expect(ended.stderr).not.toContain(SECRET);
    expect(room.posted).toHaveLength(count);
  });
});
