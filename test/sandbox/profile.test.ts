import { describe, expect, test } from "vitest";
import type { SandboxPolicy } from "../../packages/sandbox/policy.ts";
import { sandboxExec, sandboxProfile } from "../../packages/sandbox/sandbox-exec.ts";

const CLOSED: SandboxPolicy = { network: false, subprocess: true, writable: [], readOnly: [], visible: [] };
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

  test("forbids parts of a writable folder after it has allowed the folder, because the last rule counts", () => {
    const lines = linesOf({ writable: ["/p", "/q"], readOnly: ["/p/.git"] });
    const [allow, deny] = [
      '(allow file-write* (subpath "/p") (subpath "/q"))',
      '(deny file-write* (subpath "/p/.git"))',
    ];
    expect(lines.slice(lines.indexOf(allow), lines.indexOf(allow) + 2)).toEqual([allow, deny]);
    expect(lines.indexOf(allow)).toBeGreaterThan(lines.indexOf("(deny file-write*)"));
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
    expect(sandboxProfile({ ...CLOSED, writable: [path] })).toContain(`(allow file-write* (subpath ${quoted}))`);
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
