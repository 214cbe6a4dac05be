import { mkdir, open } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { outcomeProblem } from "../../src/process/outcome-problem.ts";
import { runProcess } from "../../src/process/run-process.ts";
import { toolCall } from "../support/payloads.ts";
import { request } from "../support/request.ts";
import { touch } from "../support/shell.ts";
import { workspace } from "../support/workspace.ts";

const isLinux = process.platform === "linux";

const notStarted: { title: string; text: string; mode?: number; code: string; cause: RegExp }[] = [
  {
    title: "a missing interpreter is named",
    text: "#!/no/such/interpreter\n",
    code: "HOOK_NOT_STARTED",
    cause: /its interpreter \/no\/such\/interpreter does not exist/,
  },
  {
    title: "a first line that ends with CRLF is told as the cause",
    text: "#!/bin/sh\r\necho {}\r\n",
    code: "HOOK_BAD_FORMAT",
    cause: /CRLF/,
  },
  {
    title: "a program without the right to execute it says so",
    text: "#!/bin/sh\n",
    mode: 0o644,
    code: "HOOK_NOT_STARTED",
    cause: /EACCES/,
  },
];

test.each(notStarted)("$title", async ({ text, mode, code, cause }) => {
  await using place = await workspace();
  const file = await place.write("bad", text, mode ?? 0o755);
  const outcome = await runProcess(request(file));
  expect(outcome.termination.kind).toBe("not-started");
  expect(outcomeProblem({ hook: "bad", path: file }, outcome)).toMatchObject({
    code,
    cause: expect.stringMatching(cause),
  });
});

test("a file that is gone is not started", async () => {
  await using place = await workspace();
  const outcome = await runProcess(request(join(place.dir, "gone")));
  expect(outcome.termination).toEqual({ kind: "not-started", errno: "ENOENT" });
});

test("an interpreter that is a folder is not started", async () => {
  await using place = await workspace();
  const folder = join(place.dir, "folder");
  await mkdir(folder);
  const outcome = await runProcess(request(await place.write("odd", `#!${folder}\n`, 0o755)));
  expect(outcome.termination).toEqual({ kind: "not-started", errno: "EACCES" });
});

test.runIf(isLinux)("a file that stays open for writing is not started, and the cause is told", async () => {
  await using place = await workspace();
  const file = await place.hook("busy", "printf '{}'");
  await using _writer = await open(file, "r+");
  const outcome = await runProcess(request(file));
  expect(outcome.termination).toEqual({ kind: "not-started", errno: "ETXTBSY" });
  const words = { code: "HOOK_NOT_STARTED", cause: expect.stringContaining("open for writing") };
  expect(outcomeProblem({ hook: "busy", path: file }, outcome)).toMatchObject(words);
});

test.runIf(isLinux)("a file that is only just being written is tried again", async () => {
  await using place = await workspace();
  const file = await place.hook("busy", "printf '{}'");
  const writer = await open(file, "r+");
  const outcome = runProcess(request(file));
  await writer.close();
  expect((await outcome).termination).toEqual({ kind: "exited", exitCode: 0 });
});

test("any exit code but 0 is a failure that carries the last words of stderr", async () => {
  await using place = await workspace();
  const file = await place.hook("crash", "echo 'no such key' >&2; exit 7");
  const outcome = await runProcess(request(file));
  expect(outcome.termination).toEqual({ kind: "exited", exitCode: 7 });
  expect(outcomeProblem({ hook: "crash", path: file }, outcome)).toMatchObject({
    code: "HOOK_EXITED",
    exitCode: 7,
    stderr: "no such key\n",
  });
});

test("a hook that a signal ends is a failure of its own kind", async () => {
  await using place = await workspace();
  const file = await place.hook("crash", "kill -KILL $$");
  const outcome = await runProcess(request(file));
  expect(outcome.termination).toEqual({ kind: "signalled", signal: "SIGKILL" });
});

const texts = [
  { title: "a text without #!", text: "", cause: "neither #! nor" },
  { title: "a #! without an interpreter", text: "#!\n", cause: "neither #! nor" },
];

test.each(texts)("$title is never handed to a shell", async ({ text, cause }) => {
  await using place = await workspace();
  const body = `${text}${touch(join(place.dir, "canary"))}\necho before_tool_call\n`;
  await place.write("home/.kodelet/hooks/bare", body, 0o755);
  const result = await place.run(["run", "before_tool_call"], { stdin: toolCall() });
  expect(result).toMatchObject({ code: 0, signal: null, stderr: expect.stringContaining(cause) });
  expect(JSON.parse(result.stdout)).toEqual({ blocked: false, warnings: [expect.stringContaining(cause)] });
  expect(await place.read("canary")).toBeNull();
});
