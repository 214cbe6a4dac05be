import { cp } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { toolCall } from "../support/payloads.ts";
import { HOOKCTL, HOOKCTL_PROGRAM, NATIVE_BIN, runProgram, type Workspace, workspace } from "../support/workspace.ts";

const isWithout = NATIVE_BIN === undefined;
const CODE = 'require("node:fs").writeFileSync(process.env.CANARY, "x");';
const LINE = ["bridge", "claude", "--event", "PreToolUse", "--deadline", "58s", "--fail-closed"];
const BLOCK = '{"event":"before_tool_call","fail_open":false}';
const guard = `[ "$1" = hook ] && { echo '${BLOCK}'; exit; }\necho '{"blocked":true,"reason":"no"}'`;

/** A project with everything that Bun could take for its settings or its code. */
async function hostile(place: Workspace): Promise<string> {
  const evil = await place.write("project/evil.js", CODE);
  for (const name of ["run", "before_tool_call", "bridge", "index.js", "hookctl.js"]) {
    await place.write(`project/${name}`, CODE);
  }
  for (const name of ["bunfig.toml", ".bunfig.toml"]) {
    await place.write(`project/${name}`, `preload = ["${evil}"]\n[run]\npreload = ["${evil}"]\n`);
  }
  for (const name of [".env", ".env.local", ".env.production"]) {
    await place.write(`project/${name}`, `BUN_OPTIONS="--preload ${evil}"\nHOOKCTL_NO_HOOKS=1\n`);
  }
  await place.write("project/tsconfig.json", JSON.stringify({ compilerOptions: { paths: { "*": [evil] } } }));
  await place.write("project/package.json", JSON.stringify({ scripts: { run: `node ${evil}` }, module: "evil.js" }));
  await place.write("project/node_modules/unbash/package.json", '{"name":"unbash","main":"i.js"}');
  await place.write("project/node_modules/unbash/i.js", CODE);
  await place.hook("guard", `#!/bin/sh\n${guard}\n`);
  return evil;
}

describe.skipIf(isWithout)("the native executable (needs HOOKCTL_BIN)", () => {
  test.each([
    ["no variable", () => ({})],
    ["BUN_BE_BUN", () => ({ BUN_BE_BUN: "1" })],
    ["BUN_OPTIONS", (evil: string) => ({ BUN_OPTIONS: `--preload ${evil}` })],
    ["BUN_INSPECT_PRELOAD", (evil: string) => ({ BUN_INSPECT: "127.0.0.1:0", BUN_INSPECT_PRELOAD: evil })],
    ["BUN_CONFIG_FILE", (evil: string) => ({ BUN_CONFIG_FILE: evil.replace("evil.js", "bunfig.toml") })],
    [
      "BUN_BYTECODE_ORDER_OUT",
      (evil: string) => ({ BUN_BYTECODE_ORDER_OUT: evil.replace("project/evil.js", "canary") }),
    ],
    ["JSC_SIGNAL_FOR_GC", () => ({ JSC_SIGNAL_FOR_GC: "0" })],
    ["SIMDUTF_FORCE_IMPLEMENTATION", () => ({ SIMDUTF_FORCE_IMPLEMENTATION: "1" })],
    ["BUN_JSC_watchdog", () => ({ BUN_JSC_watchdog: "1" })],
    ["BUN_JSC_functionOverrides", (evil: string) => ({ BUN_JSC_functionOverrides: evil })],
    ["BUN_JSC_ and no option of it", () => ({ BUN_JSC_nothing: "1" })],
    ...["DISALLOW_OS_ALLOC", "LIMIT_OS_ALLOC", "DISALLOW_ARENA_ALLOC", "ARENA_MAX_OBJECT_SIZE", "MAX_VABITS"].map(
      (name): [string, () => Record<string, string>] => [`MIMALLOC_${name}`, () => ({ [`MIMALLOC_${name}`]: "1" })],
    ),
    ["NODE_OPTIONS", (evil: string) => ({ NODE_OPTIONS: `--require ${evil}` })],
    ["NODE_PATH", (evil: string) => ({ NODE_PATH: evil.replace("/evil.js", "/node_modules") })],
  ])("takes no code from a hostile project: %s", async (_name, variables) => {
    await using place = await workspace();
    const evil = await hostile(place);
    const env = { ...variables(evil), CANARY: `${place.dir}/canary` };
    const result = await place.run(["run", "before_tool_call", "-q"], { stdin: toolCall(), env });
    expect(result).toMatchObject({ stdout: '{"blocked":true,"reason":"no"}\n', code: 2 });
    expect(await place.read("canary")).toBeNull();
  });

  test("it finds the files that a script starts by the parser in it", async () => {
    await using place = await workspace();
    const evil = await hostile(place);
    await place.write("project/.kodelet/hooks/guard", `#!/bin/sh\n./evil.js\n${guard}\n`, 0o755);
    const env = { NODE_PATH: evil.replace("/evil.js", "/node_modules"), CANARY: `${place.dir}/canary` };
    const { stdout, code } = await place.run(["trust", "--show"], { env });
    expect({ stdout, code }).toEqual({ stdout: expect.stringContaining("../../evil.js"), code: 0 });
    expect(await place.read("canary")).toBeNull();
  });

  test.each(["SEGV", "ABRT", "KILL", "TERM"])("a fail-closed line blocks when it is ended by %s", async (signal) => {
    await using place = await workspace();
    await place.hook("guard", "sleep 60");
    const script = `"$@" & sleep 1; kill -${signal} $!; wait $! || echo blocked`;
    const words = ["/bin/sh", "-c", script, "sh", ...HOOKCTL, ...LINE];
    const stdin = JSON.stringify({ hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "ls" } });
    const result = await runProgram(words, { cwd: place.project, env: place.env, stdin });
    expect(result.stdout).toMatch(/blocked\n$|"permissionDecision":"deny"/);
  });

  test("under any name, install, doctor and uninstall know the line that install wrote", async () => {
    await using place = await workspace();
    const file = join(place.dir, "my hooks 2");
    await cp(HOOKCTL_PROGRAM, file);
    const hookctl = (...words: string[]) => runProgram([file, ...words], { cwd: place.project, env: place.env });
    for (const isAgain of [false, true]) {
      expect(await hookctl("install", "claude", "--scope", "user")).toMatchObject({ stderr: "", code: 0 });
      const { hooks } = JSON.parse((await place.read("home/.claude/settings.json")) ?? "");
      expect([isAgain, hooks.PreToolUse.length]).toEqual([isAgain, 1]);
    }
    const { checks } = JSON.parse((await hookctl("doctor", "claude", "--json")).stdout);
    expect(checks).toContainEqual(expect.objectContaining({ name: "claude bridge", status: "ok" }));
    expect(await hookctl("uninstall", "claude", "--scope", "user")).toMatchObject({ stderr: "", code: 0 });
    expect(await place.read("home/.claude/settings.json")).toBeNull();
  });

  test("it is asked in a folder that was deleted", async () => {
    await using place = await workspace();
    await place.hook("guard", `#!/bin/sh\n${guard}\n`);
    const script = 'mkdir "$0/gone" && cd "$0/gone" && rmdir "$0/gone" && exec "$@" run before_tool_call -q';
    const words = ["/bin/sh", "-c", script, place.dir, ...HOOKCTL];
    expect(await runProgram(words, { env: place.env, stdin: toolCall() })).toMatchObject({ code: 2 });
  });
});
