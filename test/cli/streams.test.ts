import { open } from "node:fs/promises";
import { execa } from "execa";
import { expect, test } from "vitest";
import { NATIVE } from "../../packages/agents/test/payloads.ts";
import { toolCall } from "../support/payloads.ts";
import { printResponse } from "../support/shell.ts";
import { spawnHookctl } from "../support/spawn-hookctl.ts";
import { HOOKCTL, workspace } from "../support/workspace.ts";

const isLinux = process.platform === "linux";
const block = printResponse({ blocked: true, reason: "no" });

const run = ["run", "before_tool_call", "-q"];
const deaf = { stdio: "pipe", stdin: toolCall(), isDeaf: true } as const;

test("plain run prints exactly one JSON object on one line, and the story goes to stderr", async () => {
  await using place = await workspace();
  await place.hook("guard", `echo noise >&2; ${block}`);
  const result = await place.run(["run", "before_tool_call"], { stdin: toolCall() });
  expect(result).toMatchObject({ stdout: '{"blocked":true,"reason":"no"}\n', code: 2, signal: null });
  expect(result.stderr).toMatch(/^ {2}guard {3}[█░]{20} +\d+ ms {3}✖ block\n✖ Blocked by guard\n {2}no\n$/);
});

test("a run without hooks prints the protocol's no action and says nothing", async () => {
  await using place = await workspace();
  const quiet = { stderr: "", code: 0, signal: null };
  const before = await place.run(["run", "before_tool_call"], { stdin: toolCall() });
  expect(before).toEqual({ ...quiet, stdout: '{"blocked":false}\n' });
  const after = await place.run(["run", "session_end"], { stdin: "{}" });
  expect(after).toEqual({ ...quiet, stdout: "{}\n" });
});

test("-q leaves print only errors on stderr", { tags: "slow" }, async () => {
  await using place = await workspace();
  await place.hook(
    "1-noisy",
    `echo noise >&2; ${printResponse({ warnings: ["careful"], input: { command: "ls -a" } })}`,
  );
  await place.hook("2-broken", "exit 1");
  const result = await place.run(["run", "before_tool_call", "--quiet"], { stdin: toolCall() });
  expect(result).toMatchObject({ stderr: "", code: 0, signal: null });
  const wrong = await place.run(["run", "before_tool_call", "-q"], { stdin: "[]" });
  expect(wrong).toMatchObject({ stdout: "", code: 65, stderr: expect.stringContaining("(PAYLOAD_NOT_OBJECT)") });
});

test("-v names the run, -vv shows what hooks print on stderr", { tags: "slow" }, async () => {
  await using place = await workspace();
  await place.hook("noisy", `echo 'one two' >&2; ${printResponse({ metadata: { rule: 7 } })}`);
  const once = await place.run(["run", "before_tool_call", "-v"], { stdin: toolCall() });
  expect(once).toMatchObject({ code: 0, signal: null, stdout: '{"blocked":false,"metadata":{"noisy":{"rule":7}}}\n' });
  expect(once.stderr).toMatch(/ {2}run [0-9A-Z]{26}\n {2}noisy metadata \{"rule":7\}\n$/);
  const twice = await place.run(["run", "before_tool_call", "-vv"], { stdin: toolCall() });
  expect(twice).toMatchObject({ code: 0, stderr: expect.stringMatching(/\n {2}noisy \| one two\n$/) });
});

test("-v adds blocked_result, the tool result for the model", async () => {
  await using place = await workspace();
  await place.hook("guard", block);
  const result = await place.run(["run", "before_tool_call", "-v"], { stdin: toolCall() });
  expect(result).toMatchObject({ code: 2, signal: null, stderr: expect.stringContaining("Blocked by guard") });
  expect(JSON.parse(result.stdout)).toEqual({
    blocked: true,
    reason: "no",
    blocked_result: { success: false, error: "blocked by hook: no", metadata: { tool_name: "bash", reason: "no" } },
  });
});

test("a block is 2 also when nobody reads stdout any more", async () => {
  await using place = await workspace();
  await place.hook("guard", block);
  expect(await spawnHookctl(place, run, deaf)).toEqual({ stdout: "", stderr: "", code: 2, signal: null });
});

test("going on is 74 when nobody reads stdout any more", async () => {
  await using place = await workspace();
  const stderr = expect.stringContaining("(OUTPUT_LOST)");
  expect(await spawnHookctl(place, run, deaf)).toEqual({ stdout: "", stderr, code: 74, signal: null });
});

test.runIf(isLinux)("on a full disk a block is 2 and going on is 74", async () => {
  await using place = await workspace();
  await using full = await open("/dev/full", "w");
  const options = { stdio: ["pipe", full.fd, "pipe"] as ["pipe", number, "pipe"], stdin: toolCall() };
  const stderr = expect.stringContaining("ENOSPC");
  expect(await spawnHookctl(place, run, options)).toEqual({ stdout: "", stderr, code: 74, signal: null });
  await place.hook("guard", block);
  expect(await spawnHookctl(place, run, options)).toEqual({ stdout: "", stderr: "", code: 2, signal: null });
});

test.each([">&-", ">/dev/null", ">&- 2>&-"])(
  "a block that bridge gives to nobody (%s) is 2, silence is 0",
  async (closed) => {
    await using place = await workspace();
    await place.hook("guard", `case $(cat) in *"rm -rf"*) ${block} ;; esac`);
    const bridge = async (command: string) => {
      const input = JSON.stringify({ ...NATIVE.claude.PreToolUse, tool_input: { command } });
      const script = `"$@" bridge claude --event PreToolUse --quiet ${closed}`;
      const options = { cwd: place.project, env: place.env, extendEnv: false, input, reject: false };
      return (await execa("/bin/sh", ["-c", script, "sh", ...HOOKCTL], options)).exitCode;
    };
    expect(await bridge("rm -rf build")).toBe(2);
    expect(await bridge("ls")).toBe(0);
  },
);

test("a reader that is slow gets 900 KB whole", { tags: "slow" }, async () => {
  await using place = await workspace();
  await place.hook("large", `printf '{"input":{"t":"'; head -c 900000 /dev/zero | tr '\\0' x; printf '"}}'`);
  const script = '"$@" run before_tool_call -q | { read -r line; printf %s "$line" | wc -c; }';
  const { stdout } = await execa("/bin/sh", ["-c", script, "sh", ...HOOKCTL], {
    cwd: place.project,
    env: place.env,
    extendEnv: false,
    input: toolCall(),
  });
  expect(Number(stdout)).toBe('{"blocked":false,"input":{"t":""}}'.length + 900_000);
});
