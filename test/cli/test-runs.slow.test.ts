import { spawn, spawnSync } from "node:child_process";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { describe, expect, test } from "vitest";
import { lifeline } from "../support/lifeline.ts";
import { hasScript, hookctl, runOnTerminal } from "../support/on-terminal.ts";
import { shellQuote, touch } from "../support/shell.ts";
import { HANG_TIMEOUT_MS, HOOKCTL_PROGRAM, HOOKCTL_WORDS, type Workspace, workspace } from "../support/workspace.ts";

const EATS = "cat > /dev/null";
/** Waits for a file of the test: nobody else makes it. */
const waitFor = (file: string): string => `until [ -e ${shellQuote(file)} ]; do sleep 0.02; done`;
const caseNamed = (name: string): object => ({
  ...{ name, event: "before_tool_call", payload: {}, expect: { decision: "continue" } },
});
const writeCases = (place: Workspace, hook: string, names: readonly string[]): Promise<string> =>
  place.write(`home/.kodelet/tests/${hook}.json`, JSON.stringify({ hook, cases: names.map(caseNamed) }));

const shownHooks = (stdout: string): readonly string[] =>
  [...stdout.matchAll(/^ [✔✖] (\S+)/gm)].map(([, name = ""]) => name);

interface Report {
  readonly hooks: readonly {
    name: string;
    checks: readonly { name: string }[];
    left_out: readonly { name: string }[];
  }[];
  readonly not_run?: object;
  readonly skipped: number;
}

describe("hooks and cases run several at a time", () => {
  test("two hooks that wait for each other", async () => {
    await using place = await workspace();
    const [one, two] = [join(place.dir, "one"), join(place.dir, "two")];
    await place.hook("one", `${EATS}; ${touch(one)}; ${waitFor(two)}`);
    await place.hook("two", `${EATS}; ${touch(two)}; ${waitFor(one)}`);
    const { stdout, stderr, code } = await place.run(["test", "--jobs", "2"]);
    expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
    expect(shownHooks(stdout)).toEqual(["one", "two"]);
    expect(stdout).toContain("32 passed, 2 hooks");
  });

  test("two cases of one hook that wait for each other", async () => {
    await using place = await workspace();
    const meet = `n=$(ls ${place.dir}/seen | wc -l); : > ${place.dir}/seen/$$`;
    await mkdir(join(place.dir, "seen"));
    // The contract's payloads come one after the other; only the cases meet.
    await place.hook(
      "guard",
      `case "$(cat)" in *meet*) ${meet}; until [ "$(ls ${place.dir}/seen | wc -l)" = 2 ]; do sleep 0.02; done ;; esac`,
    );
    const cases = ["a", "b"].map((name) => ({ ...caseNamed(name), payload: { tool_input: { command: "meet" } } }));
    await place.write("home/.kodelet/tests/guard.json", JSON.stringify({ hook: "guard", cases }));
    const { stdout, stderr, code } = await place.run(["test", "-j2", "-v"]);
    expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
    expect(stdout.indexOf("✔ a ")).toBeLessThan(stdout.indexOf("✔ b "));
    expect(stdout).toContain("18 passed, 1 hook");
  });

  test("with one job never two at once", async () => {
    await using place = await workspace();
    const lock = join(place.dir, "lock");
    for (const name of ["a", "b", "c"])
      await place.hook(name, `${EATS}; mkdir ${lock} || exit 1; sleep 0.02; rmdir ${lock}`);
    await writeCases(place, "b", ["x", "y"]);
    const { stdout, stderr, code } = await place.run(["test", "--jobs=1"]);
    expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
    expect(stdout).toContain("50 passed, 3 hooks");
  });

  test("each hook and each case has folders to itself, and they are clean", async () => {
    await using place = await workspace();
    const seen = join(place.dir, "seen");
    const isClean = `[ -z "$(ls -A . "$TMPDIR" "$HOME/.kodelet" | grep -v :)" ] && [ "$(ls -A "$HOME")" = .kodelet ]`;
    const spoil = `mkdir -p "$HOME/.cache"; : > "$HOME/.kodelet/x"; : > "$TMPDIR/y"; echo z > z; chmod 0 z`;
    for (const name of ["a", "b"]) {
      // Those of the contract follow one another in one place.
      await place.hook(
        name,
        `case "$(cat)" in *alone*) if ${isClean}; then ${spoil}; else exit 3; fi ;; esac; pwd >> ${seen}`,
      );
      const cases = ["x", "y", "z"].map((title) => ({
        ...caseNamed(title),
        payload: { tool_input: { command: "alone" } },
      }));
      await place.write(`home/.kodelet/tests/${name}.json`, JSON.stringify({ hook: name, cases }));
    }
    const { stdout, stderr, code } = await place.run(["test", "--jobs", "3"]);
    expect({ stderr, code, stdout }).toEqual({
      stderr: "",
      code: 0,
      stdout: expect.stringContaining("38 passed, 2 hooks"),
    });
  });

  test("nothing outside is touched where a hook puts a link in the place of its folder", async () => {
    await using place = await workspace();
    await place.write("home/.kodelet/precious", "mine");
    await place.write("other/precious", "mine");
    const link = `rm -rf "$HOME" "$TMPDIR"; ln -s ${shellQuote(place.home)} "$HOME"; ln -s ${shellQuote(join(place.dir, "other"))} "$TMPDIR"`;
    await place.hook("evil", `${EATS}; ${link}`);
    await writeCases(place, "evil", ["x", "y"]);
    const { code } = await place.run(["test", "-j1"]);
    expect(code).toBe(0);
    expect([await place.read("home/.kodelet/precious"), await place.read("other/precious")]).toEqual(["mine", "mine"]);
  });
});

