import { chown, readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { AGENT_INSTALLS, AGENTS } from "../../packages/agents/agents.ts";
import { placeClosedToUsers } from "../../src/fs/machine-folder.ts";
import { writeFileAtomic } from "../../src/fs/write-file.ts";
import { AGENT_NAMES } from "../../src/protocol/agent-names.ts";
import { giveToUser } from "../support/as-user.ts";
import { machine, WHY_NOT_INSTALLED } from "../support/machine.ts";
import { HOOKCTL, workspace } from "../support/workspace.ts";

test("every agent with a file for the machine says what its administrator has to know", () => {
  for (const name of AGENT_NAMES) {
    const { machine: file } = AGENTS[name].settings.files;
    expect(AGENT_INSTALLS[name].machineNote === undefined).toBe(file === undefined);
    if (file !== undefined) expect(file).toMatch(/^\/etc\//);
  }
});

describe.skipIf(WHY_NOT_INSTALLED !== "")(`install --scope machine${WHY_NOT_INSTALLED}`, () => {
  test("a user is told who may, and can print it", async () => {
    await using place = await workspace();
    await using there = await machine();
    await giveToUser(place);
    const refused = await there.runAsUser(place, ["install", "claude", "--scope", "machine"]);
    expect(refused).toMatchObject({ code: 64, stdout: "" });
    expect(refused.stderr).toContain("sudo hookctl install claude --scope machine");
    const printed = await there.runAsUser(place, ["install", "claude", "--scope", "machine", "--print"]);
    expect(printed).toMatchObject({ code: 0, stderr: "/etc/claude-code/managed-settings.d/hookctl.json:\n" });
    expect(Object.keys(JSON.parse(printed.stdout).hooks)).toContain("PreToolUse");
    await expect(stat(join(there.etc, "claude-code"))).rejects.toThrow("ENOENT");
  });

  test("users may read what root writes, whatever root's umask", async () => {
    await using place = await workspace();
    await using there = await machine();
    const words = ["sh", "-c", 'umask 077; exec "$@"', "sh", ...HOOKCTL, "install", "claude", "--scope", "machine"];
    expect(await there.start(words, { cwd: place.project, env: { HOME: "/root" } })).toMatchObject({ code: 0 });
    expect(placeClosedToUsers(join(there.etc, "claude-code"))).toBeNull();
  });

  test("guards for every user are turned on with the registration, and all of it goes", async () => {
    await using place = await workspace();
    await using there = await machine();
    const root = { env: { HOME: place.home } };
    const init = ["init", "claude", "--scope", "machine", "--guards", "git"];
    expect(await there.runAsRoot(place, [...init, "--print"], root)).toMatchObject({ code: 64 });
    const done = await there.runAsRoot(place, init, root);
    expect(done).toMatchObject({ code: 0, stdout: expect.stringMatching(/^✔ Guards on for every user: git /m) });
    expect(await readFile(join(there.etc, "hookctl", "hooks.json"), "utf8")).toContain('"git": true');
    expect(placeClosedToUsers(join(there.etc, "hookctl", "hooks.json"))).toBeNull();
    // No call of a user has to parse them.
    expect(await readdir(join(there.cache, "hookctl"))).toEqual([expect.stringMatching(/^plan-/)]);
    expect(await there.runAsRoot(place, ["uninstall", "--all", "--yes"], root)).toMatchObject({ code: 0 });
    await expect(stat(join(there.cache, "hookctl"))).rejects.toThrow("ENOENT");
    for (const folder of ["hookctl", "claude-code"])
      await expect(stat(join(there.etc, folder))).rejects.toThrow("ENOENT");
  });

  test("the guards are turned on with --json, too", async () => {
    await using place = await workspace();
    await using there = await machine();
    const words = ["init", "claude", "codex", "--scope", "machine", "--guards", "git", "--json"];
    const { stdout } = await there.runAsRoot(place, words, { env: { HOME: place.home } });
    expect(JSON.parse(stdout)).toMatchObject({
      schema: "hookctl.install/2",
      agents: ["claude", "codex"].map((agent) => ({ agent, scope: "machine" })),
    });
    expect(await readFile(join(there.etc, "hookctl", "hooks.json"), "utf8")).toContain('"git": true');
  });

  test.each(['"rules": true', '"git": true'])(
    "a rule that a guard of the machine overrules has no effect: %s",
    async (guards) => {
      await using place = await workspace();
      await using there = await machine();
      await there.write("hookctl/hooks.json", '{"guards": {"git": true}}');
      await place.write(
        "home/.kodelet/hooks.json",
        `{"guards": {${guards}}, "commands": {"allow": ["git reset --hard"]}}`,
      );
      await giveToUser(place);
      const { stdout } = await there.runAsUser(place, ["rules", "--json"]);
      expect(JSON.parse(stdout).rules).toMatchObject([
        { match: "git reset --hard", why: expect.stringContaining("git is set for everybody on this machine") },
      ]);
    },
  );

  test("a command writes nothing that a guard of the machine would overrule, or says that it has no effect", async () => {
    await using place = await workspace();
    await using there = await machine();
    const settings = { guards: { git: true }, commands: { block: ["npm publish *"] }, cage: { mode: "require" } };
    await there.write("hookctl/hooks.json", JSON.stringify(settings));
    await giveToUser(place);
    const run = (...args: readonly string[]) => there.runAsUser(place, args);
    for (const args of [
      ["allow", "git reset --hard"],
      ["allow", "npm publish x"],
      ["off", "git/discard-changes"],
      ["off", "cage"],
    ])
      expect(await run(...args)).toMatchObject({ stderr: expect.stringContaining("USAGE_MACHINE_HOOK"), code: 64 });
    expect((await run("rules")).stdout).not.toContain("rules remove");
    expect((await run("config", "set", "guards.git.observe", "true")).stdout).toContain(
      "but it has no effect: guards.git is set by the machine (/etc/hookctl/hooks.json)\n",
    );
    expect((await run("rules", "remove", "npm publish *")).stderr).toContain("USAGE_MACHINE_HOOK");
    await place.write("home/.kodelet/hooks.json", '{"commands":{"ask":["npm *"]}}');
    expect((await run("rules")).stdout).toContain("Remove one: hookctl rules remove 'npm *'\n");
  });

  test("the home of the user who called sudo is no project, and what root writes there stays the user's", async () => {
    await using place = await workspace();
    await using there = await machine();
    await place.write("project/.kodelet/hooks/own", "#!/bin/sh\necho before_tool_call\n", 0o755);
    await there.write("passwd", `eve:x:4242:4242::${place.project}:/bin/sh\n`);
    const folders = async (env: Readonly<Record<string, string>>): Promise<string> =>
      JSON.parse((await there.runAsRoot(place, ["list", "--json"], { env: { HOME: place.home, ...env } })).stdout)
        .searched;
    expect(await folders({})).toContain(join(place.project, ".kodelet", "hooks"));
    expect(await folders({ SUDO_UID: "4242" })).not.toContain(join(place.project, ".kodelet", "hooks"));
  });
});

test.skipIf(process.getuid?.() !== 0)("a file that root writes again keeps its owner", async () => {
  await using place = await workspace();
  const file = await place.write("own/settings.json", "{}");
  await chown(file, 65534, 65534);
  writeFileAtomic(file, "{  }");
  // A stranger's file in a folder of root becomes root's.
  expect(await stat(file)).toMatchObject({ uid: 0 });
  for (const path of [file, join(place.dir, "own")]) await chown(path, 65534, 65534);
  writeFileAtomic(file, "{ }");
  expect(await stat(file)).toMatchObject({ uid: 65534, gid: 65534 });
});
