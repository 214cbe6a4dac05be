import { compile } from "../stopwatch.mjs";
import { hookNames } from "../workspace.mjs";
import { NODE, WHY_PROCESS } from "./calls.mjs";

/** @import { Preparation } from "../group.mjs" */

const COUNT = 100;
const WHY_IDENTITY = "Every hook's file is compared with the cache, and the code for hooks is loaded";

/** @type {Readonly<Record<string, Preparation>>} */
export const DISCOVERY = {
  /** Asks 100 hooks what they are, against a C program that asks them one after another. */
  P5: ({ workspace, commands }) => {
    const scene = workspace.scene({ hooks: COUNT });
    const askEach = compile("ask-each.c", workspace.root);
    return {
      commands: {
        node: commands.node(scene),
        asking: commands.plain(scene, [askEach, scene.userHooks]),
        list: { ...commands.hookctl(scene, ["list", "--json", "--no-cache"]), findFault: findListFault },
      },
      figures: [
        {
          what: `first discovery of ${COUNT} hooks`,
          ours: { list: 1 },
          against: "`node -e 0` + a C program",
          theirs: { node: 1, asking: 1 },
          target: 2.4,
          whyMissed: WHY_PROCESS,
        },
      ],
    };
  },

  /** The same hooks, known from the cache; none of them has the event. */
  P6: ({ workspace, commands }) => {
    const scene = workspace.scene({ hooks: COUNT });
    const stdin = workspace.file("session-end.json", '{"event":"session_end"}');
    const row = { ...NODE, whyMissed: WHY_IDENTITY };
    return {
      commands: {
        node: commands.node(scene),
        run: { ...commands.run(scene, ["session_end"]), stdin },
        list: { ...commands.hookctl(scene, ["list", "--json"]), findFault: findListFault },
      },
      figures: [
        { ...row, what: `\`run\`, ${COUNT} hooks from the cache`, ours: { run: 1 }, target: 1.15 },
        { ...row, what: `\`list\`, ${COUNT} hooks from the cache`, ours: { list: 1 }, target: 1.15 },
      ],
    };
  },
};

/** Each hook must be in the list. @param {string} stdout */
function findListFault(stdout) {
  const missing = hookNames(COUNT).filter((name) => !stdout.includes(name));
  return missing.length > 0 ? `lists no ${missing.join(", ")}` : null;
}