describe("results are shown in order, as soon as their turn comes", () => {
  test("the first hook's while the second still runs", async () => {
    await using place = await workspace();
    const go = join(place.dir, "go");
    await place.hook("a-quick", EATS);
    await place.hook("b-slow", `${EATS}; ${waitFor(go)}`);
    const running = spawn(HOOKCTL_PROGRAM, [...HOOKCTL_WORDS, "test"], { cwd: place.project, env: place.env });
    let stdout = "";
    const first = new Promise<void>((settle) =>
      running.stdout.on("data", (chunk) => {
        stdout += chunk;
        if (stdout.includes("a-quick")) settle();
      }),
    );
    await first;
    expect(stdout).toContain(" a-quick");
    expect(stdout).not.toContain("b-slow");
    await place.write("go", "");
    const code = await new Promise((settle) => running.on("close", settle));
    expect(code).toBe(0);
    expect(stdout.indexOf("a-quick")).toBeLessThan(stdout.indexOf("b-slow"));
  });

  test("a slow first hook does not keep the others from running, only from being shown", async () => {
    await using place = await workspace();
    const go = join(place.dir, "go");
    await place.hook("a-slow", `${EATS}; ${waitFor(go)}`);
    await place.hook("b-quick", EATS);
    await place.hook("c-last", `${EATS}; ${touch(go)}`);
    const { stdout, stderr, code } = await place.run(["test", "-j2"]);
    expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
    expect(shownHooks(stdout)).toEqual(["a-slow", "b-quick", "c-last"]);
  });

  test.skipIf(!hasScript)("on a terminal a line tells how far it is, and is gone at the end", async () => {
    await using place = await workspace();
    await place.hook("slow", `${EATS}; sleep 0.4`);
    const line = `TERM=xterm ${hookctl} test > report.txt`;
    const { shown, code } = await runOnTerminal(place, line, []);
    const [before, ...lines] = shown.split("\r\u001b[K");
    expect({ code, before, last: lines.pop() }).toEqual({ code: 0, before: "", last: "" });
    const told = new Set(lines.map((one) => one.replace(/[\d.]+ (?:ms|s|min)\b/, "TIME")));
    expect([...told].filter((one) => one !== "Looking for hooks …")).toEqual(["0 of 1 hook tested, TIME …"]);
    const quiet = await runOnTerminal(place, `TERM=xterm ${hookctl} test -q > report.txt`, []);
    expect(quiet).toEqual({ shown: "", code: 0 });
    const dumb = await runOnTerminal(place, `${hookctl} test > report.txt`, []);
    expect(dumb).toEqual({ shown: "", code: 0 });
  });
});

