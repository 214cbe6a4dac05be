import { describe, expect, test } from "vitest";
import type { SandboxPolicy } from "../../packages/sandbox/policy.ts";
import { sandboxExec, sandboxProfile } from "../../packages/sandbox/sandbox-exec.ts";

const CLOSED: SandboxPolicy = { network: false, subprocess: true, unixSockets: false, places: [] };
const linesOf = (policy: Partial<SandboxPolicy>) => sandboxProfile({ ...CLOSED, ...policy }).split("\n");

describe("the profile for sandbox-exec, which the tests cannot run", () => {
  test("of a hook without grants", () => {
    expect(linesOf({})).toEqual([
      "(version 1)",
      "(allow default)",
      "(deny file-write*)",
      '(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/dtracehelper"))',
      "(deny network*)",
      "(deny signal)",
      "(allow signal (target same-sandbox))",
      "(deny process-info*)",
      "(allow process-info* (target same-sandbox))",
      '(deny mach-lookup (global-name "com.apple.coreservices.launchservicesd") (global-name "com.apple.coreservices.appleevents") (global-name "com.apple.lsd.open"))',
      "(deny appleevent-send)",
      "(deny job-creation)",
    ]);
  });

  test("a deeper place comes later, because the last rule counts", () => {
    const places = [
      { path: "/p/.git", access: "read" },
      { path: "/p", access: "write" },
      { path: "/p/secret", access: "hidden" },
    ] as const;
    const lines = linesOf({ places });
    const first = lines.indexOf('(allow file-read* (subpath "/p"))');
    expect(lines.slice(first, first + 6)).toEqual([
      '(allow file-read* (subpath "/p"))',
      '(allow file-write* (subpath "/p"))',
      '(allow file-read* (subpath "/p/.git"))',
      '(deny file-write* (subpath "/p/.git"))',
      '(deny file-read-data (subpath "/p/secret"))',
      '(deny file-write* (subpath "/p/secret"))',
    ]);
    expect(first).toBeGreaterThan(lines.indexOf("(deny file-write*)"));
  });

  test("with a network leaves only the socket of the resolver open", () => {
    const lines = linesOf({ network: true });
    expect(lines).not.toContain("(deny network*)");
    expect(lines).toContain("(deny network-outbound (remote unix-socket))");
    expect(lines).toContain('(allow network-outbound (literal "/private/var/run/mDNSResponder"))');
  });

  test("without processes forbids to fork", () => {
    expect(linesOf({ subprocess: false })).toContain("(deny process-fork)");
  });

  test.each([
    ['/p/a"b', '"/p/a\\"b"'],
    ["/p/a\\b", '"/p/a\\\\b"'],
    ['/p/") (allow default) ("', '"/p/\\") (allow default) (\\""'],
    ['/p/\\"', '"/p/\\\\\\""'],
    ["/p/é\n; x", '"/p/é\n; x"'],
  ])("a path cannot end its text: %j", (path, quoted) => {
    expect(sandboxProfile({ ...CLOSED, places: [{ path, access: "write" }] })).toContain(
      `(allow file-write* (subpath ${quoted}))`,
    );
  });

  test("a program with a dash is no option of sandbox-exec", () => {
    const start = { file: "-f", args: ["/p/own.sb"], cwd: "/", env: {}, mayLeaveProcesses: false };
    const { file, args } = sandboxExec("/usr/bin/sandbox-exec").wrap(start, CLOSED);
    expect({ file, args }).toEqual({
      file: "/usr/bin/sandbox-exec",
      args: ["-p", sandboxProfile(CLOSED), "./-f", "/p/own.sb"],
    });
  });
});
