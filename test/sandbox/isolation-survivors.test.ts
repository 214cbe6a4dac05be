import { closeSync, existsSync, openSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { skippableTime } from "../support/clock.ts";
import { runMain } from "../support/in-process.ts";
import { spawnHookctl } from "../support/spawn-hookctl.ts";
import { HANG_TIMEOUT_MS, runProgram, type Workspace, workspace } from "../support/workspace.ts";
import { missingHere, unlessMissing } from "./bubblewrap.ts";
import { CALL, callHook, PAYLOAD, PROBE_FILE, probeHook, SETTINGS_FILE, setSandbox } from "./probe.ts";

/** A descendant in a session of its own, which hides its token and adds to a file as long as it lives. */
const SURVIVOR = `
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.closerange(0, 3)
        beat = os.open(host["dir"] + "/project/out/beat", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(beat, f"{os.getpid()}\\n".encode())
        for _ in range(1000):
            os.write(beat, b"alive\\n")
            time.sleep(0.01)
    os._exit(0)
while not os.path.exists(host["dir"] + "/project/out/beat"):
    time.sleep(0.01)
time.sleep(host["seconds"])
`;

const pause = (ms: number): Promise<void> => new Promise((resume) => setTimeout(resume, ms));

/** True if the file grows: somebody is still alive. */
async function isBeating(place: Workspace, patienceMs = 400): Promise<boolean> {
  const size = (): number => statSync(join(place.project, "out/beat")).size;
  const before = size();
  for (let waitedMs = 0; waitedMs < patienceMs && size() === before; waitedMs += 20) await pause(20);
  return size() !== before;
}

async function survivorHook(place: Workspace, seconds: number): Promise<string> {
  await place.write("project/out/file", "");
  return place.write(PROBE_FILE, probeHook(SURVIVOR, { dir: place.dir, seconds }), 0o755);
}

describe.skipIf(missingHere !== null)(`what a hook leaves behind${unlessMissing}`, () => {
  test("the control: without hookctl it lives on in a session of its own", async () => {
    await using place = await workspace();
    const file = await survivorHook(place, 0);
    await runProgram([file, "run"], { env: place.env });
    expect(await isBeating(place, HANG_TIMEOUT_MS)).toBe(true);
    const [pid] = readFileSync(join(place.project, "out/beat"), "utf8").split("\n");
    process.kill(Number(pid), "SIGKILL");
  });

  test("is gone with the hook", async () => {
    await using place = await workspace();
    await survivorHook(place, 0);
    await setSandbox(place, { write_paths: ["out/"] });
    await callHook(place);
    expect(existsSync(join(place.project, "out/beat"))).toBe(true);
    expect(await isBeating(place)).toBe(false);
  });

  test("is gone after a timeout", async () => {
    await using place = await workspace();
    await survivorHook(place, 3000);
    const sandbox = { write_paths: ["out/"] };
    await place.write(SETTINGS_FILE, JSON.stringify({ overrides: { probe: { sandbox, timeout: "20s" } } }));
    using time = skippableTime();
    const running = runMain(place, CALL, { stdin: PAYLOAD });
    await vi.waitUntil(() => existsSync(join(place.project, "out/beat")), { timeout: HANG_TIMEOUT_MS });
    time.skip();
    expect((await running).stdout).toContain("HOOK_TIMED_OUT");
    expect(await isBeating(place)).toBe(false);
  });
});

const DESCRIPTORS = `
for one in sorted(map(int, os.listdir("/proc/self/fd"))):
    try:
        said += f"{one}={os.readlink(f'/proc/self/fd/{one}')} "
    except OSError:
        pass
`;

describe.skipIf(missingHere !== null)(`descriptors${unlessMissing}`, () => {
  test("a hook in the sandbox has stdin, stdout and stderr, and none of its caller's or of bubblewrap's", async () => {
    await using place = await workspace();
    const secret = await place.write("secret", "canary");
    const file = await place.write(PROBE_FILE, probeHook(DESCRIPTORS), 0o755);
    await setSandbox(place, "require");
    const descriptor = openSync(secret, "r");
    const stdio = ["pipe", "pipe", "pipe", ...Array.from({ length: 20 }, () => descriptor)] as const;
    const bare = await runProgram(["/bin/sh", "-c", `exec 7<"$1"; exec "$2" run`, "sh", secret, file], {
      env: place.env,
    });
    expect(bare.stderr).toContain(`7=${secret}`);
    const caged = await spawnHookctl(place, ["run", "before_tool_call", "--json", "-q"], {
      stdio: [...stdio],
      stdin: PAYLOAD,
    });
    closeSync(descriptor);
    const [hook] = (JSON.parse(caged.stdout) as { hooks: { stderr: string }[] }).hooks;
    expect(hook?.stderr).toMatch(/^tried 0=\S+ 1=\S+ 2=\S+ $/m);
  });
});
