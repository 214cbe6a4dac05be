import { mkdir, rename, rm, utimes } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { CommandLine } from "../../../../src/cli/command-table.ts";
import { parseCommandLine } from "../../../../src/cli/parse.ts";
import { coreCommands } from "../../../../src/commands/core-commands.ts";
import { createHost } from "../../../../src/host.ts";
import { unwrap } from "../../../../src/protocol/result.ts";
import { runMain } from "../../../../test/support/in-process.ts";
import { type Workspace, workspace } from "../../../../test/support/workspace.ts";
import { parseCall, readBridgeOptions } from "../../bridge/agent-call.ts";
import type { PrepareCall } from "../../bridge/answer-call.ts";
import { keptCalls } from "../../resident/kept-calls.ts";

/** Long after any file of a test was written: what was read of it may be kept. */
const LATER_MS = Date.UTC(2100, 0, 1);
const later = () => LATER_MS;
const SETTINGS = "home/.kodelet/hooks.json";
const rules = (word: string) => JSON.stringify({ commands: { block: [word] } });
const STATE = "home/.local/state/hookctl";

const EDITS: Readonly<Record<string, (place: Workspace) => Promise<unknown>>> = {
  "another guard": (place) => place.write(SETTINGS, JSON.stringify({ guards: { filesystem: {} } })),
  "a rule": (place) => place.write(SETTINGS, rules("ls")),
  "settings that are not valid": (place) => place.write(SETTINGS, "{"),
  "no settings": ({ home }) => rm(join(home, ".kodelet/hooks.json"), { force: true }),
  "settings as old and as long as before": async (place) => {
    const file = await place.write(SETTINGS, GUARDED.replace("git", "sql"));
    await utimes(file, 1e9, 1e9);
  },
  "settings by a rename": async (place) => {
    const file = await place.write("home/new", rules("ls"));
    await rename(file, join(place.home, ".kodelet/hooks.json"));
  },
  "settings in another format": (place) => place.write("home/.kodelet/hooks.yaml", "guards: {sql: {}}"),
  "settings in the other folder": (place) => place.write("home/.config/hookctl/config.json", GUARDED),
  "settings of the project": (place) => place.write("project/.kodelet/hooks.json", rules("ls")),
  "settings in package.json": (place) => place.write("project/package.json", `{"hookctl":${rules("ls")}}`),
  "a hook": (place) => place.hook("own", "printf '{}'"),
  "a hook of a plugin": (place) => place.hook("packed", "printf '{}'", { plugin: "me@pack" }),
  "a hook of the project": (place) => place.hook("own", "printf '{}'", { scope: "project" }),
  "a project around it": ({ dir }) => mkdir(join(dir, ".git"), { recursive: true }),
  "a folder of the project": ({ project }) => mkdir(join(project, ".kodelet/hooks"), { recursive: true }),
  "an approval": async (place) => {
    await place.hook("own", "printf '{}'", { scope: "project" });
    await runMain(place, ["trust", "--all", "--yes"], { env: { HOOKCTL_PERSON: "1" } });
  },
  "a store of approvals that is not valid": (place) => place.write(`${STATE}/trust.json`, "{", 0o600),
  "a pause": (place) => place.write(`${STATE}/pauses.json`, "{", 0o600),
  "what is known of the user's settings": (place) => place.write(`${STATE}/user-settings.json`, "{", 0o600),
  "another folder": async ({ home }) => {
    await rm(join(home, "old"), { recursive: true, force: true });
    await rename(join(home, ".kodelet"), join(home, "old"));
    await mkdir(join(home, ".kodelet"));
  },
  "no hooks": async ({ home, project }) => {
    for (const folder of [home, project])
      for (const name of ["hooks", "plugins"])
        await rm(join(folder, ".kodelet", name), { recursive: true, force: true });
  },
  nothing: async () => {},
};

const GUARDED = JSON.stringify({ guards: { git: {} } });

