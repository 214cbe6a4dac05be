import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Host } from "../../src/engine/host.ts";
import type { Interrupt } from "../../src/process/process-request.ts";
import { type CommandOutput, lines, runInProcess } from "../support/in-process.ts";
import { lifeline } from "../support/lifeline.ts";
import { toolCall } from "../support/payloads.ts";
import { printResponse, touch } from "../support/shell.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const RUN = "run before_tool_call";
const stdin = toolCall();
const refused = (code: number, ...story: readonly string[]): CommandOutput => ({
  stdout: "",
  stderr: lines(...story),
  code,
});

async function withHook(body: string, act: (place: Workspace) => Promise<CommandOutput>): Promise<CommandOutput> {
  await using place = await workspace();
  await place.hook("guard", body);
  return await act(place);
}

describe("when stdout is lost", () => {
  const host: Partial<Host> = { out: () => "EPIPE" };
  const lost = (hint: string): CommandOutput =>
    refused(74, "✖ The result could not be written to stdout: EPIPE. (OUTPUT_LOST)", hint);
  const callIn = (call: string): Promise<CommandOutput> =>
    withHook(printResponse({}), (place) => runInProcess(place, call, { stdin, host }));

  const decisions = [`${RUN} -q`, `${RUN} --no-hooks`, `${RUN} --no-hooks --json -q`, `${RUN} --skip guard -q`];
  test.each(decisions)("%s ends with 74, and nothing may continue", async (call) => {
    expect(await callIn(call)).toEqual(lost("  Do not continue: the decision was not delivered."));
  });

  const others = [`${RUN} --dry-run -q`, "payload agent_stop", "test -q", "test -q --json"];
  test.each(others)("%s ends with 74, and decides nothing", async (call) => {
    expect(await callIn(call)).toEqual(lost("  Do not use the printed output: it is incomplete."));
  });

  const texts = [
    "list",
    "list --json",
    "log",
    "log --follow",
    "schema config",
    "rules",
    "--help",
    "help run",
    "--version",
  ];
  test.each(texts)("%s is a text: its reader may leave it, and a full disk is 74", async (call) => {
    const on = (cause: string) =>
      withHook(printResponse({}), async (place) => {
        await runInProcess(place, `${RUN} -q`, { stdin });
        return runInProcess(place, call, { host: { out: () => cause } });
      });
    expect(await on("EPIPE")).toEqual({ stdout: "", stderr: "", code: 0 });
    expect(await on("ENOSPC")).toMatchObject({ stderr: expect.stringContaining("(OUTPUT_LOST)"), code: 74 });
  });

  test("explain ends with its verdict also when its reader has left, but not on a full disk", async () => {
    const on = (cause: string) =>
      withHook("", async (place) => {
        await place.write("home/.kodelet/hooks.json", '{"guards": {"git": true}}');
        return runInProcess(place, "explain git\treset\t--hard", { host: { out: () => cause } });
      });
    expect(await on("EPIPE")).toEqual({ stdout: "", stderr: "", code: 2 });
    expect(await on("ENOSPC")).toMatchObject({ stderr: expect.stringContaining("(OUTPUT_LOST)"), code: 74 });
  });

  test("a block is a block even when nobody hears it", async () => {
    const body = printResponse({ blocked: true });
    const result = await withHook(body, (place) => runInProcess(place, `${RUN} -q`, { stdin, host }));
    expect(result).toEqual(refused(2));
  });
});

describe("a call that cannot be made", () => {
  test.each([RUN, "list", "payload agent_stop"])("on Windows %s is refused and names WSL", async (call) => {
    const result = await withHook(printResponse({}), (place) =>
      runInProcess(place, call, { stdin, host: { platform: "win32" } }),
    );
    const story = ["✖ hookctl does not run on Windows. (PLATFORM_UNSUPPORTED)", "  On Windows, run it inside WSL."];
    expect(result).toEqual(refused(64, ...story));
  });

  const recursion = (depth: string): CommandOutput =>
    refused(
      75,
      `✖ hookctl was called by its own hooks, ${depth} levels deep. (RECURSION)`,
      "  A hook must not call hookctl run.",
    );
  const goOn = { stdout: lines('{"blocked":false}'), stderr: "", code: 0 };
  const depths: readonly (readonly [depth: string, told: CommandOutput])[] = [
    ["2", goOn],
    ["3", recursion("3")],
    ["17", recursion("17")],
    ["-1", goOn],
    ["3x", goOn],
  ];
  test.each(depths)("%s deep inside hooks", async (depth, result) => {
    const env = { HOOKCTL_DEPTH: depth };
    expect(await withHook(printResponse({}), (place) => runInProcess(place, `${RUN} -q`, { stdin, env }))).toEqual(
      result,
    );
  });
});

