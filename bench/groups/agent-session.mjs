import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { WHY } from "../reasons.mjs";
import { writeProgram } from "../workspace.mjs";

/** @import { Program } from "../command.mjs" */
/** @import { Figure } from "../figure.mjs" */
/** @import { Bench, Group } from "../group.mjs" */
/** @import { Scene } from "../workspace.mjs" */

const AGENT = fileURLToPath(new URL("../agent.mjs", import.meta.url));
const CALLS = 50;
const NAME = "guard";
const GUARD = `#!/bin/sh
case $1 in
hook) echo before_tool_call ;;
run) case $(cat) in *"rm -rf"*) echo '{"blocked":true,"reason":"no rm -rf"}' ;; *) echo '{"blocked":false}' ;; esac ;;
esac
`;
/** As `hookctl init` does it: for all projects of the user. */
const INSTALL = ["install", "claude", "--scope", "user"];
/** Two programs at most, each with a server of its own; a port in use is told as what failed. */
const FIRST_PORT = 20_000 + (process.pid % 10_000) * 2;
const SETTINGS = join(".claude", "settings.json");

/**
 * P14: what an agent pays for each call of a session through the lines that `install` registers, over the same session
 * without hooks, and over the same guard registered by itself; and through a server that it asks over HTTP, whose start and
 * end count as well.
 * @param {Bench} bench
 * @returns {Group}
 */
export function agentSession({ workspace, commands, programs }) {
  const [plain, direct] = [workspace.scene(), workspace.scene()];
  register(direct, writeGuard(direct));
  const all = programs.map((program, index) => {
    const [without, withGuard, served] = [workspace.scene(), workspace.scene(), workspace.scene()];
    writeGuard(withGuard);
    writeGuard(served);
    const port = String(FIRST_PORT + index);
    const faults = [
      install(program, without),
      install(program, withGuard),
      // What a person types who accepts that the agent goes on when the server is gone.
      install(program, served, ["--http", port, "--fail-open"]),
    ];
    const fault = faults.find((one) => one !== null);
    if (fault !== undefined) return `${program.form}: ${fault}`;
    const server = [...program.argv, "serve", "--http", port, "--token-file", join(served.home, "token")];
    return { program, without, withGuard, served, server };
  });
  const sessions = all.filter((one) => typeof one !== "string");
  /** @param {Scene} scene @param {readonly string[]} server */
  const agent = (scene, server = []) => ({
    ...commands.plain(scene, [process.execPath, AGENT, scene.project, String(CALLS), ...server]),
    findFault: findSessionFault,
  });
  return {
    commands: {
      plain: agent(plain),
      direct: agent(direct),
      ...Object.fromEntries(
        sessions.flatMap(({ program, without, withGuard, served, server }) => [
          [`${program.form} without`, agent(without)],
          [`${program.form} guard`, { ...agent(withGuard), findFault: guardFaultFinder(program, withGuard) }],
          [`${program.form} served`, { ...agent(served, server), findFault: guardFaultFinder(program, served) }],
        ]),
      ),
    },
    mostRounds: 9,
    skipped: all.filter((one) => typeof one === "string"),
    figures: sessions.flatMap(({ program }) => figuresOf(program)),
  };
}

/** @param {Program} program @returns {Figure[]} */
function figuresOf({ form }) {
  const per = 1 / CALLS;
  const row = { id: "P14", form };
  const target = { node: 15, native: 15 };
  return [
    {
      ...{ ...row, what: "a guard, over the same guard registered by itself" },
      ...{ ours: { [`${form} guard`]: per, direct: -per }, target },
      whyMissed: { node: WHY.session, native: WHY.sessionNative },
    },
    {
      ...{ ...row, what: "a guard asked over HTTP, over the same guard registered by itself" },
      ...{ ours: { [`${form} served`]: per, direct: -per }, target },
      whyMissed: { node: WHY.servedHookOnNode, native: WHY.servedHook },
    },
    { ...row, what: "a guard, over no hooks at all", ours: { [`${form} guard`]: per, plain: -per } },
    { ...row, what: "no hook, over no hooks at all", ours: { [`${form} without`]: per, plain: -per } },
    { ...row, what: "the guard registered by itself", program: "Claude Code", ours: { direct: per, plain: -per } },
  ];
}

/** @param {Scene} scene */
function writeGuard({ userHooks }) {
  writeProgram(userHooks, NAME, GUARD);
  return join(userHooks, NAME);
}

/** @param {Scene} scene @param {string} guard */
function register({ home }, guard) {
  mkdirSync(join(home, ".claude"));
  const PreToolUse = [{ hooks: [{ type: "command", command: `"${guard}" run` }] }];
  writeFileSync(join(home, SETTINGS), JSON.stringify({ hooks: { PreToolUse } }));
}

/** @param {Program} program @param {Scene} scene @param {readonly string[]} more */
function install({ argv: [program = "", ...words] }, { project, env }, more = []) {
  const { status, stderr } = spawnSync(program, [...words, ...INSTALL, ...more], {
    cwd: project,
    env,
    encoding: "utf8",
  });
  return status === 0 ? null : `install claude: ${stderr.split("\n", 1).join("")}`;
}

/** @param {string} stdout */
function findSessionFault(stdout) {
  return stdout === `${CALLS}\n` ? null : `allowed ${stdout.trim()} of ${CALLS} calls`;
}

/**
 * The lines have to start what they are said to start, and the guard has to be asked at each call.
 * @param {Program} program
 * @param {Scene} scene
 */
function guardFaultFinder({ form, argv }, { home, env }) {
  const lines = readFileSync(join(home, SETTINGS), "utf8");
  return (/** @type {string} */ stdout) => {
    if (!lines.includes(argv.at(-1) ?? "")) return `install registered another program than hookctl, ${form}`;
    const log = readFileSync(join(env.XDG_STATE_HOME ?? "", "hookctl", "audit.jsonl"), "utf8");
    const asked = log.split("\n").filter((line) => line.includes(`"${NAME}"`)).length;
    return asked === CALLS ? findSessionFault(stdout) : `${form}: the guard was asked ${asked} times in ${CALLS} calls`;
  };
}
