import { type StdioOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { failOnWarning, HOOKCTL_PROGRAM, HOOKCTL_WORDS, type Workspace } from "./workspace.ts";

/** Starts hookctl with descriptors of the test's own and gives it its payload; `isDeaf`: nobody reads its stdout. */
export async function spawnHookctl(
  { project, env }: Workspace,
  args: readonly string[],
  { stdio, stdin, isDeaf = false }: { readonly stdio: StdioOptions; readonly stdin: string; readonly isDeaf?: boolean },
) {
  const child = spawn(HOOKCTL_PROGRAM, [...HOOKCTL_WORDS, ...args], { cwd: project, env, stdio });
  const result = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.on("data", (chunk) => {
      result[name] += chunk;
    });
  }
  if (isDeaf) child.stdout?.destroy();
  child.stdin?.end(stdin);
  const [code, signal] = await once(child, "close");
  failOnWarning(result.stderr);
  return { ...result, code, signal };
}
