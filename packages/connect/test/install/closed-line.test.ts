import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { PROOF } from "../../../../src/protocol/exit-code.ts";
import { runProgram, type Workspace, workspace } from "../../../../test/support/workspace.ts";
import { AGENTS } from "../../../agents/agents.ts";
import { createRegistrations, parseRegistration } from "../../install/create-registrations.ts";

const SHELLS = ["sh", "dash", "bash", "zsh"] as const;
/** Programs in the place of hookctl that do not complete an answer. */
const SILENT = [
  ["ends well without output", "exit 0"],
  ["prints something else", "echo '{}'"],
  ["prints a part of the proof", `printf '{}\n%s' ${PROOF.slice(0, -1)}`],
  ["prints the proof first", `printf '%s\n{}' ${PROOF}`],
  ["prints the proof, and fails", `printf %s ${PROOF}; exit 1`],
  ["is killed after the proof", `printf %s ${PROOF}; kill -9 $$`],
] as const;

async function stub(place: Workspace, body: string): Promise<string> {
  await place.write("bin/hookctl", `#!/bin/sh\n${body}\n`, 0o755);
  return `"${join(place.dir, "bin/hookctl")}"`;
}

function lineOf(name: "claude" | "codex", program: string) {
  const at = { agent: AGENTS[name], scope: "user", shown: "it's \\ settings" } as const;
  const [line] = createRegistrations(at, program, { events: ["PreToolUse"], failClosed: true });
  return { command: line?.command ?? "", read: line === undefined ? null : parseRegistration(line, at) };
}

const denial = { hookSpecificOutput: expect.objectContaining({ permissionDecision: "deny" }) };
const run = (shell: string, command: string, env: Record<string, string> = {}) =>
  runProgram([`/usr/bin/${shell}`, "-c", command], { env: { PATH: "/nowhere", ...env }, stdin: "{}" });

describe.each([...SHELLS.map((shell) => [shell, "claude"] as const), ["fish", "codex"], ["zsh", "codex"]] as const)(
  "%s runs the fail-closed line of %s",
  (shell, name) => {
    test.each(SILENT)("and blocks if hookctl %s", async (_, body) => {
      await using place = await workspace();
      const { command } = lineOf(name, await stub(place, body));
      const { stdout, code } = await run(shell, command, { HOME: place.home });
      expect(JSON.parse(stdout)).toMatchObject(denial);
      expect(code).toBe(0);
    });

    test("and blocks without hookctl, with a command that repairs it", async () => {
      await using place = await workspace();
      const { stdout, code } = await run(shell, lineOf(name, '"/nowhere/hookctl"').command, { HOME: place.home });
      expect(JSON.parse(stdout).hookSpecificOutput.permissionDecisionReason).toContain(
        `install hookctl and run hookctl init ${name} --scope user, or remove the entries of hookctl from it's \\ settings.`,
      );
      expect(code).toBe(0);
    });

    test.each([
      ["nothing", ""],
      ["an answer", '{"a":"\\\\n % \'é"}\n'],
      ["lines at the end", "{}\n\n\n"],
    ])("and passes %s on, byte for byte", async (_, answer) => {
      await using place = await workspace();
      await place.write("answer", answer);
      const body = `PATH=/usr/bin:/bin; cat ${place.dir}/answer; printf %s ${PROOF}`;
      const { command } = lineOf(name, await stub(place, body));
      expect(await run(shell, command, { HOME: place.home })).toMatchObject({ stdout: answer, stderr: "", code: 0 });
    });

    test.each(["SIGTERM", "SIGHUP", "SIGINT"] as const)("and blocks after a %s to its group", async (signal) => {
      await using place = await workspace();
      const { command } = lineOf(name, await stub(place, "echo ready >&2; exec /usr/bin/sleep 100"));
      const line = spawn(`/usr/bin/${shell}`, ["-c", command], { detached: true, env: { HOME: place.home } });
      let stdout = "";
      line.stdout.on("data", (part) => {
        stdout += part;
      });
      await once(line.stderr, "data");
      process.kill(-(line.pid ?? 0), signal);
      await once(line, "close");
      expect(JSON.parse(stdout)).toMatchObject(denial);
    });

    test("and passes a large answer on", async () => {
      await using place = await workspace();
      const answer = `{"a":"${"xé".repeat(500_000)}"}\n`;
      await place.write("answer", answer);
      const body = `PATH=/usr/bin:/bin; cat ${place.dir}/answer; printf %s ${PROOF}`;
      const { stdout } = await run(shell, lineOf(name, await stub(place, body)).command, { HOME: place.home });
      expect(stdout === answer).toBe(true);
    });
  },
);

test.each(["printf", "unset", "trap", ":"])("an exported function %s runs in the place of no builtin", async (name) => {
  await using place = await workspace();
  const { command } = lineOf("claude", await stub(place, "exit 0"));
  const { stdout } = await run("bash", command, { [`BASH_FUNC_${name}%%`]: "() { exit 0; }" });
  expect(JSON.parse(stdout)).toMatchObject(denial);
});

test("a shell that ends at the first failure still blocks", async () => {
  await using place = await workspace();
  const { command } = lineOf("claude", await stub(place, "exit 3"));
  for (const shell of SHELLS) expect(JSON.parse((await run(shell, `set -e; ${command}`)).stdout)).toMatchObject(denial);
});

describe.each([...SHELLS.map((shell) => [shell, "claude"] as const), ["fish", "codex"], ["zsh", "codex"]] as const)(
  "%s runs the open line of %s",
  (shell, name) => {
    const openLine = (program: string): string =>
      createRegistrations({ agent: AGENTS[name], scope: "user", shown: "it's \\ settings" }, program, {
        events: ["PreToolUse"],
        failClosed: false,
      })[0]?.command ?? "";

    test.each([
      ["the program that interprets the launcher", "#!/nowhere/front\n"],
      ["the runtime", "#!/bin/sh\nexec /nowhere/node /nowhere/hookctl.js\n"],
    ])("and says which file to edit where %s is gone", async (_, launcher) => {
      await using place = await workspace();
      await place.write("launcher", launcher, 0o755);
      const { stdout, code } = await run(shell, openLine(`"${place.dir}/launcher"`), { HOME: place.home });
      expect(JSON.parse(stdout).systemMessage).toContain("or remove the entries of hookctl from it's \\ settings.");
      expect(code).toBe(0);
    });

    test.each([0, 1, 2, 125])("and passes an answer and the exit code %d on", async (code) => {
      await using place = await workspace();
      const command = openLine(await stub(place, `echo '{"a":1}'; echo b >&2; exit ${code}`));
      expect(await run(shell, command, { HOME: place.home })).toMatchObject({
        stdout: '{"a":1}\n',
        stderr: "b\n",
        code,
      });
    });
  },
);

test.each(["claude", "codex"] as const)("%s: the line is known as one that install writes", async (name) => {
  await using place = await workspace();
  const program = `"${join(place.dir, "it's a place")}/hookctl"`;
  const { command, read } = lineOf(name, program);
  expect(read).toMatchObject({ program, failClosed: true });
  const at = { agent: AGENTS[name], scope: "user", shown: "it's \\ settings" } as const;
  for (const other of [command.replace(PROOF, "x"), command.replace(" --proof", ""), `${command}; true`]) {
    expect(parseRegistration({ event: "PreToolUse", command: other }, at)).toBeNull();
  }
});
