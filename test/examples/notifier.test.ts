import { spawnSync } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { describe, expect, test } from "vitest";
import { call, mainScript, type Workspace, workspace } from "../support/workspace.ts";

const examples = fileURLToPath(new URL("../../hooks-examples", import.meta.url));
const PATH = `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`;
const hasGo = spawnSync("go", ["version"], { env: { PATH, HOME: "/nowhere" } }).status === 0;
const PAYLOAD = JSON.stringify({ conv_id: "s-1", cwd: "/work", messages: [] });
const SECRET = "T0KEN-in-the-path";

interface Channel extends AsyncDisposable {
  readonly url: string;
  readonly posted: readonly string[];
}

/** A chat channel on the loopback that answers with this status. */
async function channel(status: number): Promise<Channel> {
  const posted: string[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on("end", () => {
      posted.push(body);
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const { port } = server.address() as AddressInfo;
  const close = async () => void (await new Promise((done) => server.close(done)));
  return { url: `http://127.0.0.1:${port}/${SECRET}`, posted, [Symbol.asyncDispose]: close };
}

/** The example as a file that can be started: the Go one is built. */
async function program(place: Workspace, language: "node" | "go"): Promise<string> {
  if (language === "node") return join(examples, "chat-notifier");
  const file = join(place.dir, "chat-notifier");
  const env = { PATH, HOME: place.home, GOCACHE: join(place.dir, "cache"), GO111MODULE: "off" };
  await execa("go", ["build", "-o", file, join(examples, "chat-notifier-go", "main.go")], { env, extendEnv: false });
  return file;
}

describe.each(["node", "go"] as const)("the chat notifier in %s", (language) => {
  const isMissing = language === "go" && !hasGo;
  const one = `says its event and posts one message${language === "go" ? " (needs go)" : ""}`;
  test.skipIf(isMissing)(one, async () => {
    await using place = await workspace();
    await using chat = await channel(200);
    const file = await program(place, language);
    expect(JSON.parse((await call([file, "hook"], { env: { PATH } })).stdout)).toMatchObject({ event: "agent_stop" });
    const env = { PATH, CHAT_WEBHOOK_URL: chat.url };
    expect(await call([file, "run"], { env, stdin: PAYLOAD })).toMatchObject({ stdout: "", stderr: "", code: 0 });
    expect(chat.posted.map((text) => JSON.parse(text).text)).toEqual([
      "The agent has finished in /work (session s-1).",
    ]);

    const dry = await call([file, "run"], { env: { ...env, HOOKCTL_DRY_RUN: "1" }, stdin: PAYLOAD });
    expect(dry).toMatchObject({ stdout: "", code: 0, stderr: expect.stringContaining("dry run") });
    expect(chat.posted).toHaveLength(1);

    const dead = { PATH, CHAT_WEBHOOK_URL: `http://127.0.0.1:1/${SECRET}` };
    const lost = await call([file, "run"], { env: dead, stdin: PAYLOAD });
    expect(lost).toMatchObject({ stdout: "", code: 0, stderr: expect.stringContaining("could not be reached") });
    expect(lost.stderr).not.toContain(SECRET);
  });
});

test("a channel that refuses the message is told on stderr, without its address", async () => {
  await using chat = await channel(500);
  const env = { PATH, CHAT_WEBHOOK_URL: chat.url };
  const ended = await call([join(examples, "chat-notifier"), "run"], { env, stdin: PAYLOAD });
  expect(ended).toMatchObject({ stdout: "", code: 0, stderr: "chat-notifier: the channel answered 500\n" });
});

test("in a project the notifier sees the webhook only when the user's env_allow names it", async () => {
  await using place = await workspace();
  await using chat = await channel(200);
  await execa("install", ["-m", "755", join(examples, "chat-notifier"), join(place.project, ".kodelet", "hooks")]);
  const stop = () =>
    place.run(["run", "agent_stop", "--trust"], { stdin: PAYLOAD, env: { PATH, CHAT_WEBHOOK_URL: chat.url } });
  expect(await stop()).toMatchObject({ code: 0 });
  expect(chat.posted).toEqual([]);
  await place.write("home/.kodelet/hooks.json", '{"settings":{"env_allow":["CHAT_WEBHOOK_URL"]}}');
  expect(await stop()).toMatchObject({ code: 0 });
  expect(chat.posted).toHaveLength(1);
});

describe("the wrapper around an agent's command", () => {
  const wrapped = (place: Workspace, ...words: readonly string[]) =>
    call([join(examples, "callers", "wrapper.sh"), ...words], {
      cwd: place.project,
      env: { ...place.env, PATH, HOOKCTL: `${process.execPath} ${mainScript}` },
    });

  test("gives the command's own exit code, and tells the hooks of its start and its end", async () => {
    await using place = await workspace();
    await place.hook("log", `cat >> ${place.dir}/seen`, { says: "session_end" });
    expect(await wrapped(place, "sh", "-c", "echo working; exit 7")).toMatchObject({ stdout: "working\n", code: 7 });
    expect(await place.read("seen")).toContain('"reason":"exit 7"');
  });

  test("does not start the command when a hook blocks; with --no-hooks no hook is asked", async () => {
    await using place = await workspace();
    await place.hook("closed", `echo '{"blocked":true,"reason":"not today"}'`, { says: "session_start" });
    expect(await wrapped(place, "echo", "working")).toMatchObject({ stdout: "", code: 2 });
    expect(await wrapped(place, "--no-hooks", "echo", "working")).toMatchObject({ stdout: "working\n", code: 0 });
  });
});
