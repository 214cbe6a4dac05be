import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { runInProcess } from "../support/in-process.ts";
import { parseRunJson } from "../support/json-output.ts";
import type { Workspace } from "../support/workspace.ts";

export const examples = fileURLToPath(new URL("../../hooks-examples/basecoat", import.meta.url));
export const PATH = `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`;
export const NAMES = [
  ...["anti-loop", "budget-guard", "error-knowledge", "known-fix"],
  ...["permission-validator", "session-memory", "telemetry"],
];

/** A whole example set as the user's hooks, or some of it. */
export async function installed(place: Workspace, ...names: readonly string[]): Promise<void> {
  for (const name of names) await place.hook(name, readFileSync(join(examples, name), "utf8"));
}

export interface Call {
  readonly hook: string;
  readonly [key: string]: unknown;
}
export async function run(place: Workspace, payload: Call, env: Readonly<Record<string, string>> = {}) {
  const stdin = JSON.stringify({ timestamp: "2026-01-05T09:30:00Z", sessionId: "s1", ...payload });
  const result = await runInProcess(place, `run ${payload.hook} --json -q`, { stdin, env: { PATH, ...env } });
  expect(result.stderr).toBe("");
  return { code: result.code, ...parseRunJson(result) };
}
export const bash = (command: string, more: object = {}) => ({ name: "bash", input: { command }, ...more });
export const failing = (command: string, error: string, at = "2026-01-05T09:30:00Z"): Call => ({
  ...{ hook: "PostToolUse", timestamp: at },
  tool: bash(command, { success: false, output: { success: false, error } }),
});
