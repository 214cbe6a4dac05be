import type { AgentName } from "../../../src/protocol/agent-names.ts";
import { printableJson } from "../../../src/protocol/json/write.ts";
import { pluralize } from "../../../src/protocol/text/count.ts";
import { quoteHookNames } from "../../../src/protocol/text/shell-quote.ts";
import { truncateEscaped } from "../../../src/protocol/text/text.ts";
import { KNOWN_AGENTS } from "../../agents/known-agents.ts";
import { partsText, type Row } from "../../scripting/help/layout.ts";
import { type HooksStatus, shortAge } from "./status-text.ts";

/** What `hookctl` alone shows; in `--json` with the next steps. */
export interface Overview
  extends Pick<
    HooksStatus,
    "project" | "off" | "settings_problem" | "not_approved" | "cannot_run" | "paused" | "last_block"
  > {
  /** The built-in guards, and the other hooks, that can run here. */
  readonly guards: readonly string[];
  readonly hooks: readonly string[];
  /** Hooks that no call has started yet, so that their events are not known. */
  readonly not_started: readonly string[];
  /** Where agents call hookctl. */
  readonly agents: readonly { readonly agent: AgentName; readonly scope: string; readonly file: string }[];
}

type Step = readonly [command: string, about: string];

const MOST_STEPS = 3;

/** The three steps that help most in this state. */
function nextSteps({ settings_problem: fault, ...state }: Overview): readonly Step[] {
  const { guards, hooks, agents, paused, not_approved: unapproved, last_block: block } = state;
  const isSetUp = guards.length + hooks.length > 0 && agents.length > 0;
  const steps: readonly (Step | false)[] = [
    fault !== null && ["hookctl doctor", "your settings are not valid, see what is wrong"],
    !isSetUp && fault === null && ["hookctl init", "turn guards on and connect your agents"],
    unapproved.length > 0 && ["hookctl trust", `review ${pluralize(unapproved.length, "hook")}`],
    paused.length > 0 && [`hookctl on ${quoteHookNames(paused)}`, "end the pause"],
    block !== null && ["hookctl why", "see why a call was stopped, and how to allow it"],
    ["hookctl explain 'git reset --hard'", "see how the guards judge a command"],
    isSetUp && ["hookctl block 'npm publish *'", "add a rule of your own"],
    isSetUp ? ["hookctl doctor", "check that the agents can be stopped"] : ["hookctl guards", "see all guards"],
  ];
  return steps.filter((step) => step !== false).slice(0, MOST_STEPS);
}

const listText = (names: readonly string[]): string => names.map((name) => truncateEscaped(name, 60)).join(", ");

export function overviewText(state: Overview): string {
  const {
    off,
    settings_problem: fault,
    guards,
    hooks,
    agents,
    paused,
    not_approved: unapproved,
    cannot_run: cannotRun,
    not_started: unknown,
  } = state;
  const notes = [
    ...(off ? ["all are off"] : []),
    ...(unapproved.length === 0 ? [] : [`${unapproved.length} not approved`]),
    ...(cannotRun.length === 0 ? [] : [`${listText(cannotRun)} cannot run: hookctl doctor`]),
    ...(unknown.length === 0 ? [] : [`${unknown.length} not started yet: hookctl list`]),
    ...(paused.length === 0 ? [] : [`paused: ${listText(paused)}`]),
  ];
  const connected = agents.map(({ agent, file }) => `${KNOWN_AGENTS[agent].title} (${truncateEscaped(file, 100)})`);
  const rows: readonly Row[] = [
    ...(fault === null ? [] : [["Settings", "not valid: hookctl doctor"] as const]),
    ["Guards", guards.length === 0 ? "none is on" : listText(guards)],
    ["Hooks", [pluralize(hooks.length, "hook"), ...notes].join(", ")],
    ["Agents", connected.length === 0 ? "none is connected" : connected.join(", ")],
    ["Stopped", blockText(state.last_block)],
  ];
  const more: readonly Row[] = [["hookctl --help", "all commands"]];
  const parts = [
    { heading: `hookctl in ${truncateEscaped(state.project, 100)}`, rows },
    { heading: "Next", rows: [...nextSteps(state), ...more] },
  ];
  return partsText(parts);
}

function blockText(block: Overview["last_block"]): string {
  if (block === null) return "nothing in the last 7 days";
  const { ago_ms: agoMs, call, tool, decided_by: by } = block;
  const what = call ?? tool ?? "";
  return truncateEscaped(`${shortAge(agoMs)}${what === "" ? "" : `: ${what}`}${by === null ? "" : `, by ${by}`}`, 160);
}

export const overviewJson = (state: Overview): string =>
  printableJson({
    schema: "hookctl.overview/1",
    ...state,
    next: nextSteps(state).map(([command, about]) => ({ command, about })),
  });
