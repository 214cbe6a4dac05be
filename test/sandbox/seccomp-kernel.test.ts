import { spawnSync } from "node:child_process";
import { closeSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { seccompFilter } from "../../packages/sandbox/seccomp.ts";
import { SYSTEM_PATH } from "../support/compilers.ts";
import { type Workspace, workspace } from "../support/workspace.ts";
import { missingHere, PYTHON, unlessMissing } from "./bubblewrap.ts";

const script = readFileSync(fileURLToPath(new URL("../fixtures/sandbox/syscalls.py", import.meta.url)), "utf8");

type Call = readonly [name: string, numbers: { readonly x64: number; readonly arm64: number }, args: readonly number[]];
const BAD = [-1, -1, -1, -1, -1, -1];

/** The control has all capabilities of a user namespace, so that only arguments are wrong there. */
const CALLS: readonly (readonly [...Call, control: string, filtered: string])[] = [
  ["ptrace", { x64: 101, arm64: 117 }, BAD, "ESRCH", "EPERM"],
  ["process_vm_readv", { x64: 310, arm64: 270 }, BAD, "EINVAL", "EPERM"],
  ["pidfd_getfd", { x64: 438, arm64: 438 }, BAD, "EINVAL", "EPERM"],
  ["mount", { x64: 165, arm64: 40 }, BAD, "EFAULT", "EPERM"],
  ["umount2", { x64: 166, arm64: 39 }, BAD, "EINVAL", "EPERM"],
  ["pivot_root", { x64: 155, arm64: 41 }, BAD, "EFAULT", "EPERM"],
  ["chroot", { x64: 161, arm64: 51 }, BAD, "EFAULT", "EPERM"],
  ["unshare", { x64: 272, arm64: 97 }, BAD, "EINVAL", "EPERM"],
  ["setns", { x64: 308, arm64: 268 }, BAD, "EBADF", "EPERM"],
  ["request_key", { x64: 249, arm64: 218 }, BAD, "EFAULT", "EPERM"],
  ["sethostname", { x64: 170, arm64: 161 }, BAD, "EINVAL", "EPERM"],
  ["open_by_handle_at", { x64: 304, arm64: 265 }, BAD, "EFAULT", "EPERM"],
  ["io_uring_enter", { x64: 426, arm64: 426 }, BAD, "EINVAL", "ENOSYS"],
  ["open_tree", { x64: 428, arm64: 428 }, BAD, "EINVAL", "ENOSYS"],
  ["clone3", { x64: 435, arm64: 435 }, BAD, "E2BIG", "ENOSYS"],
  ["socket(AF_UNIX)", { x64: 41, arm64: 198 }, [1, 1, 0], "done", "EPERM"],
  ["socket(AF_INET)", { x64: 41, arm64: 198 }, [2, 1, 0], "done", "done"],
  ["a namespace", { x64: 56, arm64: 220 }, [0x10000011, 0, 0, 0, 0], "done", "EPERM"],
  ["fork", { x64: 56, arm64: 220 }, [17, 0, 0, 0, 0], "done", "done"],
  ["TIOCSTI", { x64: 16, arm64: 29 }, [-1, 0x5412, 0], "EBADF", "EPERM"],
  ["TCGETS", { x64: 16, arm64: 29 }, [-1, 0x5401, 0], "EBADF", "EBADF"],
  ["getppid", { x64: 110, arm64: 173 }, [], "done", "done"],
];

/** The same, when the hook may not start other programs. */
const WITHOUT_SUBPROCESSES: Readonly<Record<string, string>> = { fork: "EPERM" };

const column = process.arch === "arm64" ? "arm64" : "x64";

/** What became of each call inside bubblewrap, with the filter of these grants or none. */
function outcomes(place: Workspace, filter: Uint8Array | null): Record<string, string> {
  const file = join(place.dir, "filter");
  writeFileSync(file, filter ?? "");
  const descriptor = openSync(file, "r");
  const given = filter === null ? ["--cap-add", "ALL"] : ["--cap-drop", "ALL", "--seccomp", "3"];
  const calls = CALLS.map(([name, numbers, args]) => [name, numbers[column], args]);
  const inside = ["--ro-bind", "/", "/", "--proc", "/proc", "--unshare-all", "--die-with-parent", ...given];
  const { stdout } = spawnSync("bwrap", [...inside, "--", PYTHON, "-I", "-c", script, JSON.stringify(calls)], {
    stdio: ["ignore", "pipe", "inherit", descriptor],
    env: { PATH: SYSTEM_PATH },
    encoding: "utf8",
  });
  closeSync(descriptor);
  return JSON.parse(stdout);
}

describe.skipIf(missingHere !== null)(`the filter in the kernel${unlessMissing}`, () => {
  const seen: Record<string, Record<string, string>> = {};

  beforeAll(async () => {
    await using place = await workspace();
    seen.control = outcomes(place, null);
    seen.filtered = outcomes(place, seccompFilter({ subprocess: true, unixSockets: false }, process.arch));
    seen.alone = outcomes(place, seccompFilter({ subprocess: false, unixSockets: false }, process.arch));
  });

  test.each(CALLS)("%s", (name, _numbers, _args, control, filtered) => {
    expect(seen.control?.[name]).toBe(control);
    expect(seen.filtered?.[name]).toBe(filtered);
    expect(seen.alone?.[name]).toBe(WITHOUT_SUBPROCESSES[name] ?? filtered);
  });
});
