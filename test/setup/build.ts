import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import fastGlob from "fast-glob";
import { rolldown } from "rolldown";
import { MCP_SERVER } from "../support/mcp-server-path.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const hot = join(root, "dist", "hot.cjs");
const mcpServer = "test/fixtures/mcp-server.mjs";

/** Builds once before the tests what they start many times: dist for bin/hookctl.js, and an MCP server. */
export async function setup(): Promise<void> {
  if (
    !(await isNewer(hot, [
      "src",
      "src/**",
      "packages/**",
      "!packages/*/test/**",
      "tools/*.mjs",
      "tsconfig.json",
      "tsconfig.build.json",
    ]))
  ) {
    await execa("node", ["tools/build.mjs", "--no-check"], { cwd: root, stdio: "inherit" });
  } else if (!existsSync(`${hot}.${process.versions.v8}`)) {
    // Built by another version of Node: else the first `install` or `doctor` of a test would start more than it does later.
    await execa("sh", ["-c", 'echo "{}" | "$0" bin/warm.mjs', process.execPath], { cwd: root });
  }
  if (!(await isNewer(MCP_SERVER, [mcpServer, "package-lock.json"]))) {
    const bundle = await rolldown({ input: join(root, mcpServer), platform: "node" });
    await bundle.write({ format: "esm", minify: true, file: MCP_SERVER });
  }
}

// Folders count as inputs too: their time tells of a file that was removed.
async function isNewer(output: string, inputs: readonly string[]): Promise<boolean> {
  if (!existsSync(output)) return false;
  const builtAtMs = statSync(output).mtimeMs;
  const entries = await fastGlob([...inputs], { cwd: root, onlyFiles: false, stats: true });
  return entries.every((entry) => (entry.stats?.mtimeMs ?? Number.POSITIVE_INFINITY) < builtAtMs);
}
