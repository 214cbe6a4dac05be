import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { runMain } from "../support/in-process.ts";
import { printResponse } from "../support/shell.ts";
import { answered, EVENTS, hook, hooksOf, listed, NO_ACTION, type Ported, script, sent } from "./ported.ts";

/** Which files are hooks, under which names and in which order. */
export const FINDING: readonly Ported[] = [
  {
    of: "TestHookType_Constants",
    promise: "the five events are called as kodelet called them",
    check: async (place) => {
      for (const event of EVENTS) await hook(place, `on-${event}`, event, null);
      const { hooks } = await listed(place);
      expect(hooks.map(({ name, events }) => [name, events])).toEqual(
        expect.arrayContaining(EVENTS.map((event) => [`on-${event}`, [event]])),
      );
    },
  },
  {
    of: "TestNewHookManager_NoHooksDir",
    promise: "in an empty folder there are no hooks",
    check: async (place) => {
      const empty = join(place.dir, "empty");
      await mkdir(empty);
      expect(await listed(place, "--hooks-dir", empty)).toMatchObject({ hooks: [], skipped: [], warnings: [] });
      for (const event of EVENTS) {
        const result = await runMain(place, ["run", event, "-q", "--hooks-dir", empty], { stdin: sent(event) });
        expect(result).toMatchObject({ code: 0, stdout: `${JSON.stringify(NO_ACTION[event])}\n` });
      }
    },
  },
  {
    of: "TestNewHookManager_NonExistentDir",
    promise: "a folder that is not there brings no hooks and no error",
    differs: "a missing default folder is fine, one that --hooks-dir names is a usage error",
    check: async (place) => {
      expect(await answered(place, "before_tool_call")).toEqual({ code: 0, result: { blocked: false } });
      const named = ["run", "before_tool_call", "--hooks-dir", "/not/there"];
      const result = await runMain(place, named, { stdin: sent("before_tool_call") });
      expect(result).toMatchObject({ code: 64, stdout: "", stderr: expect.stringContaining("/not/there") });
    },
  },
  {
    of: "TestDiscovery_WithDefaultDirs",
    promise: "without any choice the project's folder is searched first, then the user's",
    check: async (place) => {
      const { searched } = await listed(place);
      expect(searched).toEqual([join(place.project, ".kodelet/hooks"), join(place.home, ".kodelet/hooks")]);
    },
  },
  {
    of: "TestDiscovery_WithHookDirs",
    promise: "folders that are named are searched in their order, and in place of the others",
    check: async (place) => {
      await hook(place, "default", "before_tool_call", null);
      const folders = ["dir1", "dir2"].map((name) => join(place.dir, name));
      for (const folder of folders) await place.write(join(folder, `in-${folder.at(-1)}`), script("agent_stop"), 0o755);
      const named = folders.flatMap((folder) => ["--hooks-dir", folder]);
      const { searched, hooks } = await listed(place, "--trust", ...named);
      expect(searched).toEqual(folders);
      expect(hooks.map(({ name }) => name)).toEqual(["in-1", "in-2"]);
    },
  },
  {
    of: "TestDiscovery_WithHookDirConfigs",
    promise: "a plugin's folder has a prefix, a folder of its own has none",
    check: async (place) => {
      await place.hook("same", "cat > /dev/null", { says: "agent_stop", plugin: "org@repo" });
      await hook(place, "same", "agent_stop", null);
      const { searched, hooks } = await listed(place);
      expect(searched.slice(1)).toEqual(
        ["hooks", "plugins/org@repo/hooks"].map((path) => join(place.home, ".kodelet", path)),
      );
      expect(hooks.map(({ name }) => name)).toEqual(["same", "org/repo/same"]);
    },
  },
  {
    of: "TestHookManager_HasHooks",
    promise: "a hook is one of its own event and of no other",
    check: async (place) => {
      await hook(place, "test_hook", "before_tool_call", null);
      for (const event of EVENTS)
        expect(await hooksOf(place, event)).toEqual(event === "before_tool_call" ? ["test_hook"] : []);
    },
  },
  {
    of: "TestHookManager_GetHooks",
    promise: "the hooks of one event are listed in the order in which they run",
    check: async (place) => {
      for (const name of ["hook2", "hook1"]) await hook(place, name, "user_message_send", null);
      expect(await hooksOf(place, "user_message_send")).toEqual(["hook1", "hook2"]);
      expect(await hooksOf(place, "agent_stop")).toEqual([]);
    },
  },
  {
    of: "TestHookManager_GetHookByName",
    promise: "a hook is found by its name, of whichever event, and a name that nobody has finds none",
    check: async (place) => {
      await hook(place, "standalone-hook", "before_tool_call", null);
      await place.hook("plugin-hook", "cat > /dev/null", { plugin: "org@repo" });
      await hook(place, "after-hook", "after_tool_call", null);
      for (const name of ["standalone-hook", "org/repo/plugin-hook", "after-hook"]) {
        expect((await listed(place, "--hook", name)).hooks).toMatchObject([{ name }]);
      }
      const none = await runMain(place, ["list", "--json", "--hook", "non-existent"]);
      expect(none).toMatchObject({
        code: 64,
        stdout: expect.stringContaining('"code":"USAGE_UNKNOWN_HOOK"'),
        stderr: expect.stringContaining("non-existent"),
      });
    },
  },
  {
    of: "TestHookManager_AllHooks",
    promise: "all hooks are listed, of every event",
    check: async (place) => {
      for (const name of ["hook1", "hook2"]) await hook(place, name, "before_tool_call", null);
      await hook(place, "hook3", "after_tool_call", null);
      expect((await listed(place)).hooks).toHaveLength(3);
    },
  },
  {
    of: "TestDiscoverHooks_SkipsDirectories",
    promise: "a sub-folder is no hook",
    check: async (place) => {
      await mkdir(join(place.home, ".kodelet/hooks/subdir"), { recursive: true });
      expect(await listed(place)).toMatchObject({ hooks: [], skipped: [{ name: "subdir", reason: "sub_folder" }] });
    },
  },
  {
    of: "TestDiscoverHooks_SkipsNonExecutable",
    promise: "a file without an execute bit is no hook",
    differs: "one of the user's own whose text names an event is not started either, and is said to be lost",
    check: async (place) => {
      const skipped = [{ name: "non_exec_hook", reason: "not_executable" }];
      const named = await place.write("named/non_exec_hook", script("before_tool_call"), 0o644);
      expect(await listed(place, "--hooks-dir", dirname(named))).toMatchObject({ hooks: [], skipped });
      const own = await place.hook("non_exec_hook", printResponse({ blocked: true }), { mode: 0o644 });
      expect(await listed(place)).toMatchObject({ hooks: [{ name: "non_exec_hook" }], skipped });
      expect((await runMain(place, ["list"])).stdout).toContain(`To enable it: chmod +x ${own}`);
      expect(await answered(place, "before_tool_call")).toMatchObject({
        code: 0,
        result: { blocked: false, warnings: [expect.stringContaining("no execute bit")] },
      });
    },
  },
  {
    of: "TestDiscoverHooks_SkipsDisabledHooks",
    promise: "a name that ends in .disable switches the file off",
    check: async (place) => {
      for (const name of ["valid_hook", "audit-tool-call.disable"]) await hook(place, name, "before_tool_call", null);
      expect(await hooksOf(place, "before_tool_call")).toEqual(["valid_hook"]);
    },
  },
  {
    of: "TestDiscoverHooks_PluginPrefixNaming",
    promise: "a plugin org@repo gives its hooks the prefix org/repo/",
    check: async (place) => {
      const path = await place.hook("validate-output", "cat > /dev/null", { plugin: "org@repo" });
      expect((await listed(place)).hooks).toMatchObject([{ name: "org/repo/validate-output", path }]);
    },
  },
  {
    of: "TestHookPrecedence",
    promise: "of one name in two folders the file in the first one counts",
    check: async (place) => {
      const paths = [];
      for (const folder of ["first", "second"]) {
        paths.push(await place.write(`${folder}/test_hook`, script("before_tool_call"), 0o755));
      }
      const named = ["first", "second"].flatMap((folder) => ["--hooks-dir", join(place.dir, folder)]);
      const { hooks } = await listed(place, "--trust", ...named);
      expect(hooks.map(({ path }) => path)).toEqual(paths.slice(0, 1));
    },
  },
  {
    of: "TestIntegration_InvalidHookType_Skipped",
    promise: "a file that names an event nobody knows is no hook",
    check: async (place) => {
      await place.hook("invalid_hook", printResponse({ blocked: true }), { says: "invalid_type" });
      for (const event of EVENTS) expect(await hooksOf(place, event)).toEqual([]);
      expect(await answered(place, "before_tool_call")).toMatchObject({ code: 0, result: { blocked: false } });
    },
  },
  {
    of: "TestIntegration_HookDiscoveryCommand_Fails",
    promise: "a file that fails when it is asked for its event is no hook",
    check: async (place) => {
      await place.hook("broken_hook", `#!/bin/sh\n[ "$1" = hook ] && exit 1\n${printResponse({ blocked: true })}\n`);
      expect(await hooksOf(place, "before_tool_call")).toEqual([]);
      expect(await answered(place, "before_tool_call")).toMatchObject({ code: 0, result: { blocked: false } });
    },
  },
  {
    of: "TestIntegration_MultipleHookTypes",
    promise: "hooks of several events lie side by side in one folder",
    check: async (place) => {
      await hook(place, "before_hook", "before_tool_call", { blocked: false });
      await hook(place, "after_hook", "after_tool_call", null);
      await hook(place, "user_msg_hook", "user_message_send", { blocked: false });
      await hook(place, "stop_hook", "agent_stop", { follow_up_messages: ["done"] });
      const names = { before_tool_call: "before_hook", after_tool_call: "after_hook", agent_stop: "stop_hook" };
      for (const [event, name] of Object.entries({ ...names, user_message_send: "user_msg_hook" })) {
        expect(await hooksOf(place, event as keyof typeof names)).toEqual([name]);
      }
    },
  },
];
