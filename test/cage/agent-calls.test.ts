import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { missingHere, unlessMissing } from "../sandbox/bubblewrap.ts";
import { HOOKCTL, runProgram, type Workspace, workspace } from "../support/workspace.ts";

/** Asks hookctl about a shell call as Claude Code does, then runs it in its shell, then reports it. */
async function shellCall(place: Workspace, command: string, shell = cageShell(place)) {
  const call = { session_id: "s", cwd: place.project, tool_name: "Bash", tool_input: { command }, tool_use_id: "t" };
  const ask = (event: string, more: object = {}) => [
    ...HOOKCTL,
    "bridge",
    "claude",
    "--event",
    event,
    JSON.stringify({ ...call, hook_event_name: event, ...more }),
  ];
  // One process stands for the agent: it starts hookctl and the shell.
  const agent = `
    import { spawnSync } from "node:child_process";
    const bridge = (words) => spawnSync(words[0], words.slice(1, -1), { input: words.at(-1), encoding: "utf8" });
    const [before, after] = [${JSON.stringify(ask("PreToolUse"))}, ${JSON.stringify(ask("PostToolUse"))}];
    const asked = bridge(before);
    const ran = asked.stdout.includes('"deny"') ? null : spawnSync(process.env.SHELL_OF_CALLS, ["-c", ${JSON.stringify(command)}], { encoding: "utf8", detached: true });
    const response = { stdout: ran?.stdout ?? "", stderr: ran?.stderr ?? "" };
    const told = bridge([...after.slice(0, -1), JSON.stringify({ ...JSON.parse(after.at(-1)), tool_response: response })]);
    process.stdout.write(JSON.stringify({ asked: asked.stdout, ran, told: told.stdout, faults: told.stderr }));
  `;
  const env = { ...place.env, SHELL_OF_CALLS: shell, CLAUDE_CODE_SHELL: shell };
  const { stdout } = await runProgram([process.execPath, "--input-type=module", "-e", agent], {
    cwd: place.project,
    env,
  });
  return JSON.parse(stdout);
}

const cageShell = ({ home }: Workspace): string => join(home, ".local/state/hookctl/cage/shells/bash");

async function enabled(): Promise<Workspace> {
  const place = await workspace();
  await place.write("home/.claude/settings.json", "{}\n");
  await place.write("project/.git/config", "[core]\n\tbare = false\n");
  expect(await place.run(["enable", "cage"])).toMatchObject({ stderr: "", code: 0 });
  return place;
}

describe.skipIf(missingHere !== null)(`a shell call of an agent${unlessMissing}`, () => {
  test("runs in the cage that was prepared when hookctl was asked", async () => {
    await using place = await enabled();
    const { asked, ran, told } = await shellCall(place, "echo x > ~/y; echo ok > made; exit 3");
    expect(asked).toBe("");
    expect(ran).toMatchObject({ stdout: "", status: 3 });
    expect(ran.stderr).toMatch(/: Read-only file system\n$/);
    const refused = `refused to write ${place.home}/y: `;
    expect(told).toContain(`hookctl's cage ${refused}`);
    expect(told).toContain(`hookctl cage allow ${place.home}/y --here`);
    expect((await place.run(["why"])).stdout).toContain(`the cage ${refused}`);
    expect(await place.read("project/made")).toBe("ok\n");
    expect(await place.read("home/y")).toBeNull();
  });

  test("leaves neither new settings of agents nor settings of git that start programs", async () => {
    await using place = await enabled();
    const command =
      "mkdir .claude; echo '{}' > .claude/settings.json; printf '\\tsshCommand = evil\\n' >> .git/config; echo ok > made";
    const { ran, told } = await shellCall(place, command);
    expect(ran).toMatchObject({ stderr: "", status: 0 });
    expect(await place.read("project/.claude/settings.json")).toBeNull();
    expect(await place.read("project/.git/config")).toBe("[core]\n\tbare = false\n");
    expect(told).toContain(".claude/settings.json was removed; core.sshcommand was removed from git's configuration");
    expect(await place.read("project/made")).toBe("ok\n");
  });

  test("keeps what other programs set in git's configuration", async () => {
    await using place = await enabled();
    const added = '[branch \\"main\\"]\\n\\tremote = origin\\n[core]\\n\\thooksPath = .husky/_\\n';
    const { told } = await shellCall(place, `printf '${added.replaceAll('\\"', '"')}' >> .git/config`);
    expect(told).toBe("");
    expect(await place.read("project/.git/config")).toContain('[branch "main"]');
  });

  test("makes repositories with hooks of their own", async () => {
    await using place = await workspace();
    await place.write("home/.claude/settings.json", "{}\n");
    expect(await place.run(["enable", "cage"])).toMatchObject({ stderr: "", code: 0 });
    const { ran, told } = await shellCall(place, "mkdir -p .git/hooks; echo x > .git/hooks/post-commit");
    expect(ran).toMatchObject({ stderr: "", status: 0 });
    expect(told).toBe("");
    expect(await place.read("project/.git/hooks/post-commit")).toBe("x\n");
  });

  test("is blocked where the cage is required and the agent starts another shell", async () => {
    await using place = await enabled();
    await place.write("home/.kodelet/hooks.json", JSON.stringify({ cage: { mode: "require" } }));
    const { asked, ran } = await shellCall(place, "echo x > ~/y", "/bin/bash");
    expect(asked).toContain("CAGE_UNAVAILABLE");
    expect(ran).toBeNull();
    expect((await shellCall(place, "echo ok > made")).ran).toMatchObject({ status: 0 });
  });
});
