import type { Workspace } from "./workspace.ts";

/** Variables that put the clock of hookctl ahead: files that a test has just written are old for it. */
export async function laterClock({ write }: Workspace, aheadMs = 60_000): Promise<Record<string, string>> {
  const code = `const now = Date.now; Date.now = () => now() + ${aheadMs};`;
  return { NODE_OPTIONS: `--require=${await write("later.cjs", code)}` };
}
