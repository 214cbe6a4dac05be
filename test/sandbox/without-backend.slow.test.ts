import { mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { SYSTEM_PATH } from "../support/compilers.ts";
import { parseRunJson } from "../support/json-output.ts";
import { type CommandResult, HOOKCTL, runProgram, type Workspace, workspace } from "../support/workspace.ts";
import { missingHere, unlessMissing } from "./bubblewrap.ts";
import { setSandbox } from "./probe.ts";

/** A machine that differs from this one in its bubblewrap alone: the options of an outer bubblewrap that makes it. */
interface Machine {
  readonly title: string;
  readonly options: (place: Workspace) => Promise<readonly string[]>;
  readonly cause: RegExp;
}

/** All programs of this machine but one. */
function programsWithout(name: string, place: Workspace): readonly string[] {
  const [programs, originals] = [join(place.dir, "programs"), join(place.dir, "originals")];
  for (const folder of [programs, originals]) mkdirSync(folder);
  for (const one of readdirSync("/usr/bin")) if (one !== name) symlinkSync(join(originals, one), join(programs, one));
  return ["--bind", "/usr/bin", originals, "--bind", programs, "/usr/bin"];
}

const machines: readonly Machine[] = [
  {
    title: "without bubblewrap",
    options: async (place) => programsWithout("bwrap", place),
    cause: /bwrap is not installed/,
  },
  {
    title: "whose bubblewrap fails",
    options: async (place) => {
      const broken = await place.write("broken", "#!/bin/sh\necho 'bwrap: no luck today' >&2\nexit 1\n", 0o755);
      return ["--ro-bind", broken, "/usr/bin/bwrap"];
    },
    cause: /no luck today|can be changed by others/,
  },
  {
    title: "whose bubblewrap does nothing and says it went well",
    options: async (place) => {
      const idle = await place.write("idle", "#!/bin/sh\nexit 0\n", 0o755);
      return ["--ro-bind", idle, "/usr/bin/bwrap"];
    },
    cause: /does not work here|can be changed by others/,
  },
  {
    title: "that lets nobody make a namespace, as many containers",
    options: async () => ["--unshare-user", "--disable-userns", "--cap-drop", "ALL"],
    cause: /does not work here|can be changed by others/,
  },
];

const call = (place: Workspace, options: readonly string[], sandbox: string): Promise<CommandResult> =>
  setSandbox(place, sandbox).then(() =>
    runProgram(
      [
        ...["bwrap", "--dev-bind", "/", "/", ...options, "--"],
        ...[...HOOKCTL, "run", "before_tool_call", "--json", "-q"],
      ],
      {
        cwd: place.project,
        env: { ...place.env, PATH: SYSTEM_PATH },
        stdin: JSON.stringify({ tool_name: "bash", tool_input: { command: "ls" } }),
      },
    ),
  );

describe.skipIf(missingHere !== null)(`on a machine${unlessMissing}`, () => {
  test.each(machines)("$title, `require` refuses the hook and starts nothing of it", async ({ options, cause }) => {
    await using place = await workspace();
    const canary = join(place.dir, "canary");
    const line = `echo "$1" >> '${canary}'; if [ "$1" = hook ]; then echo before_tool_call; exit; fi; cat >/dev/null`;
    await place.write("home/.kodelet/hooks/probe", `#!/bin/sh\n${line}\n`, 0o755);
    const given = await options(place);

    const refused = await call(place, given, "require");
    const [hook] = parseRunJson(refused).hooks;
    expect(hook).toMatchObject({ outcome: "refused", failure: { code: "HOOK_REFUSED_SANDBOX" } });
    expect(hook?.failure?.message).toMatch(cause);
    expect(await place.read("canary")).toBeNull();

    const control = await call(place, given, "off");
    expect(parseRunJson(control).hooks).toMatchObject([{ outcome: "continue", sandbox: null }]);
    expect(await place.read("canary")).toBe("hook\nrun\n");

    const automatic = await call(place, given, "auto");
    expect(parseRunJson(automatic).hooks).toMatchObject([{ outcome: "continue", sandbox: "none" }]);
  });
});
