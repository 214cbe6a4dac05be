import { expect } from "vitest";
import { runInProcess, runMain } from "./in-process.ts";
import { type HookJson, parseRunJson, type RunJson } from "./json-output.ts";
import { toolCall } from "./payloads.ts";
import type { Workspace } from "./workspace.ts";

/** A program of python that answers before_tool_call and draws in a module of the standard library. */
export const PYTHON_GUARD = `#!/usr/bin/python3
import sys
if sys.argv[1:] == ["hook"]:
    print("before_tool_call")
    sys.exit()
import json
print(json.dumps({"blocked": False}))
`;

/** Approves all that waits, in a pipe; fails where that fails. */
export async function approveAll(place: Workspace, args = "trust --yes"): Promise<void> {
  const result = await runInProcess(place, args);
  expect({ ...result, stdout: "" }).toMatchObject({ code: 0 });
}

/** One tool call, told whole. */
export async function runToolCall(
  place: Workspace,
  args = "",
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<RunJson> {
  return parseRunJson(await runInProcess(place, `run before_tool_call --json -q ${args}`, { stdin: toolCall(), env }));
}

/** A hook of this run by its name. */
export function hookInRun(run: RunJson, name: string): HookJson {
  const hook = run.hooks.find((one) => one.name === name);
  if (hook === undefined) throw new Error(`${name} is not in the run: ${JSON.stringify(run.hooks)}`);
  return hook;
}

/** What a run says of one hook, in a few words: its outcome and the code of why not. */
export async function outcomeOf(place: Workspace, name: string, args = ""): Promise<string> {
  const { outcome, failure } = hookInRun(await runToolCall(place, args), name);
  return failure === undefined ? outcome : `${outcome} ${failure.code}`;
}

/** name -> state, of all that is approved or denied. */
export async function approvalStates(place: Workspace): Promise<Record<string, string>> {
  const { stdout } = await runMain(place, ["trust", "--list", "--json"]);
  const { entries } = JSON.parse(stdout) as { entries: { name: string; state: string }[] };
  return Object.fromEntries(entries.map(({ name, state }) => [name, state]));
}
