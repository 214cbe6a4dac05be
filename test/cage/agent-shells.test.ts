import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { missingHere, unlessMissing } from "../sandbox/bubblewrap.ts";
import { AS_PERSON, HOOKCTL, runProgram, type Workspace, workspace } from "../support/workspace.ts";

const SHELLS = ".local/state/hookctl/cage/shells";

/** A program that an agent starts: as the leader of a session, or not. */
interface Start {
  readonly words: readonly string[];
  readonly isLeader?: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

interface Ran {
  readonly stdout: string;
  readonly stderr: string;
  readonly status: number | null;
}

/** Starts programs as one agent, without input as agents do: bash takes a socket there for a remote shell. */
async function startAs(place: Workspace, starts: readonly Start[]): Promise<readonly Ran[]> {
  const agent = `
    import { spawnSync } from "node:child_process";
    const ran = ${JSON.stringify(starts)}.map(({ words: [file, ...args], isLeader = true, env }) => {
      const { stdout, stderr, status } =
        spawnSync(file, args, { stdio: ["ignore", "pipe", "pipe"], encoding: "utf8", detached: isLeader, env: { ...process.env, ...env } });
      return { stdout, stderr, status };
    });
    process.stdout.write(JSON.stringify(ran));
  `;
  const { stdout } = await runProgram([process.execPath, "--input-type=module", "-e", agent], {
    cwd: place.project,
    env: place.env,
  });
  return JSON.parse(stdout);
}

async function enabled(settings: string, text = "{}\n"): Promise<Workspace> {
  const place = await workspace();
  await place.write(`home/${settings}`, text);
  const { stderr, code } = await place.run(["enable", "cage"]);
  expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
  return place;
}

/** Writes outside the project, where only a program outside the cage can. */
const PROBE = 'echo "$0 $*"; echo x > ~/outside; exit 3';

const variableIn = async (place: Workspace, file: string, name: string): Promise<Record<string, string>> => {
  const value = new RegExp(`^${name} ?= ?"(.*)"$`, "m").exec((await place.read(`home/${file}`)) ?? "")?.[1];
  expect(value).toBeDefined();
  return { [name]: value ?? "" };
};

/** Gemini CLI puts each command into such a text. */
const ofGemini = (command: string, folder: string): string =>
  `shopt -u promptvars nullglob extglob nocaseglob dotglob; _bgpids_file=${folder}/bgpids.tmp
(
  trap 'jobs -p > "$_bgpids_file"' EXIT
${command}
)
__code=$?
exit $__code`;

describe.skipIf(missingHere !== null)(`the bash of an agent that cannot start another shell${unlessMissing}`, () => {
  test("becomes the shell of the cage, with its words; the agent reads what it wrote for it", async () => {
    await using place = await enabled(".gemini/settings.json");
    const env = await variableIn(place, ".gemini/.env", "BASH_ENV");
    const kept = await place.write("tmp/gemini-shell-a/kept", "");
    const shared = dirname(kept);
    const [gemini, words, login] = await startAs(place, [
      { words: ["bash", "-c", ofGemini(PROBE, shared)], env: { ...env, TMPDIR: dirname(shared) } },
      { words: ["bash", "-c", PROBE, "name", "one two"], env },
      { words: ["bash", "-lc", `shopt -q login_shell && ${PROBE}`], env },
    ]);
    const refused = /outside: Read-only file system\n$/;
    expect(gemini).toMatchObject({ stdout: "bash \n", stderr: expect.stringMatching(refused), status: 3 });
    expect(words).toMatchObject({ stdout: "name one two\n", stderr: expect.stringMatching(refused), status: 3 });
    expect(login).toMatchObject({ stdout: "bash \n", stderr: expect.stringMatching(refused), status: 3 });
    expect(existsSync(join(shared, "bgpids.tmp"))).toBe(true);
    expect(await place.read("home/outside")).toBeNull();
  });

  test.each<{ readonly title: string; readonly words: readonly string[]; readonly isLeader?: boolean }>([
    { title: "a hook or an MCP server, which leads no session", words: ["bash", "-c", PROBE], isLeader: false },
    { title: "a script", words: ["bash", "probe.sh"] },
    {
      title: "a call in the agent's own sandbox",
      words: ["bwrap", "--dev-bind", "/", "/", "--proc", "/proc", "--unshare-pid", "--", "bash", "-c", PROBE],
    },
  ])("is left as it is in the place of $title", async ({ words, isLeader = true }) => {
    await using place = await enabled(".gemini/settings.json");
    const env = await variableIn(place, ".gemini/.env", "BASH_ENV");
    await place.write("project/probe.sh", PROBE);
    const [ran] = await startAs(place, [{ words, isLeader, env }]);
    expect(ran).toMatchObject({ stderr: "", status: 3 });
    expect(await place.read("home/outside")).toBe("x\n");
  });

  test("is that of Codex, whose snapshot of a shell starts the command by a second bash", async () => {
    await using place = await enabled(".codex/hooks.json");
    const env = await variableIn(place, ".codex/config.toml", "BASH_ENV");
    const text = `if . '/nowhere/snapshot' >/dev/null 2>&1; then :; fi\n\nexec '/bin/bash' -c '${PROBE}'`;
    const [ran] = await startAs(place, [{ words: ["/bin/bash", "-c", text], env }]);
    expect(ran).toMatchObject({ stdout: "/bin/bash \n", status: 3 });
    expect(await place.read("home/outside")).toBeNull();
  });

  test.skipIf(!existsSync("/usr/bin/zsh"))(
    "is zsh, too, which reads the person's file where it is not caged",
    async () => {
      await using place = await enabled(".codex/hooks.json");
      const env = await variableIn(place, ".codex/config.toml", "ZDOTDIR");
      await place.write("home/.zshenv", "OF_PERSON=1\n");
      const words = ["/usr/bin/zsh", "-c", `echo "$OF_PERSON$ZDOTDIR"; ${PROBE}`, "name", "a b"];
      const [caged, hook] = await startAs(place, [
        { words, env },
        { words: ["/usr/bin/zsh", "-c", 'echo "$OF_PERSON$ZDOTDIR"'], isLeader: false, env },
      ]);
      expect(caged).toMatchObject({ stdout: "1\nname a b\n", status: 3 });
      expect(hook).toEqual({ stdout: "1\n", stderr: "", status: 0 });
      expect(await place.read("home/outside")).toBeNull();
    },
  );
});

describe.skipIf(missingHere !== null)(`a call in the cage${unlessMissing}`, () => {
  test("is over when its shell ends, although a background process lives", async () => {
    await using place = await enabled(".claude/settings.json");
    const shell = join(place.home, SHELLS, "bash");
    const [ran] = await startAs(place, [
      {
        words: [
          shell,
          "-c",
          "(while [ ! -e end ]; do sleep 0.05; done; echo x > ended) >/dev/null 2>&1 & echo out; echo err >&2; exit 4",
        ],
      },
    ]);
    expect(ran).toEqual({ stdout: "out\n", stderr: "err\n", status: 4 });
    expect(await place.read("project/ended")).toBeNull();
    await place.write("project/end", "");
    await expect.poll(() => place.read("project/ended"), { timeout: 60_000 }).toBe("x\n");
  });

  test("may not name a shell that reads nothing at its start", async () => {
    await using place = await enabled(".codex/hooks.json");
    const transcript = await place.write("home/.codex/sessions/a.jsonl", "");
    const ask = async (shell: object): Promise<string> => {
      const line = {
        type: "response_item",
        payload: { call_id: "c1", arguments: JSON.stringify({ cmd: "ls", ...shell }) },
      };
      await place.write("home/.codex/sessions/a.jsonl", `{}\n${JSON.stringify(line)}\n`);
      const call = {
        session_id: "s",
        turn_id: "t",
        cwd: place.project,
        model: "m",
        permission_mode: "default",
        transcript_path: transcript,
        tool_use_id: "c1",
      };
      const native = { ...call, hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "ls" } };
      const words = [...HOOKCTL, "bridge", "codex", "--event", "PreToolUse"];
      return (await runProgram(words, { cwd: place.project, env: place.env, stdin: JSON.stringify(native) })).stdout;
    };
    expect(await ask({ shell: "/bin/sh", login: false })).toContain("it names another shell; call it without `shell`");
    expect(await ask({ shell: "bash" })).not.toContain("deny");
    expect(await ask({})).not.toContain("deny");
  });

  test("needs settings that are no weakening, and go with the cage", async () => {
    await using place = await workspace();
    const config = 'model = "m"\n\n[shell_environment_policy]\ninherit = "core"\n';
    await place.write("home/.codex/config.toml", config);
    expect(await place.run(["install", "codex", "--scope", "user"])).toMatchObject({ code: 0 });
    expect(await runProgram([...AS_PERSON, "seal"], { cwd: place.project, env: place.env })).toMatchObject({ code: 0 });
    const state = async () => JSON.parse((await place.read("home/.local/state/hookctl/seal.json")) ?? "{}").files ?? {};
    const before = Object.keys(await state());
    expect(before.some((path) => path.endsWith("config.toml"))).toBe(true);
    expect(await place.run(["enable", "cage"])).toMatchObject({ code: 0 });
    expect(Object.keys(await state())).toEqual(before);
    const start = {
      session_id: "s",
      cwd: place.project,
      hook_event_name: "SessionStart",
      source: "startup",
      model: "m",
    };
    const words = [...HOOKCTL, "bridge", "codex", "--event", "SessionStart"];
    const { stdout, stderr } = await runProgram(words, {
      cwd: place.project,
      env: place.env,
      stdin: JSON.stringify({ ...start, permission_mode: "default", transcript_path: null }),
    });
    expect({ stdout, stderr }).toEqual({ stdout: "", stderr: "" });
    expect(await place.run(["disable", "cage"])).toMatchObject({ stderr: "", code: 0 });
    expect((await place.read("home/.codex/config.toml"))?.trim()).toBe(config.trim());
  });

  test("is checked when it is over: its event is registered with the cage", async () => {
    await using place = await workspace();
    await place.run(["install", "claude", "--scope", "user"]);
    expect(await place.read("home/.claude/settings.json")).not.toContain("PostToolUse");
    expect((await place.run(["enable", "cage"])).stderr).toContain("now registers PostToolUse");
    expect(await place.read("home/.claude/settings.json")).toContain("bridge claude --event PostToolUse");
  });
});
