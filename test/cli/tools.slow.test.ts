import { execa } from "execa";
import { expect, test } from "vitest";
import { createHooks } from "../../packages/sdk/index.ts";
import { runInProcess, runMain } from "../support/in-process.ts";
import { lifeline } from "../support/lifeline.ts";
import { loadedModules } from "../support/loaded-modules.ts";
import { declareTools, SERVER_LINE, shellServer } from "../support/mcp.ts";
import { toolCall } from "../support/payloads.ts";
import { HANG_TIMEOUT_MS, HOOKCTL_PROGRAM, HOOKCTL_WORDS, testOnNode, workspace } from "../support/workspace.ts";

test("a tool decides through the command line, and its server is gone when the answer is there", async () => {
  await using place = await workspace();
  await using life = await lifeline(place.dir);
  await declareTools(place, ["silent", "block"], { server: shellServer(`${life.hold}; exec ${SERVER_LINE}`) });
  expect(await runMain(place, ["run", "before_tool_call", "-q"], { stdin: toolCall() })).toEqual({
    stdout: '{"blocked":true,"reason":"no rm here"}\n',
    stderr: "",
    code: 2,
    signal: null,
  });
  expect(await life.released).toBe("held\n");
});

testOnNode("a call of a tool loads no library", async () => {
  await using place = await workspace();
  const stdin = toolCall();
  await declareTools(place, [{ name: "tool", tool: "fixture.silent", match: { tool_name: "other" } }]);
  await runInProcess(place, "list");
  const loads = (...args: string[]) => loadedModules(place, ["run", "before_tool_call", "-q", ...args], { stdin });
  expect(await loads()).toMatchObject({ libraries: [], ended: { code: 0 } });
  expect(await loads("--dry-run")).toMatchObject({ libraries: [], ended: { code: 0 } });
  await declareTools(place, [{ name: "tool", tool: "fixture.silent" }]);
  await runInProcess(place, "list");
  const { libraries, ended } = await loads();
  // On a busy machine the answer also says that the tool was slow.
  expect(JSON.parse(ended.stdout)).toMatchObject({ blocked: false });
  expect({ libraries, code: ended.code }).toEqual({ libraries: [], code: 0 });
});

test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
  "%s to hookctl ends the server with its children",
  async (signal) => {
    await using place = await workspace();
    await using life = await lifeline(place.dir);
    const line = `${life.hold}; trap '' TERM INT; (sleep 30 & sleep 30) & while :; do sleep 30; done`;
    await declareTools(place, ["silent"], { server: shellServer(line) });
    const running = execa(HOOKCTL_PROGRAM, [...HOOKCTL_WORDS, "run", "before_tool_call", "-q"], {
      cwd: place.project,
      env: place.env,
      extendEnv: false,
      input: toolCall(),
      reject: false,
      timeout: HANG_TIMEOUT_MS,
    });
    await life.held;
    running.kill(signal);
    const { exitCode, stdout, stderr } = await running;
    expect({ exitCode, stdout, stderr }).toEqual({
      exitCode: { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 }[signal],
      stdout: "",
      stderr: "",
    });
    expect(await life.released).toBe("held\n");
  },
);

test("a program that uses the library asks the same tools, and close() ends their server", async () => {
  await using place = await workspace();
  await using life = await lifeline(place.dir);
  await declareTools(place, ["block"]);
  await using hooks = createHooks({ cwd: place.project, home: place.home, env: place.env });
  expect(await hooks.run("before_tool_call", toolCall())).toMatchObject({ decision: "block", reason: "no rm here" });
  await declareTools(place, ["hang"], { server: shellServer(`${life.hold}; sleep 30`) });
  const cut = expect(hooks.run("before_tool_call", toolCall())).rejects.toThrow("closed");
  await life.held;
  await hooks.close();
  await cut;
  expect(await life.released).toBe("held\n");
});
