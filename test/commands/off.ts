import { NATIVE } from "../../packages/agents/test/payloads.ts";
import { fakeTerminal } from "../support/fake-terminal.ts";
import { type InProcessOptions, runInProcess } from "../support/in-process.ts";
import { parseRunJson } from "../support/json-output.ts";
import { toolCall } from "../support/payloads.ts";
import { printResponse } from "../support/shell.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

export const STATE = "home/.local/state/hookctl";
export const FILE = `${STATE}/pauses.json`;
export const MINUTE = 60_000;
/** Noon by the local clock, so that no test comes near midnight. */
export const NOON = new Date(2100, 0, 1, 12, 0).getTime();
export const REASON = "off until 12:10 (hookctl off)";
export const RESET = toolCall("git reset --hard");

export const at = (minutes: number) => ({ nowMs: () => NOON + minutes * MINUTE });
export const says = (answer: string | null) => ({ openTerminal: async () => fakeTerminal(async () => answer) });

export async function setUp(): Promise<Workspace> {
  const place = await workspace();
  await place.hook("deny", printResponse({ blocked: true, reason: "no" }));
  await place.write("home/.kodelet/hooks.json", '{"guards":{"git":true}}');
  return place;
}

/** Calls hookctl at a minute of the test's own day, with a person on the terminal who says yes. */
export const call = (place: Workspace, args: string, minutes = 0, options: InProcessOptions = {}) =>
  runInProcess(place, args, { ...options, host: { ...at(minutes), ...says("yes"), ...options.host } });

export const off = (place: Workspace, args = "deny git --for 10m") => call(place, `off ${args}`);

export const decisionAt = async (place: Workspace, minutes: number, options: InProcessOptions = {}): Promise<string> =>
  parseRunJson(await call(place, "run before_tool_call --json -q", minutes, { stdin: RESET, ...options })).decision;

export const bridge = async (
  place: Workspace,
  event: "PreToolUse" | "SessionStart",
  env: InProcessOptions["env"] = {},
  more: object = {},
) => {
  const native = { ...NATIVE.claude[event], ...more, tool_name: "Bash", tool_input: { command: "git reset --hard" } };
  const options = { stdin: JSON.stringify(native), env };
  return JSON.parse((await call(place, `bridge claude --event ${event}`, 1, options)).stdout || "{}");
};
