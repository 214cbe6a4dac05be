import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { prepareBy, timesRecorded } from "../command.mjs";
import { writeProgram } from "../workspace.mjs";

/** @import { Preparation } from "../group.mjs" */
/** @import { Scene } from "../workspace.mjs" */

const AGENT = fileURLToPath(new URL("../agent.mjs", import.meta.url));
const CALLS = 200;
const NAME = "guard";
const GUARD = `#!/bin/sh
case $1 in
hook) echo before_tool_call ;;
run) case $(cat) in *"rm -rf"*) echo '{"blocked":true,"reason":"no rm -rf"}' ;; *) echo '{"blocked":false}' ;; esac ;;
esac
`;
/** As `hookctl init` does it: for all projects of the user. */
const INSTALL = ["install", "claude", "--scope", "user"];
const GUARDS = ["filesystem", "git", "secrets", "self-protection"];
const SETTINGS = join(".claude", "settings.json");
const WHY_SESSION = "The line is a shell, and a server of Node reads settings, approvals and hooks again for each call";

/** @type {Readonly<Record<string, Preparation>>} */
export const AGENT_SESSION = {
  /**
   * What an agent pays for each call of a session through the lines that `install` registers, over the same session
   * without hooks, and over the same guard registered by itself.
   */
  P14: ({ workspace, commands }) => {
    // Also in a container there is a server: what is measured is the usual machine.
    const installed = (/** @type {object} */ guards) =>
      workspace.scene({ config: { settings: { resident: true }, guards } });
    const scenes = {
      plain: workspace.scene(),
      direct: workspace.scene(),
      without: installed({}),
      guard: installed({}),
      guards: installed(Object.fromEntries(GUARDS.map((name) => [name, {}]))),
    };
    register(scenes.direct, writeGuard(scenes.direct));
    writeGuard(scenes.guard);
    for (const scene of [scenes.without, scenes.guard, scenes.guards]) prepareBy(commands.hookctl(scene, INSTALL));
    const session = (/** @type {Scene} */ scene) => ({
      ...commands.plain(scene, [process.execPath, AGENT, scene.project, String(CALLS)]),
      findFault: findSessionFault,
    });
    /** A session that has to ask the guard at each call. @param {Scene} scene */
    const guarded = (scene) => ({
      ...session(scene),
      findFault: (/** @type {string} */ stdout) => {
        const asked = timesRecorded(scene, NAME);
        return asked === CALLS ? findSessionFault(stdout) : `the guard was asked ${asked} times in ${CALLS} calls`;
      },
    });
    const per = 1 / CALLS;
    return {
      commands: {
        plain: session(scenes.plain),
        direct: session(scenes.direct),
        without: session(scenes.without),
        guard: guarded(scenes.guard),
        guards: session(scenes.guards),
      },
      mostRounds: 9,
      figures: [
        {
          what: "a guard, over the same guard registered by itself",
          ours: { guard: per, direct: -per },
          target: 4,
          whyMissed: WHY_SESSION,
        },
        {
          what: "four built-in guards, over a guard registered by itself",
          ours: { guards: per, direct: -per },
          target: 3,
          whyMissed: WHY_SESSION,
        },
        { what: "a guard, over no hooks at all", ours: { guard: per, plain: -per } },
        {
          what: "no hook, over no hooks at all",
          ours: { without: per, plain: -per },
          target: 2.5,
          whyMissed: WHY_SESSION,
        },
        { what: "the guard registered by itself", program: "Claude Code", ours: { direct: per, plain: -per } },
      ],
    };
  },
};

/** @param {Scene} scene */
const writeGuard = ({ userHooks }) => writeProgram(userHooks, NAME, GUARD);

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
