import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { missingHere, unlessMissing } from "../sandbox/bubblewrap.ts";
import { SYSTEM_PATH } from "../support/compilers.ts";
import { HOOKCTL, runProgram, type Workspace, workspace } from "../support/workspace.ts";

const settings = (place: Workspace, mode: string): Promise<string> =>
  place.write("home/.kodelet/hooks.json", JSON.stringify({ cage: { mode } }));

/** One agent asks about shell calls, on a machine without bubblewrap; gives the answers. */
async function askWithoutBackend(place: Workspace, count: number): Promise<readonly string[]> {
  const tool_input = { command: "ls" };
  const call = { session_id: "s", cwd: place.project, hook_event_name: "PreToolUse", tool_name: "Bash", tool_input };
  const agent = `
    import { spawnSync } from "node:child_process";
    const [file, ...args] = ${JSON.stringify([...HOOKCTL, "bridge", "claude", "--event", "PreToolUse"])};
    const ask = () => spawnSync(file, args, { input: ${JSON.stringify(JSON.stringify(call))}, encoding: "utf8" });
    process.stdout.write(JSON.stringify(Array.from({ length: ${count} }, () => ask().stdout)));
  `;
  const broken = await place.write("broken", "#!/bin/sh\necho 'bwrap: no luck today' >&2\nexit 1\n", 0o755);
  const outer = ["bwrap", "--dev-bind", "/", "/", "--ro-bind", broken, "/usr/bin/bwrap", "--"];
  const { stdout } = await runProgram([...outer, process.execPath, "--input-type=module", "-e", agent], {
    cwd: place.project,
    env: { ...place.env, PATH: SYSTEM_PATH },
  });
  return JSON.parse(stdout);
}

describe.skipIf(missingHere !== null)(`where no sandbox works${unlessMissing}`, () => {
  test("the person is told once, and calls run as before", async () => {
    await using place = await workspace();
    await settings(place, "fallback");
    const [first = "", ...later] = await askWithoutBackend(place, 3);
    expect(first).toContain("shell calls are not in the cage: ");
    expect(first).not.toContain("deny");
    expect(later).toEqual(["", ""]);
    expect((await place.run(["why"])).stdout).toContain("shell calls are not in the cage: ");
  });

  test("calls are blocked if the settings require the cage", async () => {
    await using place = await workspace();
    await settings(place, "require");
    for (const answer of await askWithoutBackend(place, 2)) expect(answer).toContain("CAGE_UNAVAILABLE");
  });
});

describe.skipIf(missingHere !== null)(`the state of the cage${unlessMissing}`, () => {
  const claude = (env: object) => JSON.stringify({ env });

  test("is in `doctor`, `status` and `guards`", async () => {
    await using place = await workspace();
    await place.write("home/.claude/settings.json", "{}\n");
    await place.write("home/.qwen/settings.json", "{}\n");
    expect((await place.run(["guards"])).stdout).toContain("The cage is off: hookctl on cage\n");
    expect((await place.run(["status"])).stdout).not.toContain("cage");
    await settings(place, "fallback");
    expect((await place.run(["doctor"])).stdout).toContain(
      "Claude Code: shell calls do not run in it: .claude/settings.json does not name the shell of the cage\n  Run: hookctl on cage",
    );
    expect(await place.run(["enable", "cage"])).toMatchObject({ stderr: "", code: 0 });
    const doctor = (await place.run(["doctor", "--json"])).stdout;
    expect(doctor).toContain("Claude Code: shell calls run in it");
    expect(doctor).toContain("Qwen Code: shell calls do not run in it: ");
    expect((await place.run(["status"])).stdout).toContain("cage: Claude Code, not Qwen Code");
    expect((await place.run(["guards"])).stdout).toContain("The cage is on (fallback): hookctl cage show\n");
  });

  test("names a project's file that an agent reads in the place of the person's", async () => {
    await using place = await workspace();
    await place.write("home/.gemini/settings.json", "{}\n");
    expect(await place.run(["enable", "cage"])).toMatchObject({ stderr: "", code: 0 });
    const caged = "Gemini CLI: shell calls run in it; those in its own sandbox stay there (security.toolSandboxing)";
    expect((await place.run(["doctor"])).stdout).toContain(caged);
    await place.write("project/.env", "A=1\n");
    expect((await place.run(["doctor"])).stdout).toContain(
      "Gemini CLI: shell calls do not run in it: it reads .env of this project instead of ~/.gemini/.env",
    );
  });

  test("names a project that chooses another shell", async () => {
    await using place = await workspace();
    await place.write("home/.claude/settings.json", "{}\n");
    expect(await place.run(["enable", "cage"])).toMatchObject({ stderr: "", code: 0 });
    await place.write("project/.claude/settings.local.json", claude({ CLAUDE_CODE_SHELL: "/bin/bash" }));
    expect((await place.run(["doctor"])).stdout).toContain(
      "Claude Code: shell calls do not run in it: .claude/settings.local.json of this project names another shell",
    );
    expect((await place.run(["status"])).stdout).toContain("cage: not Claude Code");
  });

  test("`explain` says what a command could reach, and `cage show` the mode", async () => {
    await using place = await workspace();
    await place.write("home/.ssh/id", "a key\n");
    await place.write("home/.claude/settings.json", "{}\n");
    const command = "cat ~/.ssh/id > copy; echo x > ~/.bashrc; npm test; cat < /etc/hostname";
    expect((await place.run(["explain", command])).stdout).not.toContain("In the cage");
    expect(await place.run(["enable", "cage"])).toMatchObject({ stderr: "", code: 0 });
    const { stdout } = await place.run(["explain", command]);
    const lines = stdout.slice(stdout.indexOf("In the cage")).split("\n");
    expect(lines.slice(0, 5)).toEqual([
      "In the cage (calls of Claude Code):",
      "  ✖ refused: read ~/.ssh/id (hidden: keys and logins)",
      "  ✔ allowed: write copy (read and write: the project)",
      "  ✖ refused: write ~/.bashrc (read only: your files)",
      "  ✔ allowed: read /etc/hostname (read only: the system)",
    ]);
    const { cage } = JSON.parse((await place.run(["explain", command, "--json"])).stdout);
    expect(cage.files[0]).toMatchObject({ path: join(place.home, ".ssh/id"), use: "read", refused: true });
    expect((await place.run(["cage", "show"])).stdout).toMatch(/^mode: fallback\n/);
  });

  test("a shell that observes starts commands outside", async () => {
    await using place = await workspace();
    await place.write("home/.claude/settings.json", "{}\n");
    expect(await place.run(["enable", "cage"])).toMatchObject({ stderr: "", code: 0 });
    await settings(place, "observe");
    const shell = join(place.home, ".local/state/hookctl/cage/shells/bash");
    const ran = await runProgram(["setsid", shell, "-c", "echo x > ~/.profile"], {
      cwd: place.project,
      env: place.env,
    });
    expect(ran).toMatchObject({ stdout: "", stderr: "", code: 0 });
    expect(existsSync(join(place.home, ".profile"))).toBe(true);
  });
});