describe("a fault of our own is told without a stack trace, and never lets the caller go on", () => {
  const faults: readonly (readonly [call: string, host: Partial<Host>, detail: string])[] = [
    [RUN, { readStdin: () => Promise.reject(new RangeError("odd")) }, "RangeError: odd"],
    [RUN, { readStdin: () => Promise.reject("a text") }, "a text"],
    [
      "payload PreToolUse",
      {
        nowMs: () => {
          throw new TypeError("no clock");
        },
      },
      "TypeError: no clock",
    ],
  ];
  test.each(faults)("%s", async (call, host, detail) => {
    const story = [
      `✖ Internal error in hookctl: ${detail} (INTERNAL_FAULT)`,
      "  Please report it with the command and this line.",
    ];
    expect(await withHook(printResponse({}), (place) => runInProcess(place, call, { stdin, host }))).toEqual(
      refused(70, ...story),
    );
  });
});

/** An interrupt that the test raises. */
function bell(): Interrupt & { readonly ring: (signal: string) => void } {
  const listeners = new Set<(signal: string) => void>();
  let raised: string | null = null;
  return {
    raised: () => raised,
    listen: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    ring: (signal) => {
      raised = signal;
      for (const listener of listeners) listener(signal);
    },
  };
}

describe("a signal ends every group, writes the record and exits 128 and its number", () => {
  test("while hooks are asked", async () => {
    await using place = await workspace();
    await using life = await lifeline(place.dir);
    await place.hook("1-slow", `${life.hold}; sleep 30 & sleep 30`);
    await place.hook("2-never", printResponse({}));
    const interrupt = bell();
    const result = runInProcess(place, RUN, { stdin, host: { interrupt } });
    await life.held;
    interrupt.ring("SIGTERM");
    expect(await result).toEqual(refused(143));
    expect(await life.released).toBe("held\n");
    const record = JSON.parse((await place.read("home/.local/state/hookctl/audit.jsonl")) ?? "{}");
    const failure = "HOOK_INTERRUPTED";
    expect(record.hooks).toMatchObject([
      { name: "1-slow", failure },
      { name: "2-never", failure },
    ]);
  });

  test("while a list asks hooks for their event", async () => {
    await using place = await workspace();
    await using life = await lifeline(place.dir);
    await place.hook("slow", `#!/bin/sh\n${life.hold}; sleep 30`);
    const interrupt = bell();
    const result = runInProcess(place, "list", { host: { interrupt } });
    await life.held;
    interrupt.ring("SIGINT");
    expect(await result).toEqual(refused(130));
    expect(await life.released).toBe("held\n");
  });
});

test("a hook whose turn comes after the deadline is not asked", async () => {
  await using place = await workspace();
  const first = join(place.dir, "first");
  await place.hook("1-first", `${touch(first)}; ${printResponse({})}`);
  await place.hook("2-late", printResponse({ blocked: true }));
  const elapsedMs = () => (existsSync(first) ? 20_000 : 0);
  const result = await runInProcess(place, `${RUN} --deadline 10s -q`, { stdin, host: { elapsedMs } });
  const stdout = lines('{"blocked":false,"warnings":["2-late was not started: the deadline had passed"]}');
  expect(result).toEqual({ stdout, stderr: "", code: 0 });
});

