import { spawnSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadedModules } from "../support/loaded-modules.ts";
import { toolCall } from "../support/payloads.ts";
import { printResponse, shellQuote } from "../support/shell.ts";
import { HOOKCTL, runProgram, testOnNode, type Workspace, workspace } from "../support/workspace.ts";

const calls: { title: string; args: readonly string[]; code: number }[] = [
  { title: "run", args: ["run", "before_tool_call"], code: 2 },
  { title: "run --json -vv", args: ["run", "before_tool_call", "--json", "-vv"], code: 2 },
  { title: "run --trust", args: ["run", "PreToolUse", "--trust", "--timeout", "5s"], code: 2 },
  { title: "run --as", args: ["run", "before_tool_call", "--as", "basecoat"], code: 2 },
  { title: "run --dry-run", args: ["run", "before_tool_call", "--dry-run"], code: 0 },
  { title: "run of an unknown event", args: ["run", "before_tool"], code: 64 },
  { title: "list", args: ["list", "--all"], code: 0 },
  { title: "list --json", args: ["list", "--json"], code: 0 },
];

testOnNode.each(calls)("$title loads no library", async ({ args, code }) => {
  await using place = await workspace();
  await place.hook("guard", printResponse({ blocked: true }), {
    says: '{"event":"PreToolUse","match":{"tool_name":"b*"}}',
  });
  await place.hook("other", printResponse({}), { scope: "project" });
  const { ended, libraries } = await loadedModules(place, args, { stdin: toolCall() });
  expect(ended).toMatchObject({ code, signal: null });
  expect(libraries).toEqual([]);
});

testOnNode("a template is rendered elsewhere: the call itself loads no library for it", { tags: "slow" }, async () => {
  await using place = await workspace();
  const hooks = [{ on: "before_tool_call", template_push: { message: "{{ tool_name }}" } }];
  await place.write("home/.kodelet/hooks.json", JSON.stringify({ hooks }));
  // The first call checks the settings, which takes the libraries of that.
  await loadedModules(place, ["run", "before_tool_call"], { stdin: toolCall() });
  const { ended, libraries } = await loadedModules(place, ["run", "before_tool_call", "-q"], { stdin: toolCall() });
  expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining('"message":"bash"') });
  expect(libraries).toEqual([]);
});

testOnNode("the probe sees the libraries of the other commands", async () => {
  await using place = await workspace();
  const { ended, libraries } = await loadedModules(place, ["schema", "turn_end"]);
  expect(ended).toMatchObject({ code: 0, signal: null, stderr: "" });
  expect(libraries).toContain("zod");
});

/** The built-in modules that a call had loaded at its end. The payload comes by a pipe, as from a shell. */
async function builtins(place: Workspace) {
  const log = JSON.stringify(join(place.dir, "builtins"));
  const code = `process.on("exit", () => fs.writeFileSync(${log}, process.moduleLoadList.join("\\n")));`;
  const probe = await place.write("probe.cjs", `const fs = require("node:fs");\n${code}`);
  const program = [...HOOKCTL, "run", "before_tool_call", "-q"].map(shellQuote).join(" ");
  const line = ["/bin/sh", "-c", `printf %s ${shellQuote(toolCall())} | ${program}`];
  const result = await runProgram(line, {
    cwd: place.project,
    env: { ...place.env, NODE_OPTIONS: `--require=${probe}` },
  });
  expect(result).toEqual({ stdout: '{"blocked":false}\n', stderr: "", code: 0, signal: null });
  return new Set((await place.read("builtins"))?.split("\n"));
}

testOnNode("a run without hooks loads neither the start of processes nor the network", async () => {
  await using place = await workspace();
  const loaded = await builtins(place);
  for (const name of ["child_process", "net", "http", "crypto", "dgram", "worker_threads"]) {
    expect(loaded).not.toContain(`NativeModule ${name}`);
  }
  await place.hook("guard", printResponse({}));
  expect(await builtins(place)).toContain("NativeModule child_process");
});

/** Every file below a folder with its size and time. */
const listing = (folder: string) =>
  (readdirSync(folder, { recursive: true }) as string[]).sort().map((path) => {
    const { size, mtimeMs, mode } = statSync(join(folder, path));
    return { path, size, mtimeMs, mode };
  });

test("without hooks no file is written", async () => {
  await using place = await workspace();
  const before = listing(place.dir);
  for (const args of [["run", "before_tool_call"], ["run", "before_tool_call", "--json"], ["list"]]) {
    expect(await place.run(args, { stdin: toolCall() })).toMatchObject({ stderr: "", code: 0, signal: null });
  }
  expect(listing(place.dir)).toEqual(before);
});

const canTrace = spawnSync("strace", ["-o", "/dev/null", "true"]).status === 0;

test.skipIf(!canTrace)(
  "without hooks no child is started and nothing is opened for writing (needs strace)",
  async () => {
    await using place = await workspace();
    const trace = join(place.dir, "trace");
    const strace = ["strace", "-f", "-qq", "-e", "trace=execve,open,openat,creat,mkdir,rename", "-o", trace];
    const line = ["/usr/bin/env", ...strace, ...HOOKCTL, "run", "before_tool_call"];
    const result = await runProgram(line, { cwd: place.project, env: place.env, stdin: toolCall() });
    expect(result).toEqual({ stdout: '{"blocked":false}\n', stderr: "", code: 0, signal: null });
    const lines = ((await place.read("trace")) ?? "").split("\n");
    expect(lines.filter((text) => text.includes("execve("))).toHaveLength(1);
    expect(lines.filter((text) => /O_WRONLY|O_CREAT|mkdir\(|rename\(|creat\(/.test(text))).toEqual([]);
  },
);
