import { expect, test } from "vitest";
import { showingWaits } from "../../packages/screen/index.ts";
import { paged } from "../../packages/scripting/paged.ts";
import { allCommands } from "../../src/command-groups.ts";
import type { Host, Terminal } from "../../src/engine/host.ts";
import { createHost } from "../../src/host.ts";
import type { Interrupt } from "../../src/process/process-request.ts";
import type { ForegroundRequest } from "../../src/process/run-in-foreground.ts";
import { runInProcess } from "../support/in-process.ts";
import { workspace } from "../support/workspace.ts";

interface Screen {
  readonly rows?: number | null;
  readonly host?: Partial<Host>;
  readonly env?: Readonly<Record<string, string>>;
  readonly pager?: Awaited<ReturnType<Terminal["run"]>>;
}

/** What a call on a terminal prints itself, and what it gives to a pager. */
async function called(call: string, { rows = 24, host, env, pager }: Screen = {}) {
  await using place = await workspace();
  await place.write("bin/less", "#!/bin/sh\n", 0o755);
  const requests: ForegroundRequest[] = [];
  const terminal: Terminal = {
    ask: async () => null,
    run: async (request) => {
      requests.push(request);
      return pager ?? { kind: "exited", exitCode: 0 };
    },
    close: () => undefined,
  };
  const { stdout, code } = await runInProcess(place, call, {
    env: { TERM: "xterm", PATH: `${place.dir}/bin:${place.env.PATH}`, ...env },
    host: {
      isStdinTerminal: () => true,
      isStdoutTerminal: () => true,
      stdoutColumns: () => 80,
      stdoutRows: () => rows,
      openTerminal: async () => terminal,
      ...host,
    },
  });
  return { stdout, code, requests };
}

const LONG = [
  ...["--help", "help all", "help run", "guards git", "config show --origin", "schema config", "log --help"],
];

test.each(LONG)("%s: what is longer than the terminal is shown in a pager", async (call) => {
  const { stdout, code, requests } = await called(call, { rows: 4 });
  expect({ stdout, code }).toEqual({ stdout: "", code: 0 });
  expect(requests).toMatchObject([{ file: expect.stringMatching(/\/bin\/less$/), environment: { LESS: "FRX" } }]);
  expect(requests[0]?.input?.split("\n").length).toBeGreaterThan(4);
});

test("a user's own pager gets the text, with its own options", async () => {
  const { requests } = await called("--help", { env: { PAGER: "less -S", LESS: "M" } });
  expect(requests).toMatchObject([{ args: ["-S"], environment: { LESS: "M" } }]);
});

const DIRECT: readonly (readonly [string, string, Screen])[] = [
  ["a short text", "--version", {}],
  ["a text that fits", "--help", { rows: 200 }],
  ["a terminal of unknown size", "--help", { rows: null }],
  ["PAGER=cat", "--help", { env: { PAGER: "cat" } }],
  ["an empty PAGER", "--help", { env: { PAGER: "" } }],
  ["a terminal that can do nothing", "--help", { env: { TERM: "dumb" } }],
  ["stdout in a pipe", "--help", { host: { isStdoutTerminal: () => false, stdoutColumns: () => null } }],
  ["stdin from a pipe", "--help", { host: { isStdinTerminal: () => false } }],
  ["JSON", "config --json", {}],
  ["an action", "doctor", { rows: 2 }],
];

test.each(DIRECT)("%s is printed as it is", async (_title, call, screen) => {
  const { stdout, requests } = await called(call, screen);
  expect(requests).toEqual([]);
  expect(stdout).not.toBe("");
});

test.each([
  ["there is no such pager", { env: { PAGER: "no-such-pager" } }],
  ["it cannot be started", { pager: { kind: "failed", cause: "EACCES" } }],
  ["there is no terminal for it", { host: { openTerminal: async () => null } }],
] as const)("if %s, the text is printed", async (_title, screen) => {
  const { stdout } = await called("--help", screen);
  expect(stdout).toContain("Usage: hookctl");
});

test("a message stays behind the answer that it follows, and what is not complete is printed as it comes", async () => {
  const shown: string[] = [];
  const host = {
    env: {},
    isStdinTerminal: () => true,
    isStdoutTerminal: () => true,
    stdoutRows: () => 24,
    err: (text: string) => void shown.push(text),
    out: (text: string) => {
      shown.push(text);
      return null;
    },
  };
  await paged({ ...createHost(process), ...host }, async ({ out, err }, hold) => {
    hold();
    err("first");
    out("answer");
    err("\rprogress");
    err("last");
    return 0;
  });
  expect(shown).toEqual(["first", "\rprogress", "answer", "last"]);
  await paged({ ...createHost(process), ...host }, async ({ out }, hold) => {
    hold();
    out("followed");
    await expect.poll(() => shown.at(-1)).toBe("followed");
    return 0;
  });
});

