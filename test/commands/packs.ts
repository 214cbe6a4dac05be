import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { runInProcess } from "../support/in-process.ts";
import { hookctl, runOnTerminal } from "../support/on-terminal.ts";
import { guardText, packRepository } from "../support/pack-repository.ts";
import { toolCall } from "../support/payloads.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

export const reasonOf = async (place: Workspace): Promise<string | undefined> =>
  JSON.parse((await runInProcess(place, "run before_tool_call", { stdin: toolCall() })).stdout).reason;
export const lockOf = async (place: Workspace) =>
  JSON.parse((await place.read("project/.kodelet/hooks.lock")) ?? "null");
export const placed = async (place: Workspace, folder = "project"): Promise<readonly string[]> =>
  (await readdir(join(place.dir, folder, ".kodelet/plugins"), { recursive: true }).catch(() => [])).sort();

interface Answer {
  readonly key: string;
  readonly code: number;
  readonly reason: string | undefined;
}

/** Adds a pack on a terminal: what a person answers decides. */
export async function expectAnswer({ key, code, reason }: Answer): Promise<void> {
  await using place = await workspace();
  const repository = await packRepository(place);
  await repository.commit({ "hooks/guard": guardText("one") });
  const result = await runOnTerminal(place, `${hookctl} add ${repository.url}`, [`${key}\n`]);
  expect(result).toMatchObject({ code, shown: expect.stringMatching(/hooks\/guard \(a hook\)[\s\S]*Add it\?/) });
  expect(await placed(place)).toEqual(reason === undefined ? [] : ["guards", "guards/hooks", "guards/hooks/guard"]);
  expect(await reasonOf(place)).toBe(reason);
}
