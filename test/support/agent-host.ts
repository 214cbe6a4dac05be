import { dirname } from "node:path";
import { expect } from "vitest";
import { runProgram, type Workspace } from "./workspace.ts";

const PATH = `${dirname(process.execPath)}:/usr/bin:/bin`;

/** Starts Node with a stub of the agent around the module that `install` wrote, and gives what that prints. */
export async function runInAgentHost(place: Workspace, module: string, script: string) {
  const text = (await place.read(`project/${module}`)) ?? "";
  await place.write("host/module.mjs", text);
  const host = await place.write("host/host.mjs", script.replaceAll("PROJECT", JSON.stringify(place.project)));
  const result = await runProgram([process.execPath, host], { cwd: place.project, env: { HOME: place.home, PATH } });
  expect(result).toMatchObject({ stderr: "", code: 0 });
  return JSON.parse(result.stdout);
}
