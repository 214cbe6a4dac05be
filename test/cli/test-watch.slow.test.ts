import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { approvalStates } from "../support/approvals.ts";
import { runInProcess } from "../support/in-process.ts";
import { hasScript, hookctl } from "../support/on-terminal.ts";
import { toolCall } from "../support/payloads.ts";
import { hookScript, touch } from "../support/shell.ts";
import { HANG_TIMEOUT_MS, HOOKCTL_PROGRAM, HOOKCTL_WORDS, type Workspace, workspace } from "../support/workspace.ts";

const EATS = "cat > /dev/null";
const eventually = { timeout: HANG_TIMEOUT_MS };

interface Watching {
  readonly child: ChildProcessWithoutNullStreams;
  readonly shown: () => string;
  /** Waits until so often nothing is left to do. */
  readonly idle: (count: number) => Promise<void>;
  readonly end: (signal?: NodeJS.Signals) => Promise<number | null>;
}

function watching(child: ChildProcessWithoutNullStreams): Watching {
  let shown = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (shown += text));
  const ended = new Promise<number | null>((settle) => child.on("close", settle));
  const times = (text: string): number => shown.split(text).length - 1;
  return {
    child,
    shown: () => shown,
    idle: (count) => expect.poll(() => times("• Watching "), eventually).toBeGreaterThanOrEqual(count),
    end: (signal) => {
      if (signal !== undefined) child.kill(signal);
      return ended;
    },
  };
}

const watch = (place: Workspace, tmp: string, args: readonly string[] = []): Watching =>
  watching(
    spawn(HOOKCTL_PROGRAM, [...HOOKCTL_WORDS, "test", "--watch", ...args], {
      cwd: place.project,
      env: { ...place.env, TMPDIR: tmp },
    }),
  );

async function tmpOf(place: Workspace): Promise<string> {
  const tmp = join(place.dir, "tmp");
  await mkdir(tmp);
  return tmp;
}

/** As editors save: a new file takes the place of the old one, so a part of it is never there, however busy the machine is. */
async function save(place: Workspace, path: string, text: string): Promise<void> {
  await mkdir(dirname(join(place.dir, path)), { recursive: true });
  await rename(await place.write("saved", text, 0o755), join(place.dir, path));
}

const saveHook = (place: Workspace, name: string, body: string, scope: "home" | "project" = "home"): Promise<void> =>
  save(place, `${scope}/.kodelet/hooks/${name}`, hookScript(body, "before_tool_call"));