async function prepareIn(place: Workspace, prepare: PrepareCall, variables: NodeJS.ProcessEnv) {
  const argv = ["bridge", "claude", "--event", "PreToolUse", "--fail-closed"];
  const host = { ...createHost(process), argv, env: variables, cwd: place.project, nowMs: later };
  const parsed = unwrap(parseCommandLine(argv, coreCommands));
  if (parsed.kind !== "call") throw new Error("it is a call");
  const options = unwrap(await readBridgeOptions(parsed.line as CommandLine<"bridge">, host.env));
  const native = { session_id: "s", cwd: place.project, tool_name: "Bash", tool_input: { command: "ls" } };
  const source = Buffer.from(JSON.stringify({ ...native, hook_event_name: "PreToolUse", tool_use_id: "t" }));
  const call = unwrap(await parseCall(source, options, host));
  if (call === null) throw new Error("the event is known");
  return await prepare(call, options, host);
}

const NOT_FOUND = { found: null, sets: null };

/** All that decides about a call. */
function said(prepared: Awaited<ReturnType<PrepareCall>>) {
  if (!prepared.ok) return prepared;
  const { context, loaded, found, hookSets } = prepared.value;
  const { settings, scopes, machine, pauses, lostSettings } = context;
  const { problem, problems, warnings } = loaded;
  const sets = hookSets?.map((set) => ({ ...set, resolveMs: 0, recheckTrust: null })) ?? null;
  const approvals = context.trustStore.approvals();
  return { settings, scopes, machine, pauses, lostSettings, problem, problems, warnings, found, sets, approvals };
}

test.each(Object.entries(EDITS))("what is kept of a call is what a new process finds after %s", async (_, edit) => {
  await using place = await workspace();
  await place.write(SETTINGS, GUARDED);
  const kept = keptCalls(later);
  await prepareIn(place, kept, place.env);
  const before = await prepareIn(place, kept, place.env);
  await edit(place);
  const after = await prepareIn(place, kept, place.env);
  expect(said(after)).toEqual(said(await prepareIn(place, keptCalls(later), place.env)));
  expect(before.ok && before.value.hookSets?.[0]?.hooks.map(({ name }) => name)).toContain("git");
});

test("what is kept of a call is what a new process finds after any edits", { tags: ["slow"] }, async () => {
  const someEdits = fc.array(fc.constantFrom(...Object.keys(EDITS)), { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(someEdits, async (edits) => {
      await using place = await workspace();
      await place.write(SETTINGS, GUARDED);
      const kept = keptCalls(later);
      for (const name of edits) {
        await EDITS[name]?.(place);
        for (let count = 0; count < 2; count++) {
          const now = said(await prepareIn(place, kept, place.env));
          const fresh = said(await prepareIn(place, keptCalls(later), place.env));
          // After a call with hooks that are files, nothing of such calls is kept.
          const isFound = "found" in now && now.found !== null;
          expect({ name, now }).toEqual({ name, now: isFound ? fresh : { ...fresh, ...NOT_FOUND } });
        }
      }
    }),
    { numRuns: process.env.HOOKCTL_TEST_PROPERTIES === "full" ? 1000 : 100 },
  );
});

test("a call with the same files behind it, and another time, is not prepared again", async () => {
  await using place = await workspace();
  await place.write(SETTINGS, GUARDED);
  const kept = keptCalls(later);
  const calls = [];
  // The first call notes the settings that it has seen.
  for (let count = 0; count < 4; count++) calls.push(await prepareIn(place, kept, place.env));
  const [before, after] = calls.slice(-2).map((call) => (call.ok ? call.value : null));
  expect(after?.found).toBe(before?.found);
  expect(after?.context.runId).not.toBe(before?.context.runId);
  const other = await prepareIn(place, kept, { ...place.env, HOME: place.project });
  expect(other.ok && other.value.context.scopes.homeDir).toBe(place.project);
});
