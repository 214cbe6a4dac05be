import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { describe, expect, test } from "vitest";
import { buildNotifier, cCompiler, hasGo, SYSTEM_PATH } from "../support/compilers.ts";
import { runMain } from "../support/in-process.ts";
import { type WebhookServer, webhookServer } from "../support/webhook-server.ts";
import { mainScript, OTHER_BIN, runProgram, type Workspace, workspace } from "../support/workspace.ts";

const examples = fileURLToPath(new URL("../../hooks-examples", import.meta.url));
const PAYLOAD = JSON.stringify({ conv_id: "s-1", cwd: "/work", messages: [] });
const SECRET = "T0KEN-in-the-path";
const PATH = SYSTEM_PATH;

const secretOf = ({ url }: WebhookServer): string => `${url}/${SECRET}`;

/** The compiled example; C stands in for it where there is no Go. */
const COMPILED = hasGo ? "go" : cCompiler === null ? "a compiled language (needs go or a C compiler)" : "c";

/** The example as a file that can be started. */
async function program(place: Workspace, language: string): Promise<string> {
  if (language === "node") return join(examples, "chat-notifier");
  const file = join(place.dir, "chat-notifier");
  if (language === "c") {
    const identity = JSON.stringify({ event: "agent_stop", observe: true, timeout: "5s" });
    await buildNotifier(file, ['WEBHOOK="CHAT_WEBHOOK_URL"', `EVENT=${JSON.stringify(identity)}`]);
    return file;
  }
  const env = { PATH, HOME: place.home, GOCACHE: join(place.dir, "cache"), GO111MODULE: "off" };
  await execa("go", ["build", "-o", file, join(examples, "chat-notifier-go", "main.go")], { env, extendEnv: false });
  return file;
}

describe.each(["node", COMPILED])("the chat notifier in %s", (language) => {
  test.skipIf(language.includes("needs"))("declares its event and posts one message", async () => {
    await using place = await workspace();
    await using chat = await webhookServer(200);
    const file = await program(place, language);
    expect(JSON.parse((await runProgram([file, "hook"], { env: { PATH } })).stdout)).toMatchObject({
      event: "agent_stop",
    });
    const env = { PATH, CHAT_WEBHOOK_URL: secretOf(chat) };
    expect(await runProgram([file, "run"], { env, stdin: PAYLOAD })).toMatchObject({ stdout: "", stderr: "", code: 0 });
    expect(chat.posted.map((text) => JSON.parse(text).text)).toEqual([
      "The agent has finished in /work (session s-1).",
    ]);

    const dry = await runProgram([file, "run"], { env: { ...env, HOOKCTL_DRY_RUN: "1" }, stdin: PAYLOAD });
    expect(dry).toMatchObject({ stdout: "", code: 0, stderr: expect.stringContaining("dry run") });
    expect(chat.posted).toHaveLength(1);

    const dead = { PATH, CHAT_WEBHOOK_URL: `http://127.0.0.1:1/${SECRET}` };
    const lost = await runProgram([file, "run"], { env: dead, stdin: PAYLOAD });
    expect(lost).toMatchObject({ stdout: "", code: 0, stderr: expect.stringContaining("could not be reached") });
    expect(lost.stderr).not.toContain(SECRET);
  });
});

test("a channel that refuses the message is told on stderr, without its address", async () => {
  await using chat = await webhookServer(500);
  const env = { PATH, CHAT_WEBHOOK_URL: secretOf(chat) };
  const result = await runProgram([join(examples, "chat-notifier"), "run"], { env, stdin: PAYLOAD });
  expect(result).toMatchObject({ stdout: "", code: 0, stderr: "chat-notifier: the channel answered 500\n" });
});

test("in a project the notifier sees the webhook only when the user's env_allow names it", async () => {
  await using place = await workspace();
  await using chat = await webhookServer(200);
  await execa("install", ["-m", "755", join(examples, "chat-notifier"), join(place.project, ".kodelet", "hooks")]);
  const stop = () =>
    runMain(place, ["run", "agent_stop", "--trust"], {
      stdin: PAYLOAD,
      env: { PATH, CHAT_WEBHOOK_URL: secretOf(chat) },
    });
  expect(await stop()).toMatchObject({ code: 0 });
  expect(chat.posted).toEqual([]);
  await place.write("home/.kodelet/hooks.json", '{"settings":{"env_allow":["CHAT_WEBHOOK_URL"]}}');
  expect(await stop()).toMatchObject({ code: 0 });
  expect(chat.posted).toHaveLength(1);
});

describe("the wrapper around an agent's command", () => {
  const wrapped = (place: Workspace, ...words: readonly string[]) =>
    runProgram([join(examples, "callers", "wrapper.sh"), ...words], {
      cwd: place.project,
      env: { ...place.env, PATH, HOOKCTL: OTHER_BIN ?? mainScript },
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
