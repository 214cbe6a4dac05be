import { chown, mkdir, readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { AGENTS } from "../../packages/agents/agents.ts";
import { AGENT_NAMES } from "../../src/protocol/agent-names.ts";
import { AS_USER, giveToUser } from "../support/as-user.ts";
import { machine, WHY_NOT_INSTALLED } from "../support/machine.ts";
import { AS_PERSON, HOOKCTL, mainScript, testOnNode, workspace } from "../support/workspace.ts";

const WITH_MACHINE = AGENT_NAMES.filter((name) => AGENTS[name].settings.files.machine !== undefined);
const WITHOUT = AGENT_NAMES.filter((name) => !WITH_MACHINE.includes(name));
const AS_ROOT = { env: { HOME: "/root" } };
const onTerminal = (words: readonly string[]): readonly string[] => ["script", "-qec", words.join(" "), "/dev/null"];

describe.skipIf(WHY_NOT_INSTALLED !== "")(`install --scope machine${WHY_NOT_INSTALLED}`, () => {
  test.each(WITH_MACHINE)("registers hookctl for everybody in %s, and takes it away again", async (agent) => {
    await using place = await workspace();
    await using there = await machine();
    const path = AGENTS[agent].settings.files.machine ?? "";
    const file = join(there.etc, path.slice("/etc/".length));

    const installed = await there.runAsRoot(place, ["install", agent, "--scope", "machine"], AS_ROOT);
    expect(installed).toMatchObject({ code: 0, stderr: "" });
    expect(installed.stdout).toContain(`Wrote ${path}`);
    const text = await readFile(file, "utf8");
    const program = `\\"/etc/hookctl/hookctl\\" bridge ${agent} --event `;
    expect(text.split(program).length - 1).toBe(
      Object.values(AGENTS[agent].events).filter(({ isOnRequest }) => isOnRequest !== true).length,
    );
    const launcher = await readFile(join(there.etc, "hookctl/hookctl"), "utf8");
    expect(launcher).toContain(`\nexec ${HOOKCTL.map((word) => `'${word}'`).join(" ")} "$@"\n`);
    // What fails to start must not allow a call, because its user could make it fail.
    expect(text).toContain(" --fail-closed --proof) || ");
    const { uid, mode } = await stat(file);
    expect({ uid, mode: mode & 0o777 }).toEqual({ uid: 0, mode: 0o644 });

    const words = [...AS_PERSON, "uninstall", agent, "--scope", "machine"];
    const removed = await there.start(onTerminal(words), { cwd: place.project, env: { HOME: "/root" } });
    expect(removed.stdout).toContain(`Removed ${path}`);
    await expect(stat(file)).rejects.toThrow("ENOENT");
  });

  test.each(["claude", "gemini"])("%s then calls hookctl for a user who is not root, as doctor sees", async (agent) => {
    await using place = await workspace();
    await using there = await machine();
    await there.runAsRoot(place, ["install", agent, "--scope", "machine"], AS_ROOT);
    await giveToUser(place);
    const checked = await there.runAsUser(place, ["doctor", agent, "--json"]);
    const checks: readonly { name: string; status: string; detail: string }[] = JSON.parse(checked.stdout).checks;
    expect(checks.filter(({ status }) => status === "fail")).toEqual([]);
    expect(checks.find(({ name }) => name === `${agent} entry`)).toMatchObject({ status: "ok" });
    expect(checks.find(({ name }) => name === `${agent} bridge`)).toMatchObject({ status: "ok" });
  });

  test.each(["dash", "bash"])("%s says which file to edit if the package was removed alone", async (shell) => {
    await using place = await workspace();
    await using there = await machine();
    await there.runAsRoot(place, ["install", "claude", "--scope", "machine"], AS_ROOT);
    const launcher = await readFile(join(there.etc, "hookctl/hookctl"), "utf8");
    await there.write("hookctl/hookctl", launcher.replaceAll("bin/hookctl.js'", "bin/gone.js'"), 0o755);
    const text = await readFile(join(there.etc, "claude-code/managed-settings.d/hookctl.json"), "utf8");
    const { command } = JSON.parse(text).hooks.SessionStart[0].hooks[0];
    const { code, stdout } = await there.start([shell, "-c", command]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).systemMessage).toMatch(
      /^hookctl is not installed, .* run sudo hookctl init claude --scope machine, or remove .* from \/etc\/claude-code\/\S+\.$/,
    );
  });

  test("what it registers blocks also where its user lets hookctl not even start", async () => {
    await using place = await workspace();
    await using there = await machine();
    await there.runAsRoot(place, ["install", "claude", "--scope", "machine"], AS_ROOT);
    const text = await readFile(join(there.etc, "claude-code/managed-settings.d/hookctl.json"), "utf8");
    const { command } = JSON.parse(text).hooks.PreToolUse[0].hooks[0];
    await giveToUser(place);
    const stdin = JSON.stringify({ hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "ls" } });
    const call = (limit: string) =>
      there.start([...AS_USER, "/bin/sh", "-c", `${limit} ${command}`], { cwd: place.project, stdin, env: place.env });
    expect((await call("")).stdout).toBe("");
    expect((await call("ulimit -v 50000;")).stdout).toContain('"permissionDecision":"deny"');
  });

  test.each(WITHOUT)("says that %s has no settings for the whole machine", async (agent) => {
    await using place = await workspace();
    await using there = await machine();
    const result = await there.runAsRoot(place, ["install", agent, "--scope", "machine"], AS_ROOT);
    expect(result).toMatchObject({ code: 64, stdout: "" });
    expect(result.stderr).toContain(`${AGENTS[agent].title} has no such scope: `);
  });

  test("keeps what the file holds, and pins the switch of the agent", async () => {
    await using place = await workspace();
    await using there = await machine();
    const file = await there.write("gemini-cli/settings.json", '{\n  // ours\n  "ui": {"theme": "x"}\n}\n');
    await there.runAsRoot(place, ["install", "gemini", "--scope", "machine"], AS_ROOT);
    const text = await readFile(file, "utf8");
    expect(text).toContain("// ours");
    expect(text).toMatch(/"hooksConfig": \{\s*"enabled": true/);
  });

  test("a folder that a user could change is refused", async () => {
    await using place = await workspace();
    await using there = await machine();
    await mkdir(join(there.etc, "codex"));
    await chown(join(there.etc, "codex"), 54_321, 0);
    const result = await there.runAsRoot(place, ["install", "codex", "--scope", "machine"], AS_ROOT);
    expect(result).toMatchObject({ code: 74, stdout: "" });
    expect(result.stderr).toContain("/etc/codex belongs to another user");
  });

  testOnNode("a hookctl that a user could replace is not registered", async () => {
    await using place = await workspace();
    await using there = await machine();
    await place.write("bin/other", "");
    await giveToUser(place);
    // The same program, but a user owns the folder of its start file.
    const bin = dirname(mainScript);
    const words = `cp -r '${bin}/.' '${place.dir}/bin/' && mount --bind '${place.dir}/bin' '${bin}' && exec "$@"`;
    const install = [...HOOKCTL, "install", "claude", "--scope", "machine"];
    for (const more of [[], ["--print"]]) {
      const result = await there.start(["/bin/sh", "-c", words, "sh", ...install, ...more], {
        cwd: place.project,
        env: { HOME: "/root" },
      });
      expect(result).toMatchObject({ code: 78, stdout: "" });
      expect(result.stderr).toContain("cannot be registered for the whole machine");
      expect(result.stderr).toContain(`${bin} belongs to another user`);
    }
  });

  testOnNode("doctor finds a registration that starts what a user could replace", async () => {
    await using place = await workspace();
    await using there = await machine();
    await there.runAsRoot(place, ["install", "claude", "--scope", "machine"], AS_ROOT);
    const text = await readFile(join(there.etc, "hookctl/hookctl"), "utf8");
    await there.write("hookctl/hookctl", text.replaceAll(`'${mainScript}'`, `'${place.dir}/bin/hookctl.js'`), 0o755);
    await place.write("bin/hookctl.js", "");
    await giveToUser(place);
    const checked = await there.runAsUser(place, ["doctor", "claude"]);
    expect(checked.code).toBe(1);
    expect(checked.stdout.replaceAll(/\s+/g, " ")).toContain("users other than root can change what it starts");
  });
});