describe("--bail", () => {
  test("starts nothing after the first failure, and says what was not run", async () => {
    await using place = await workspace();
    await place.hook("a-fails", `${EATS}; exit 1`);
    await writeCases(place, "a-fails", ["x", "y"]);
    await place.hook("b-never", `${EATS}; ${touch(join(place.dir, "started"))}`);
    await writeCases(place, "b-never", ["x"]);
    const text = await place.run(["test", "--bail", "-j1"]);
    expect(text).toMatchObject({ stderr: "", code: 1 });
    expect(text.stdout).toContain("• 3 checks skipped: there is no response to check (-v lists them)");
    expect(text.stdout).toContain("• 1 hook not run: stopped after the first failure (--bail)\n");
    expect(text.stdout).not.toContain("b-never");
    expect(text.stdout).toContain("• 2 checks skipped: stopped after the first failure (--bail) (-v lists them)");
    const listed = await place.run(["test", "--bail", "-j1", "-v", "--json"]);
    expect((JSON.parse(listed.stdout) as Report).hooks[0]?.left_out).toContainEqual({
      name: "x",
      reason: "stopped after the first failure (--bail)",
    });
    const json = await place.run(["test", "--bail", "-j1", "--json"]);
    expect(json).toMatchObject({ stderr: "", code: 1 });
    const report = JSON.parse(json.stdout) as Report;
    expect(report).toMatchObject({ not_run: { why: "bail", hooks: 1, checks: 17 }, skipped: 22 });
    expect(await place.read("started")).toBe(null);
  });

  test("where all pass it changes nothing", async () => {
    await using place = await workspace();
    await place.hook("a", EATS);
    await place.hook("b", EATS);
    const { stdout, stderr, code } = await place.run(["test", "--bail"]);
    expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
    expect(stdout).toContain("32 passed, 2 hooks");
    expect(stdout).not.toContain("not run");
  });
});

describe("--shard", () => {
  test("the shards together make each check and case once", async () => {
    await using place = await workspace();
    for (const name of ["a", "b", "c"]) {
      await place.hook(name, EATS);
      await writeCases(place, name, ["one", "two", "three", "four"]);
    }
    const made = async (args: readonly string[]): Promise<readonly string[]> => {
      const { stdout, stderr, code } = await place.run(["test", "--json", ...args]);
      expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
      const { hooks } = JSON.parse(stdout) as Report;
      expect(hooks.flatMap((hook) => hook.left_out)).toEqual([]);
      return hooks.flatMap(({ name, checks }) => checks.map((check) => `${name}: ${check.name}`));
    };
    const whole = await made([]);
    const parts = await Promise.all(["1/3", "2/3", "3/3"].map((shard) => made(["--shard", shard])));
    expect(parts.flat().sort()).toEqual([...whole].sort());
    expect(parts.filter((part) => part.length > 0).length).toBeGreaterThan(1);
  });

  test("one to which nothing falls is green, but an empty folder is not", async () => {
    await using place = await workspace();
    const nothing = await place.run(["test", "--shard", "1/2"]);
    expect(nothing).toMatchObject({ stdout: "", code: 64 });
    await place.hook("only", EATS);
    const all = await Promise.all(["1/2", "2/2"].map((shard) => place.run(["test", "--shard", shard])));
    expect(all.map(({ stderr, code }) => ({ stderr, code }))).toEqual(Array(2).fill({ stderr: "", code: 0 }));
    expect(all.map(({ stdout }) => stdout.includes("only")).sort()).toEqual([false, true]);
    expect(all.find(({ stdout }) => !stdout.includes("only"))?.stdout).toContain("0 passed, 0 hooks");
  });

  test.each([
    ["--shard", "3/2", "it must be a part and a number of parts, such as 2/5"],
    ["--shard", "two", "it must be a part and a number of parts, such as 2/5"],
    ["--jobs", "0", "it must be an integer from 1 to 256"],
    ["--jobs", "many", "it must be an integer from 1 to 256"],
  ])("%s %s is refused", async (option, value, detail) => {
    await using place = await workspace();
    const { stdout, stderr, code } = await place.run(["test", option, value]);
    expect({ stdout, code }).toEqual({ stdout: "", code: 64 });
    expect(stderr).toContain(`✖ Invalid value "${value}" for ${option}: ${detail} (USAGE_BAD_VALUE)\n`);
  });
});