test("commands that only show something are paged, no others", async () => {
  const paged = Object.entries(await allCommands()).flatMap(([name, row]) => (row.isPaged === true ? [name] : []));
  expect(paged.sort()).toEqual([
    ...["backtest", "config", "explain", "guards", "list", "log", "replay", "report", "rules", "schema", "stats"],
    ...["trust", "why"],
  ]);
});

/** A host whose clock the test moves, and all that it wrote to stderr. */
function waitingHost() {
  const state = { nowMs: 0, written: "" };
  const interrupt: Interrupt = { raised: () => null, listen: () => () => undefined };
  const host = showingWaits(
    {
      env: {},
      isStderrTerminal: () => true,
      err: (text: string) => {
        state.written += text;
      },
      out: () => null,
      elapsedMs: () => state.nowMs,
      beganMs: 0,
      interrupt,
    },
    false,
  );
  return { state, host };
}

const ERASE = "\r\u001b[K";
const PROGRAM = { file: "/home/a/.kodelet/hooks/lint.py", args: ["hook"] };

test("a wait of half a second for programs is shown with their names, and removed with the last of them", async () => {
  const { state, host } = waitingHost();
  const stop = host.interrupt.listen(() => undefined, PROGRAM);
  const stopOther = host.interrupt.listen(() => undefined, { file: "/bin/sh", args: ["-c", "make\u001b[31m check"] });
  host.interrupt.listen(() => undefined);
  state.nowMs = 400;
  await shownOnce(() => state.written === "");
  state.nowMs = 3_400;
  await shownOnce(() => state.written !== "");
  expect(state.written).toBe(`${ERASE}waiting for lint.py, make\\u001b[31m check (3 s)`);
  stop();
  stopOther();
  expect(state.written.endsWith(`(3 s)${ERASE}`)).toBe(true);
});

test.each([
  ["/bin/sh", ["-c", 'echo "{}" | "$0" "$1"', "/usr/bin/node", "warm.mjs"], "node"],
  ["/usr/bin/git", ["-c", "core.hooksPath=/dev/null", "clone"], "git"],
  ["/usr/bin/git", ["-c"], "git"],
  ["/home/a/my hooks/py guard!", ["hook"], "py guard!"],
  ["/bin/sh", ["-c", 'echo "{}" | "$0"', "/home/a/.kodelet/hooks/x y"], "x y"],
])("%s %j is shown as %s", async (file, args, name) => {
  const { state, host } = waitingHost();
  host.interrupt.listen(() => undefined, { file, args });
  state.nowMs = 800;
  await shownOnce(() => state.written !== "");
  expect(state.written).toBe(`${ERASE}waiting for ${name}`);
});

test("a program that hookctl starts for itself is shown by its purpose", async () => {
  const { state, host } = waitingHost();
  host.interrupt.listen(() => undefined, { ...PROGRAM, purpose: "asking Codex CLI which hooks it runs" });
  state.nowMs = 3_400;
  await shownOnce(() => state.written !== "");
  expect(state.written).toBe(`${ERASE}asking Codex CLI which hooks it runs (3 s)`);
});

test("a command's own line of progress takes its place", async () => {
  const { state, host } = waitingHost();
  host.interrupt.listen(() => undefined, PROGRAM);
  host.err("\r\u001b[Kfetching");
  state.nowMs = 5_000;
  await shownOnce(() => state.written === "\r\u001b[Kfetching");
  host.err("\r\u001b[K");
  await shownOnce(() => state.written.endsWith("waiting for lint.py (5 s)"));
});

/** Waits for two looks of the line, then until it is as wanted. */
async function shownOnce(isShown: () => boolean): Promise<void> {
  await new Promise((resume) => setTimeout(resume, 250));
  await expect.poll(isShown).toBe(true);
}

test("a slow hook is named while it declares its events", async () => {
  await using place = await workspace();
  await place.write("home/.kodelet/hooks/slow", '#!/bin/sh\n[ "$1" = hook ] && sleep 1 && echo agent_stop\n', 0o755);
  const elapsedMs = () => performance.now();
  const host = { isStderrTerminal: () => true, stderrColumns: () => 80, elapsedMs, beganMs: elapsedMs() };
  const env = { TERM: "xterm" };
  for (const call of ["list", "list -q"]) {
    const { stderr } = await runInProcess(place, `${call} --no-cache`, { env, host });
    expect(stderr.includes("waiting for slow")).toBe(call === "list");
    expect(stderr.split(ERASE).at(-1)).toBe("");
  }
});
