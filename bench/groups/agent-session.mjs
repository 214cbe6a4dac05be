import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { prepareBy, timesRecorded } from "../command.mjs";
import { eachForm } from "../group.mjs";
import { writeProgram } from "../workspace.mjs";
import { WHY_SERVED_HOOK } from "./in-process.mjs";

/** @import { Program } from "../command.mjs" */
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
const WHY_SESSION = {
  node: "Every call starts Node",
  native: "Every call starts the executable, and the guard from it",
};

export const AGENT_SESSION = {
  /**
   * What an agent pays for each call of a session through the lines that `install` registers, over the same session
   * without hooks, and over the same guard registered by itself; and through a server that it asks over HTTP, whose start
   * and end count as well.
   */
  P14: eachForm(({ workspace, commands, commandsOf, program, programs }) => {
    const [onNode = program] = programs;
    const scenes = {
      plain: workspace.scene(),
      direct: workspace.scene(),
      without: workspace.scene(),
      guard: workspace.scene(),
      served: workspace.scene(),
    };
    const port = String(FIRST_PORT + programs.indexOf(program));
    register(scenes.direct, writeGuard(scenes.direct));
    writeGuard(scenes.guard);
    writeGuard(scenes.served);
    const install = (/** @type {Scene} */ scene, /** @type {readonly string[]} */ more = []) => {
      prepareBy(commandsOf(onNode).hookctl(scene, [...INSTALL, ...more]));
      startFromLauncher(scene, onNode, program);
    };
    install(scenes.without);
    install(scenes.guard);
    // What a person types who accepts that the agent goes on when the server is gone.
    install(scenes.served, ["--http", port, "--fail-open"]);
    const server = [...program.argv, "serve", "--http", port, "--token-file", join(scenes.served.home, "token")];
    /** @param {Scene} scene @param {readonly string[]} more */
    const session = (scene, more = []) => ({
      ...commands.plain(scene, [process.execPath, AGENT, scene.project, String(CALLS), ...more]),
      findFault: findSessionFault,
    });
    /** A session that has to ask the guard at each call. @param {Scene} scene @param {readonly string[]} [more] */
    const guarded = (scene, more) => ({
      ...session(scene, more),
      findFault: (/** @type {string} */ stdout) => {
        const asked = timesRecorded(scene, NAME);
        return asked === CALLS ? findSessionFault(stdout) : `the guard was asked ${asked} times in ${CALLS} calls`;
      },
    });
    const per = 1 / CALLS;
    const target = { node: 15, native: 15 };
    return {
      commands: {
        plain: session(scenes.plain),
        direct: session(scenes.direct),
        without: session(scenes.without),
        guard: guarded(scenes.guard),
        served: guarded(scenes.served, server),
      },
      mostRounds: 9,
      figures: [
        {
          what: "a guard, over the same guard registered by itself",
          ours: { guard: per, direct: -per },
          target,
          whyMissed: WHY_SESSION,
        },
        {
          what: "a guard asked over HTTP, over the same guard registered by itself",
          ours: { served: per, direct: -per },
          target,
          whyMissed: WHY_SERVED_HOOK,
        },
        { what: "a guard, over no hooks at all", ours: { guard: per, plain: -per } },
        { what: "no hook, over no hooks at all", ours: { without: per, plain: -per } },
        { what: "the guard registered by itself", program: "Claude Code", ours: { direct: per, plain: -per } },
      ],
    };
  }),
};

/** @param {Scene} scene */
const writeGuard = ({ userHooks }) => writeProgram(userHooks, NAME, GUARD);

/**
 * A person installs, and only hookctl on Node can be called as one; what it wrote has to start the program under test.
 * @param {Scene} scene
 * @param {Program} onNode
 * @param {Program} program
 */
function startFromLauncher({ home }, onNode, program) {
  const file = join(home, ".kodelet", "hookctl");
  const launcher = readFileSync(file, "utf8");
  const lineOf = (/** @type {Program} */ { argv }) => `exec ${argv.map((word) => `'${word}'`).join(" ")} "$@"`;
  if (!launcher.includes(lineOf(onNode))) throw new Error("install registered another program than this hookctl");
  writeFileSync(file, launcher.replace(lineOf(onNode), lineOf(program)));
}

/** @param {Scene} scene @param {string} guard */
function register({ home }, guard) {
  mkdirSync(join(home, ".claude"));
  const PreToolUse = [{ hooks: [{ type: "command", command: `"${guard}" run` }] }];
  writeFileSync(join(home, SETTINGS), JSON.stringify({ hooks: { PreToolUse } }));
}

/** @param {string} stdout */
function findSessionFault(stdout) {
  return stdout === `${CALLS}\n` ? null : `allowed ${stdout.trim()} of ${CALLS} calls`;
}