test("an interrupt ends what runs and shows what was done before", async () => {
  await using place = await workspace();
  await using life = await lifeline(place.dir);
  await place.hook("a-quick", EATS);
  await place.hook("b-slow", `trap '' TERM INT HUP; ${life.hold}; sleep 30 & sleep 30`);
  await place.hook("c-never", EATS);
  const tmp = join(place.dir, "tmp");
  await mkdir(tmp);
  const running = execa(HOOKCTL_PROGRAM, [...HOOKCTL_WORDS, "test", "-j1"], {
    cwd: place.project,
    env: { ...place.env, TMPDIR: tmp },
    extendEnv: false,
    reject: false,
    timeout: HANG_TIMEOUT_MS,
    killSignal: "SIGKILL",
  });
  await life.held;
  running.kill("SIGINT");
  const { exitCode, stdout, stderr } = await running;
  expect({ exitCode, stderr }).toEqual({ exitCode: 130, stderr: "" });
  expect(stdout).toContain(" a-quick");
  expect(stdout).not.toContain("b-slow");
  expect(stdout).toContain("• 2 hooks not run: interrupted\n");
  expect(stdout).toContain("16 passed, 32 skipped, 1 hook");
  expect(await life.released).toBe("held\n");
  expect(await readdir(tmp)).toEqual([]);
});

describe("after a SIGKILL", () => {
  test("the hook with all it started is ended, and the scratch folder is removed", async () => {
    await using place = await workspace();
    await using life = await lifeline(place.dir);
    await place.hook("slow", `${life.hold}; setsid sleep 30 & cd /; env -i sleep 30 & env -i /bin/sh -c 'sleep 30'`);
    const tmp = join(place.dir, "tmp");
    await mkdir(tmp);
    const running = spawn(HOOKCTL_PROGRAM, [...HOOKCTL_WORDS, "test"], {
      cwd: place.project,
      env: { ...place.env, TMPDIR: tmp },
      stdio: "ignore",
    });
    await life.held;
    running.kill("SIGKILL");
    expect(await life.released).toBe("held\n");
    await expect.poll(() => readdir(tmp), { timeout: HANG_TIMEOUT_MS }).toEqual([]);
  });

  test("the next call removes the folder of one whose watchdog was killed too, and no other", async () => {
    await using place = await workspace();
    await place.hook("guard", EATS);
    const tmp = join(place.dir, "tmp");
    const seen = await place.write(
      "names.sh",
      `#!/bin/sh\n[ "$1" = hook ] && ls ${tmp} > ${place.dir}/names && echo before_tool_call\n`,
      0o755,
    );
    await mkdir(tmp);
    await place.run(["test", seen], { env: { TMPDIR: tmp } });
    const [own = ""] = ((await place.read("names")) ?? "").trim().split("\n");
    const dead = spawnSync(process.execPath, ["-e", "0"]).pid;
    const nameFor = (pid: number): string => own.replace(/-\d+-\w+$/, `-${pid}-left`);
    const kept = [nameFor(process.pid), nameFor(dead).replace(/scratch-\w+/, "scratch-elsewhere"), `x${nameFor(dead)}`];
    for (const name of [nameFor(dead), ...kept]) await place.write(join("tmp", name, "0/home/file"), "x");
    expect(await place.run(["test", "guard"], { env: { TMPDIR: tmp } })).toMatchObject({ stderr: "", code: 0 });
    await expect.poll(async () => (await readdir(tmp)).sort(), { timeout: HANG_TIMEOUT_MS }).toEqual(kept.sort());
  });
});
