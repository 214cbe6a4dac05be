import { listFaultFinder } from "../command.mjs";
import { compile } from "../compile.mjs";
import { WHY } from "../reasons.mjs";
import { RULE_CONFIG, writeHooks, writeUserConfig } from "../workspace.mjs";

/** @import { Bench, Group } from "../group.mjs" */
/** @import { Workspace } from "../workspace.mjs" */

const COUNT = 100;
const LOOP = 'for hook in "$1"/*; do "$hook" hook </dev/null >/dev/null; done';

/**
 * P5: asks 100 hooks what they are, against a C program that asks them one after another.
 * @param {Bench} bench
 * @returns {Group}
 */
export function firstDiscovery({ workspace, commands }) {
  const { scene, names } = sceneWithMany(workspace);
  const askEach = compile("ask-each.c", workspace.root);
  const asking = askEach === null ? ["/bin/sh", "-c", LOOP, "loop"] : [askEach];
  const list = commands.hookctl(scene, ["list", "--json", "--no-cache"]);
  return {
    commands: {
      node: commands.node(scene),
      asking: commands.plain(scene, [...asking, scene.userHooks]),
      list: { ...list, findFault: listFaultFinder(names) },
    },
    figures: [
      {
        ...{ id: "P5", what: `first discovery of ${COUNT} hooks`, ours: { list: 1 } },
        ...{
          against: `\`node -e 0\` + ${askEach === null ? "a shell loop" : "a C program"}`,
          theirs: { node: 1, asking: 1 },
        },
        target: { node: 2.4 },
        whyMissed: { node: WHY.process },
      },
    ],
    ...(askEach === null ? { skipped: "the C program, for want of a compiler; a shell loop asks instead" } : {}),
  };
}

/**
 * P6: the same hooks, known from the cache; none of them has the event.
 * @param {Bench} bench
 * @returns {Group}
 */
export function cachedDiscovery({ workspace, commands }) {
  const { scene, names } = sceneWithMany(workspace);
  const ruled = sceneWithMany(workspace).scene;
  writeUserConfig(ruled, RULE_CONFIG);
  const stdin = workspace.file("session-end.json", '{"event":"session_end"}');
  const whyMissed = { node: WHY.identity };
  const against = { whyMissed, id: "P6", against: "`node -e 0`", theirs: { node: 1 }, target: { node: 1.15 } };
  return {
    commands: {
      node: commands.node(scene),
      run: { ...commands.hookctl(scene, ["run", "session_end"]), stdin },
      ruled: { ...commands.hookctl(ruled, ["run", "session_end"]), stdin },
      list: { ...commands.hookctl(scene, ["list", "--json"]), findFault: listFaultFinder(names) },
      ruledList: { ...commands.hookctl(ruled, ["list", "--json"]), findFault: listFaultFinder(names) },
    },
    figures: [
      { ...against, what: `\`run\`, ${COUNT} hooks from the cache`, ours: { run: 1 } },
      { ...against, what: `\`run\`, ${COUNT} hooks, rule + overrides`, ours: { ruled: 1 } },
      { ...against, what: `\`list\`, ${COUNT} hooks from the cache`, ours: { list: 1 } },
      { ...against, what: `\`list\`, ${COUNT} hooks, rule + overrides`, ours: { ruledList: 1 } },
    ],
  };
}

/** @param {Workspace} workspace */
function sceneWithMany(workspace) {
  const scene = workspace.scene();
  return { scene, names: writeHooks(scene.userHooks, COUNT) };
}
