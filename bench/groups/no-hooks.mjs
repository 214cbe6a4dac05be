import { WHY } from "../reasons.mjs";
import { RULE_CONFIG, writeUserConfig } from "../workspace.mjs";

/** @import { Bench, Group } from "../group.mjs" */

const RUN = ["run", "before_tool_call"];

/**
 * P1: what a call costs when there is nothing to ask, against the start of Node.
 * @param {Bench} bench
 * @returns {Group}
 */
export function noHooks({ workspace, commands }) {
  const empty = workspace.scene();
  const configured = workspace.scene();
  writeUserConfig(configured, { settings: { timeout: "20s" } });
  const ruled = workspace.scene();
  writeUserConfig(ruled, RULE_CONFIG);
  const whyMissed = { node: WHY.start, native: WHY.native };
  const against = { whyMissed, id: "P1", against: "`node -e 0`", theirs: { node: 1 } };
  return {
    commands: {
      node: commands.node(empty),
      file: commands.hookctl(empty, RUN),
      pipe: { ...commands.hookctl(empty, RUN), isPiped: true },
      off: commands.hookctl(empty, [...RUN, "--no-hooks"]),
      configured: commands.hookctl(configured, RUN),
      ruled: commands.hookctl(ruled, RUN),
    },
    figures: [
      { ...against, what: "no hooks", ours: { file: 1 }, target: { node: 1.08, native: 0.5 } },
      { ...against, what: "no hooks, stdin a pipe", ours: { pipe: 1 }, target: { node: 1.25, native: 0.5 } },
      { ...against, what: "`--no-hooks`", ours: { off: 1 }, target: { node: 1.08, native: 0.5 } },
      { ...against, what: "no hooks, user config", ours: { configured: 1 } },
      { ...against, what: "one rule, overrides", ours: { ruled: 1 } },
    ],
  };
}