describe("without hooks", () => {
  const calls: readonly (readonly [call: string, env: Record<string, string>, stdout: string])[] = [
    [RUN, {}, '{"blocked":false}'],
    ["run agent_stop --no-hooks", {}, "{}"],
    [`${RUN} --as agenthook --no-hooks`, {}, '"Continue"'],
    [`${RUN} --as basecoat`, {}, '{"action":"passThrough"}'],
  ];
  test.each(calls)("%s says no action and leaves no trace", async (call, env, stdout) => {
    await using place = await workspace();
    expect(await runInProcess(place, call, { stdin, env })).toEqual({ stdout: lines(stdout), stderr: "", code: 0 });
    expect(await place.read("home/.local/state/hookctl/audit.jsonl")).toBeNull();
  });

  test("a run that the environment switches off says so", async () => {
    await using place = await workspace();
    const said = "no hooks were run: HOOKCTL_NO_HOOKS is set";
    expect(await runInProcess(place, RUN, { stdin, env: { HOOKCTL_NO_HOOKS: "Yes" } })).toEqual({
      stdout: lines(JSON.stringify({ blocked: false, warnings: [said] })),
      stderr: lines(`▲ ${said}`),
      code: 0,
    });
  });

  test("--json prints the record of a run in which nothing was asked", async () => {
    const result = await withHook(printResponse({ blocked: true }), (place) =>
      runInProcess(place, `${RUN} --json --no-hooks`, { stdin }),
    );
    expect(result).toMatchObject({ stderr: "", code: 0 });
    expect(JSON.parse(result.stdout)).toMatchObject({ decision: "continue", result: { blocked: false }, hooks: [] });
  });

  test.each(["0", "no", ""])("HOOKCTL_NO_HOOKS=%j does not switch them off", async (value) => {
    const env = { HOOKCTL_NO_HOOKS: value };
    const result = await withHook(printResponse({ blocked: true }), (place) =>
      runInProcess(place, `${RUN} -q`, { stdin, env }),
    );
    expect(result.code).toBe(2);
  });
});

describe("help goes to stdout", () => {
  const calls = [
    ["--version", /^\d+\.\d+\.\d+\n$/],
    ["--help", /^Usage: hookctl [\s\S]*Examples:\n {2}hookctl init\n/],
    ["run --help", /^Usage: hookctl run [\s\S]*--stdin-timeout/],
    ["help list", /^Usage: hookctl list [\s\S]*--source/],
  ] as const;
  test.each(calls)("%s", async (call, shape) => {
    await using place = await workspace();
    expect(await runInProcess(place, call)).toEqual({ stdout: expect.stringMatching(shape), stderr: "", code: 0 });
  });
});

describe("colours", () => {
  const GREEN = "\u001b[32m✔ needs no approval\u001b[39m";
  const rows: readonly (readonly [
    title: string,
    env: Record<string, string>,
    isTerminal: boolean,
    isGreen: boolean,
  ])[] = [
    ["a terminal gets them", {}, true, true],
    ["a pipe does not", {}, false, false],
    ["NO_COLOR forbids them", { NO_COLOR: "1" }, true, false],
    ["an empty NO_COLOR says nothing", { NO_COLOR: "" }, true, true],
    ["a dumb terminal has none", { TERM: "dumb" }, true, false],
    ["FORCE_COLOR=0 is no wish", { FORCE_COLOR: "0" }, false, false],
  ];
  test.each(rows)("%s", async (_title, env, isTerminal, isGreen) => {
    const host = { isStdoutTerminal: () => isTerminal };
    const result = await withHook(printResponse({}), (place) => runInProcess(place, "list", { env, host }));
    expect(result).toMatchObject({ stderr: "", code: 0 });
    expect(result.stdout.includes(GREEN)).toBe(isGreen);
  });

  const RED = "\u001b[31m✖ Blocked by guard\u001b[39m";
  const blocks = printResponse({ blocked: true, reason: "no" });
  test.each(rows)("of a run's story on stderr: %s", async (_title, env, isTerminal, isRed) => {
    const host = { isStderrTerminal: () => isTerminal };
    const result = await withHook(blocks, (place) =>
      runInProcess(place, "run before_tool_call", { env, host, stdin: '{"tool_name":"bash","tool_input":{}}' }),
    );
    expect(result).toMatchObject({ stdout: lines('{"blocked":true,"reason":"no"}'), code: 2 });
    expect(result.stderr.includes(RED)).toBe(isRed);
  });

  test("--color always dresses the story of try, and never its answer", async () => {
    const result = await withHook(blocks, (place) => runInProcess(place, "try guard --color always"));
    expect(result).toMatchObject({ stdout: lines('{"blocked":true,"reason":"no"}'), code: 2 });
    expect(result.stderr).toContain("\u001b[1mguard\u001b[22m");
  });
});
