import { existsSync, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { backendSearch, findBackend } from "../../packages/sandbox/find-backend.ts";
import type { Backend, SandboxPolicy } from "../../packages/sandbox/policy.ts";
import { runProcess } from "../../src/process/run-process.ts";
import { skippableTime } from "../support/clock.ts";
import { request, UNDISTURBED } from "../support/request.ts";
import { HANG_TIMEOUT_MS, workspace } from "../support/workspace.ts";

const CLOSED: SandboxPolicy = { network: false, subprocess: true, unixSockets: false, places: [] };

let backend: Backend;
beforeAll(async () => {
  const found = await findBackend(backendSearch(null, UNDISTURBED));
  if (!found.ok) throw new Error(found.error);
  backend = found.value;
});

const shell = (script: string, more: Parameters<typeof request>[1] = {}, policy: Partial<SandboxPolicy> = {}) =>
  runProcess(
    request("/bin/sh", {
      args: ["-c", script],
      cwd: "/",
      ...more,
      sandbox: (start) => backend.wrap(start, { ...CLOSED, ...policy }),
    }),
  );
const TIMED_OUT = { kind: "timed-out", afterMs: 60_000 };

/** The timeout passes once the script has written the file. */
async function timedOutOnce(file: string, script: string, writable: string) {
  using time = skippableTime();
  const outcome = shell(script, { timeoutMs: TIMED_OUT.afterMs }, { places: [{ path: writable, access: "write" }] });
  await vi.waitUntil(() => existsSync(file) && statSync(file).size > 0, { timeout: HANG_TIMEOUT_MS });
  time.skip();
  return await outcome;
}

const text = ({ stdout }: { stdout: Uint8Array }) => Buffer.from(stdout).toString("utf8");

describe("the exit of a program in the sandbox is its own", () => {
  test.each([0, 1, 2, 3, 77, 127, 128, 255])("exit code %i", async (exitCode) => {
    expect((await shell(`exit ${exitCode}`)).termination).toEqual({ kind: "exited", exitCode });
  });

  test.each(["SIGKILL", "SIGTERM", "SIGSEGV", "SIGABRT"])("signal %s", async (signal) => {
    const { termination } = await shell(`kill -${signal.slice(3)} $$`);
    expect(termination).toEqual({ kind: "signalled", signal });
  });

  test.each([
    { title: "a missing program", file: "/nonexistent/program", errno: "ENOENT" },
    { title: "a file without execute permission", file: "/etc/passwd", errno: "EACCES" },
  ])("$title is an errno, as without a sandbox", async ({ file, errno }) => {
    const sandboxed = request(file, { cwd: "/", sandbox: (start) => backend.wrap(start, CLOSED) });
    expect((await runProcess(sandboxed)).termination).toEqual({ kind: "not-started", errno });
    expect((await runProcess(request(file, { cwd: "/" }))).termination).toEqual({ kind: "not-started", errno });
  });

  test("a program that says it is bubblewrap deceives nobody", async () => {
    const { termination } = await shell("echo 'bwrap: execvp x: Permission denied' >&2; exit 1");
    expect(termination).toEqual({ kind: "exited", exitCode: 1 });
  });
});

test("stdin, stdout, stderr, folder and environment are as without a sandbox, and no other descriptor is open", async () => {
  const script =
    "cat; pwd; echo $0 $1; echo err >&2; env | grep -v -e ^_= -e ^PWD= | sort; ls /proc/self/fd | tr '\\n' ' '";
  const more = { args: ["-c", script, "zero", "a b'"], cwd: "/usr", input: "in\n", env: { B: "2\n=x", PATH: "/bin" } };
  const sandboxed = await shell("", more);
  const bare = await runProcess(request("/bin/sh", more));
  // Only the temporary folder is another one.
  expect(text(sandboxed).replaceAll(/^(?:TMPDIR|TMP|TEMP|TMPPREFIX)=.*\n/gm, "")).toBe(text(bare));
  expect(text(bare)).toMatch(/^in\n\/usr\nzero a b'\n=x\nB=2\nPATH=\/bin\n0 1 2 /);
  expect(sandboxed.stderr).toBe("err\n");
});

describe("processes", () => {
  test("a timeout lets the program clean up and waits for it", async () => {
    await using place = await workspace();
    const out = join(place.dir, "out");
    mkdirSync(out);
    const script = `trap 'echo cleaned >&2; exit 0' TERM; sleep 60 & echo > ${out}/ready; wait`;
    const ended = timedOutOnce(join(out, "ready"), script, out);
    const { termination, stderr, killedDescendants } = await ended;
    expect({ termination, stderr }).toEqual({ termination: TIMED_OUT, stderr: "cleaned\n" });
    expect(killedDescendants).toBe(1);
  });

  test("a timeout kills a program that ignores the signal, and one that left its group", async () => {
    await using place = await workspace();
    const out = join(place.dir, "out");
    mkdirSync(out);
    const script = `trap '' TERM; setsid sh -c 'trap "" TERM; while :; do date +%N > ${out}/beat; sleep 0.05; done' & wait`;
    const { termination } = await timedOutOnce(join(out, "beat"), script, out);
    expect(termination).toEqual(TIMED_OUT);
    const before = await place.read("out/beat");
    expect(before).not.toBeNull();
    await new Promise((resume) => setTimeout(resume, 300));
    expect(await place.read("out/beat")).toBe(before);
  });

  test("nothing outlives the program, also not in a session of its own without the token", async () => {
    await using place = await workspace();
    const out = join(place.dir, "out");
    mkdirSync(out);
    const loop = `while :; do date +%N > ${out}/beat; sleep 0.05; done`;
    const script = `env -i setsid sh -c '${loop}' </dev/null >/dev/null 2>&1 & while [ ! -s ${out}/beat ]; do sleep 0.02; done`;
    const { termination } = await shell(script, {}, { places: [{ path: out, access: "write" }] });
    expect(termination).toEqual({ kind: "exited", exitCode: 0 });
    const before = await place.read("out/beat");
    await new Promise((resume) => setTimeout(resume, 300));
    expect(await place.read("out/beat")).toBe(before);
  });

  test("what may stay running stays", async () => {
    await using place = await workspace();
    const out = join(place.dir, "out");
    mkdirSync(out);
    const loop = `while [ -d ${out} ] && [ ! -e ${out}/stop ]; do date +%N > ${out}/beat; sleep 0.05; done; rm ${out}/beat`;
    const script = `(${loop}) </dev/null >/dev/null 2>&1 & while [ ! -s ${out}/beat ]; do sleep 0.02; done`;
    const { termination } = await shell(
      script,
      { mayLeaveProcesses: true },
      { places: [{ path: out, access: "write" }] },
    );
    expect(termination).toEqual({ kind: "exited", exitCode: 0 });
    const before = await place.read("out/beat");
    await vi.waitUntil(async () => (await place.read("out/beat")) !== before, { timeout: HANG_TIMEOUT_MS });
    await place.write("out/stop", "");
    // Otherwise it could write into the folder while that is removed.
    await vi.waitUntil(async () => (await place.read("out/beat")) === null, { timeout: HANG_TIMEOUT_MS });
  });

  test("too much output ends it", async () => {
    const { termination } = await shell("yes", { stdoutLimitBytes: 1000 });
    expect(termination).toEqual({ kind: "too-much-output", limitBytes: 1000 });
  });
});
