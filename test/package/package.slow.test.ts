import { execFileSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { HANG_TIMEOUT_MS, runProgram, type Workspace, workspace } from "../support/workspace.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** A tenth of a megabyte of it is the schemas of answers. */
const MOST_BYTES = 6_600_000;

interface PackedFile {
  readonly path: string;
  readonly size: number;
}

let files: readonly PackedFile[] = [];

beforeAll(() => {
  execFileSync(process.execPath, [join(root, "tools", "npmignore.mjs")], { cwd: root });
  const words = ["pack", "--dry-run", "--json", "--ignore-scripts"];
  const [packed] = JSON.parse(execFileSync("npm", words, { cwd: root, encoding: "utf8", stdio: "pipe" }));
  files = packed.files;
}, HANG_TIMEOUT_MS);

/** The packed files, installed by npm without a network and with nothing else. */
async function install({ dir, project, env }: Workspace): Promise<string> {
  const npm = { encoding: "utf8", stdio: "pipe", env: { ...env, PATH: process.env.PATH ?? "" } } as const;
  const archive = execFileSync("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", dir], {
    ...npm,
    cwd: root,
  });
  const words = ["install", "--offline", "--no-audit", "--no-fund", "--prefix", project, join(dir, archive.trim())];
  execFileSync("npm", words, { ...npm, cwd: project });
  const packages = join(project, "node_modules");
  expect(readdirSync(packages).filter((name) => !name.startsWith("."))).toEqual(["hookctl"]);
  return join(packages, "hookctl", "bin", "hookctl.js");
}

describe("the packed package", () => {
  test("has only what a user needs, and is small", () => {
    const folders = new Set(files.map(({ path }) => path.split("/").slice(0, -1)[0] ?? path));
    expect([...folders].toSorted()).toEqual(
      [
        "assets",
        "bin",
        "dist",
        "docs",
        "hooks-examples",
        "man",
        "CHANGELOG.md",
        "LICENSE",
        "README.md",
        "SECURITY.md",
        "package.json",
      ].toSorted(),
    );
    expect(files.filter(({ path }) => /\.(?:map|test\.\w+|png|svg)$|\.cjs\.|npmignore/.test(path))).toEqual([]);
    // The front programs of a release are a tenth of what this machine's own compiler makes.
    const measured = files.filter(({ path }) => !path.startsWith("dist/front/"));
    expect(measured.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(MOST_BYTES);
  });

  test("leaves out rooms that only tests and tools load from dist/", () => {
    const built = readdirSync(join(root, "dist"), { recursive: true, encoding: "utf8" }).filter((name) =>
      statSync(join(root, "dist", name)).isFile(),
    );
    expect(files.length).toBeLessThan(built.length * 0.7);
  });

  test("runs commands, TypeScript hooks and each of its exports", async () => {
    await using place = await workspace();
    const bin = await install(place);
    const call = (args: readonly string[], stdin = "") =>
      runProgram([process.execPath, bin, ...args], { cwd: place.project, env: place.env, stdin });
    const hook = `#!/usr/bin/env node
import { defineHook } from "hookctl/hook";
export default defineHook({
  event: "before_tool_call",
  match: { tool_name: "bash" },
  run: ({ tool_input }: { tool_input: { command: string } }) => ({ blocked: tool_input.command.includes("rm"), reason: "no rm" }),
});
`;
    await place.write("home/.kodelet/hooks/guard.ts", hook, 0o755);
    const payload = JSON.stringify({ tool_name: "bash", tool_input: { command: "rm x" } });
    const run = await call(["run", "before_tool_call", "-q"], payload);
    expect({ ...run, stdout: JSON.parse(run.stdout) }).toMatchObject({
      ...{ stdout: { blocked: true, reason: "no rm" }, stderr: "", code: 2 },
    });
    const commands = ["list", "guards", "doctor", "why", "log", "stats", "test", "schema config"];
    const faults = [];
    for (const line of [...commands, "explain ls", "install claude", "report --output report.html", "trust --help"]) {
      const { code, stderr } = await call(line.split(" "));
      if (code === null || code >= 64 || /INTERNAL_FAULT|ERR_MODULE/.test(stderr)) faults.push({ line, code, stderr });
    }
    expect(faults).toEqual([]);
    expect(await call(["--version"])).toMatchObject({ stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/), code: 0 });
    await place.write(
      "home/.kodelet/hooks.yaml",
      `hooks:\n  before_tool_call:\n    - name: rule\n      block: from yaml\n`,
    );
    const ruled = await call(["run", "before_tool_call", "-q"], JSON.stringify({ tool_name: "x", tool_input: {} }));
    expect({ ...ruled, stdout: JSON.parse(ruled.stdout) }).toMatchObject({ stdout: { reason: "from yaml" }, code: 2 });
    await rm(join(place.home, ".kodelet/hooks.yaml"));
    await place.write("home/.kodelet/hooks.json", MCP_SETTINGS);
    const tool = await call(["run", "before_tool_call", "-q"], JSON.stringify({ tool_name: "x", tool_input: {} }));
    expect({ ...tool, stdout: JSON.parse(tool.stdout) }).toMatchObject({ stdout: { reason: "from a tool" }, code: 2 });
    await rm(join(place.home, ".kodelet/hooks.json"));
    await place.write("project/use.mjs", USE);
    const used = await runProgram([process.execPath, "use.mjs"], { cwd: place.project, env: place.env });
    expect(used).toMatchObject({ stdout: "block guard.ts true\n", stderr: "", code: 0 });
  });
});

/** A server in a few lines: `tools/call` blocks. */
const MCP_SERVER = `
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  const results = {
    initialize: () => ({ protocolVersion: params.protocolVersion, capabilities: {}, serverInfo: { name: "s", version: "1" } }),
    "tools/call": () => ({ content: [{ type: "text", text: '{"blocked":true,"reason":"from a tool"}' }] }),
  };
  const result = results[method]?.();
  if (result) console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
});`;
const MCP_SETTINGS = JSON.stringify({
  mcp_servers: { small: { command: process.execPath, args: ["-e", MCP_SERVER] } },
  hooks: { before_tool_call: [{ name: "tool", tool: "small.check" }] },
});

const USE = `import { createHooks } from "hookctl";
import { defineHook } from "hookctl/hook";
import { testHook } from "hookctl/testing";
const hooks = createHooks();
const run = await hooks.run("before_tool_call", { tool_name: "bash", tool_input: { command: "rm x" } });
await hooks.close();
const guard = testHook(process.env.HOME + "/.kodelet/hooks/guard.ts");
const tested = await guard.run("before_tool_call", { tool_name: "bash", tool_input: { command: "rm x" } });
console.log(run.decision, run.decided_by, tested.result.blocked);
void defineHook;
`;
