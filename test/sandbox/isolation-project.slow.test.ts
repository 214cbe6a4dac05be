import { existsSync, readFileSync } from "node:fs";
import { symlink } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { parseRunJson } from "../support/json-output.ts";
import { type Workspace, workspace } from "../support/workspace.ts";
import { missingHere, unlessMissing } from "./bubblewrap.ts";
import { callHook, inWorkspace, PROBE_FILE, probeHook, reportOf, SETTINGS_FILE } from "./probe.ts";

const PROJECT_SETTINGS = "project/.kodelet/hooks.json";
const textOf = (path: string): string | null => (existsSync(path) ? readFileSync(path, "utf8") : null);

/** A project with one command, which a person has read and approved. */
async function approvedCommand(place: Workspace, command: string, sandbox: unknown): Promise<void> {
  const entry = { on: "before_tool_call", name: "probe", command: ["/bin/sh", "-c", command], sandbox };
  await place.write(PROJECT_SETTINGS, JSON.stringify({ hooks: [entry] }));
  expect(await place.run(["trust", "--yes"])).toMatchObject({ code: 0 });
}

/** Ways out of the project that its author may write; the target is what the command writes. */
const GRANTS_OUT: readonly (readonly [title: string, grant: (place: Workspace) => string])[] = [
  ["a relative path", () => "../elsewhere/"],
  ["an absolute path", (place) => inWorkspace(place, "elsewhere")],
  ["a path below the home", () => "~/elsewhere/"],
  ["a symlink in the project", () => "link/"],
  ["a path through a symlink in the project", () => "link/target"],
];

describe.skipIf(missingHere !== null)(`a project never weakens the sandbox${unlessMissing}`, () => {
  test.each(GRANTS_OUT)("its grant of %s that leads out of it refuses the hook", async (_title, grant) => {
    await using place = await workspace();
    for (const folder of ["elsewhere", "home/elsewhere"]) await place.write(`${folder}/target`, "before\n");
    await symlink(inWorkspace(place, "elsewhere"), inWorkspace(place, "project/link"));
    const command = `cat > /dev/null; for one in elsewhere home/elsewhere; do echo out > '${place.dir}'/$one/target; done`;
    await approvedCommand(place, command, { write_paths: [grant(place)] });
    expect(reportOf(await callHook(place))).toContain("leads out of the project");
    for (const folder of ["elsewhere", "home/elsewhere"])
      expect(textOf(inWorkspace(place, `${folder}/target`))).toBe("before\n");
    await approvedCommand(place, command, "off");
    await callHook(place);
    expect(textOf(inWorkspace(place, "elsewhere/target"))).toBe("out\n");
  });

  test("a wider grant than the approved one has to be approved again", async () => {
    await using place = await workspace();
    const file = await place.write("project/notes", "before\n");
    const command = `cat > /dev/null; echo out > '${file}'`;
    await approvedCommand(place, command, { write_paths: ["out/"] });
    const settings = readFileSync(inWorkspace(place, PROJECT_SETTINGS), "utf8");
    await place.write(PROJECT_SETTINGS, settings.replace('"out/"', '"./"'));
    await callHook(place);
    expect(textOf(file)).toBe("before\n");
    expect(await place.run(["trust", "--yes"])).toMatchObject({ code: 0 });
    await callHook(place);
    expect(textOf(file)).toBe("out\n");
  });

  test.each([
    ["off", "off"],
    ["auto", "auto"],
    ["grants", { network: true, write_paths: ["./"] }],
  ])("its override with %s changes nothing of a hook that the user sandboxed", async (_title, sandbox) => {
    await using place = await workspace();
    const attempt = `write(host["dir"] + "/project/new", "x")`;
    await place.write(PROBE_FILE, probeHook(attempt, { dir: place.dir }), 0o755);
    await place.write(SETTINGS_FILE, JSON.stringify({ overrides: { probe: { sandbox: "require" } } }));
    await place.write(PROJECT_SETTINGS, JSON.stringify({ overrides: { probe: { sandbox } } }));
    await place.run(["trust", "--yes"]);
    const result = await callHook(place);
    expect(reportOf(result)).toMatch(/^tried OSError/);
    expect(parseRunJson(result).hooks[0]?.sandbox).toBe("bubblewrap: no network, no writes");
    expect(existsSync(inWorkspace(place, "project/new"))).toBe(false);
  });
});

/** What a command of Reyn's schemes redirects its output to is granted with the command; not these. */
const REDIRECTS: readonly (readonly [title: string, target: string])[] = [
  ["a hook of git", ".git/hooks/post-commit"],
  ["settings of Claude Code", ".claude/settings.json"],
  ["hook settings", ".kodelet/hooks.json"],
  ["a new hook", ".kodelet/hooks/more"],
  ["a file outside", "../elsewhere/target"],
  ["a file behind a symlink", "link/target"],
  ["a file in the home", "$HOME/.bashrc"],
];

describe.skipIf(missingHere !== null)(`a command that the project redirects to${unlessMissing}`, () => {
  test.each(REDIRECTS)("%s writes nothing there", async (_title, target) => {
    await using place = await workspace();
    const files = [
      "project/.git/hooks/post-commit",
      "project/.claude/settings.json",
      "elsewhere/target",
      "home/.bashrc",
    ];
    for (const file of files) await place.write(file, "{}\n");
    await symlink(inWorkspace(place, "elsewhere"), inWorkspace(place, "project/link"));
    const entry = (sandbox: string) => ({ on: "turn_end", name: "log", shell_exec: `echo out > "${target}"`, sandbox });
    const call = async (sandbox: string): Promise<void> => {
      await place.write("project/reyn.yaml", JSON.stringify({ hooks: [entry(sandbox)] }));
      expect(await place.run(["trust", "--yes"])).toMatchObject({ code: 0 });
      await place.run(["run", "turn_end", "-q"], { stdin: '{"conv_id":"s1","response":"r"}' });
    };
    const written = (): readonly string[] =>
      [...files, "project/.kodelet/hooks.json", "project/.kodelet/hooks/more"].filter(
        (file) => textOf(inWorkspace(place, file)) === "out\n",
      );
    await call("require");
    // The approval that showed it grants a redirection to an ordinary file, and to no other.
    expect(written()).toEqual(target === "../elsewhere/target" ? ["elsewhere/target"] : []);
    expect(existsSync(inWorkspace(place, "project/.kodelet/hooks/more"))).toBe(false);
    await call("off");
    expect(written()).toHaveLength(1);
  });
});