describe("--watch", () => {
  test("tests what a saved file affects, and nothing else", async () => {
    await using place = await workspace();
    const tmp = await tmpOf(place);
    const file = await place.hook("a", EATS);
    await place.hook("b", EATS);
    const run = watch(place, tmp);
    await run.idle(1);
    // Beside the hook, as many editors write it.
    await place.write("home/.kodelet/hooks/.a.swp", hookScript(`${EATS}; exit 1`, "before_tool_call"), 0o755);
    await rename(join(place.dir, "home/.kodelet/hooks/.a.swp"), file);
    await run.idle(2);
    const one = { name: "x", event: "before_tool_call", payload: {}, expect: { decision: "continue" } };
    await save(place, "home/.kodelet/tests/b.json", JSON.stringify({ hook: "b", cases: [one] }));
    await run.idle(3);
    await saveHook(place, "c", EATS);
    await run.idle(4);
    await rm(file);
    await saveHook(place, "d", EATS);
    await expect.poll(run.shown, eventually).toMatch(/✔ d /);
    expect(await run.end("SIGINT")).toBe(130);
    const [first = "", second = "", third = "", fourth = ""] = run.shown().split("• Watching ");
    expect(first).toMatch(/✔ a .*\n ✔ b /);
    expect(second).toContain("• Testing a again\n");
    expect(second).toMatch(/✖ a /);
    expect(second).not.toMatch(/[✔✖] b /);
    expect(third).toMatch(/✔ b .* 1 case/);
    expect(third).not.toMatch(/[✔✖] a /);
    expect(fourth).toMatch(/✔ c /);
    expect(await readdir(tmp)).toEqual([]);
  });

  test("a project's hook that was saved is not started without a person's yes, whatever the command line trusts", async () => {
    await using place = await workspace();
    const tmp = await tmpOf(place);
    await place.hook("mine", EATS);
    await place.hook("theirs", EATS, { scope: "project" });
    for (const [index, args] of [[], ["./.kodelet/hooks"], ["--trust"]].entries()) {
      const started = join(place.dir, `started-${index}`);
      const run = watch(place, tmp, args);
      await run.idle(1);
      await saveHook(place, "theirs", `${touch(started)}; ${EATS}`, "project");
      await expect
        .poll(run.shown, eventually)
        .toContain("▲ theirs was saved but is not approved, so it is not started. hookctl trust theirs\n");
      await run.idle(2);
      expect(await run.end("SIGTERM")).toBe(143);
      expect(await place.read(started)).toBe(null);
      await place.hook("theirs", EATS, { scope: "project" });
    }
    expect(await readdir(tmp)).toEqual([]);
  });

  test.each([
    {
      saved: "guard",
      file: ".kodelet/hooks/guard",
      text: hookScript(`: 1; ${EATS}`, "before_tool_call"),
      effect: "it blocks every call of its events",
      code: 2,
    },
    {
      saved: ".kodelet/hooks.json",
      file: ".kodelet/hooks.json",
      text: '{"hooks":{"PreToolUse":[{"match":{"tool_name":"write"},"block":"no"}]}}',
      effect: "what you saved has no effect",
      code: 0,
    },
    {
      saved: "fresh",
      file: ".kodelet/hooks/fresh",
      text: hookScript(EATS, "before_tool_call"),
      effect: "it does not run",
      code: 0,
    },
  ])(
    "after Ctrl-C it says that $saved is not approved, and that $effect",
    async ({ saved, file, text, effect, code }) => {
      await using place = await workspace();
      const tmp = await tmpOf(place);
      await place.hook("guard", EATS, { scope: "project" });
      await place.hook("never", EATS, { scope: "project" });
      const settings = '{"hooks":{"PreToolUse":[{"match":{"tool_name":"read"},"block":"no"}]}}';
      await place.write("project/.kodelet/hooks.json", settings);
      expect(await runInProcess(place, "trust guard .kodelet/hooks.json --yes")).toMatchObject({ code: 0 });
      const call = () => place.run(["run", "before_tool_call", "-q"], { stdin: toolCall() });
      expect(await call()).toMatchObject({ code: 0 });
      const run = watch(place, tmp);
      await run.idle(1);
      await save(place, `project/${file}`, text);
      await run.idle(2);
      expect(await run.end("SIGINT")).toBe(130);
      const last = run.shown().split("• Watching ").at(-1)?.split("\n").slice(1);
      expect(last).toEqual([
        `▲ ${saved} was saved but is not approved: ${effect}. Approve: hookctl trust ${saved}`,
        "",
      ]);
      expect(await call()).toMatchObject({ code });
      expect(await runInProcess(place, `trust ${saved} --yes`)).toMatchObject({ code: 0 });
      expect(await call()).toMatchObject({ code: 0 });
    },
  );

  test("a wrong command line ends it at once", async () => {
    await using place = await workspace();
    await place.hook("guard", EATS);
    const run = watch(place, await tmpOf(place), ["gard"]);
    expect(await run.end()).toBe(64);
    expect(run.shown()).toContain("USAGE_UNKNOWN_HOOK");
  });
});

describe.skipIf(!hasScript)("--watch on a terminal", () => {
  test("a saved hook is asked about once; Enter tests all, q ends it, and then a yes approves what was tested", async () => {
    await using place = await workspace();
    const tmp = await tmpOf(place);
    await place.hook("mine", EATS);
    await place.hook("guard", EATS, { scope: "project" });
    const env = { ...place.env, TMPDIR: tmp, TERM: "dumb" };
    const run = watching(
      spawn("script", ["-qec", `${hookctl} test --watch`, "/dev/null"], { cwd: place.project, env }),
    );
    await run.idle(1);
    expect(run.shown()).toContain("• Watching 2 hooks: Enter tests all, q Enter quits");
    expect(run.shown()).not.toMatch(/✔ guard/);
    await saveHook(place, "guard", `: 1; ${EATS}`, "project");
    await expect.poll(run.shown, eventually).toContain("Run it for its tests whenever it is saved? [y]es [n]o: ");
    run.child.stdin.write("y\n");
    await run.idle(2);
    expect(run.shown()).toMatch(/✔ guard/);
    await saveHook(place, "guard", `: 2; ${EATS}; exit 1`, "project");
    await run.idle(3);
    expect(run.shown()).toMatch(/✖ guard/);
    expect(run.shown().split("whenever it is saved?")).toHaveLength(2);
    run.child.stdin.write("\n");
    await run.idle(4);
    expect(run.shown().split("✔ mine")).toHaveLength(3);
    expect(await approvalStates(place)).toEqual({});
    run.child.stdin.write("q\n");
    // Only now is it approved, after its text was shown.
    await expect.poll(run.shown, eventually).toMatch(/: 2; [\s\S]*Approve it\? \[y\]es \[n\]o \(not now\) \[v\]iew: $/);
    run.child.stdin.write("y\n");
    expect(await run.end()).toBe(1);
    expect(await readdir(tmp)).toEqual([]);
    expect(run.shown()).toMatch(/✔ Approved guard/);
    expect(run.shown()).not.toContain("▲ guard was saved");
    expect(await approvalStates(place)).toEqual({ guard: "approved" });
  });
});
