import { cpSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { approveAll } from "../support/approvals.ts";
import { runInProcess } from "../support/in-process.ts";
import { parseListJson, parseRunJson } from "../support/json-output.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const examples = fileURLToPath(new URL("../../hooks-examples", import.meta.url));
const PATH = `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`;

const programsIn = (folder: string): readonly string[] =>
  readdirSync(join(examples, folder))
    .map((name) => join(folder, name))
    .filter((file) => statSync(join(examples, file)).isFile() && (statSync(join(examples, file)).mode & 0o100) !== 0);

const inHooks = (files: readonly string[]) => files.map((file) => [file, `hooks/${file.replace(/.*\//, "")}`] as const);
/** What is copied from the examples to where below `.kodelet`. */
const SETS: Readonly<Record<string, readonly (readonly [from: string, to: string])[]>> = {
  "the hooks of the first level": inHooks(programsIn(".")),
  "the Base Coat set": inHooks(programsIn("basecoat")),
  "the rotation": inHooks(programsIn("rotation")),
  "the hook to read first": inHooks(programsIn("starter")),
  "the set for Reyn": [
    ["reyn/hooks.yaml", "hooks.yaml"],
    ["reyn/scripts", "scripts"],
  ],
};

async function installed(place: Workspace, set: string): Promise<readonly string[]> {
  await place.write("project/.kodelet/.keep", "");
  for (const [from, to] of SETS[set] ?? []) {
    cpSync(join(examples, from), join(place.project, ".kodelet", to), { recursive: true });
  }
  await approveAll(place);
  const { hooks } = parseListJson(await runInProcess(place, "list --json", { env: { PATH } }));
  return [...new Set(hooks.flatMap(({ events }) => events as readonly string[]))];
}

const FAILED = '{"success":false,"error":"bad"}';

/** One event as hookctl's sample says it, and where it is about a result, of one that failed. */
async function raise(place: Workspace, event: string): Promise<readonly string[]> {
  const more = event === "after_tool_call" ? ` --set tool_output=${FAILED}` : "";
  const { stdout: stdin } = await runInProcess(place, `payload ${event}${more}`, { env: { PATH } });
  const run = parseRunJson(await runInProcess(place, `run ${event} --json -q`, { stdin, env: { PATH } }));
  return run.hooks.flatMap(({ name, failure }) =>
    failure?.code.startsWith("HOOK_REFUSED") ? [`${event}: ${name}: ${failure.code}: ${failure.hint}`] : [],
  );
}

test.each(Object.keys(SETS))("%s, approved once, is never changed by what its hooks write", async (set) => {
  await using place = await workspace();
  const events = await installed(place, set);
  expect(events.length).toBeGreaterThan(0);
  for (const round of [1, 2, 3]) {
    for (const event of events) expect(await raise(place, event), `round ${round}`).toEqual([]);
  }
  const { hooks } = parseListJson(await runInProcess(place, "list --json", { env: { PATH } }));
  expect(hooks.filter(({ trust }) => trust !== "trusted").map(({ name }) => name)).toEqual([]);
});

test("the hooks of these sets that keep files have written them", async () => {
  await using place = await workspace();
  for (const set of Object.keys(SETS)) {
    for (const event of await installed(place, set)) await raise(place, event);
  }
  const kept = readdirSync(join(place.project, ".kodelet"), { recursive: true }).map(String);
  expect(kept).toEqual(
    expect.arrayContaining([
      ...["audit.log", "audit-trail.log", "telemetry.jsonl", "sessions.log"],
      ...["state/error-knowledge.json", "state/handoff"],
    ]),
  );
});
