import type { AgentName } from "../../../src/protocol/agent-names.ts";
import { printableJson } from "../../../src/protocol/json/write.ts";
import type { Problem } from "../../../src/protocol/problem.ts";
import { explain } from "../../../src/protocol/problem-messages/explain.ts";
import { escapeControls } from "../../../src/protocol/text/text.ts";
import { problemRecord } from "../../../src/report/problem-text.ts";
import type { Style } from "../../../src/report/text-style.ts";
import { partsText } from "../../scripting/help/layout.ts";
import { agentCommand } from "./agent-command.ts";

/** The changes that `init` made or would make. */
export interface SetupReport {
  readonly isDry: boolean;
  readonly guards: {
    /** The settings file; null if no guard was chosen. */
    readonly file: string | null;
    readonly names: readonly string[];
    /** Guards that were off before. */
    readonly changed: readonly string[];
    /** What to add to YAML by hand. */
    readonly byHand: Problem | null;
    /** Guards that only record. */
    readonly observed: readonly string[];
  };
  readonly agents: readonly AgentSetup[];
  /** The project in which hookctl itself is installed; null if it serves all projects. */
  readonly owner: string | null;
  /** True if a server answers the agents' calls after the first. */
  readonly hasServer: boolean;
}

export interface AgentSetup {
  readonly name: AgentName;
  readonly title: string;
  /** The settings file; empty if it is not known. */
  readonly file: string;
  readonly state: "connected" | "unchanged" | "failed";
  /** Notes and next steps for the user. */
  readonly notes: readonly string[];
  readonly isFailClosed: boolean;
  /** Why it is not connected; null if it is. */
  readonly problem: Problem | null;
}

const NEXT = `\n${partsText([
  {
    heading: "Next",
    rows: [
      ["hookctl explain 'git reset --hard'", "see how the guards judge a command"],
      ["hookctl doctor", "check that the agents can be stopped"],
      ["hookctl new my-hook", "write a hook of your own"],
    ],
  },
])}`;

/** One line per change, each with its undo, and the next command. */
export function initText(report: SetupReport, style: Style): string {
  const { guards, agents, isDry } = report;
  const isChanged = guards.changed.length > 0 || agents.some(({ state }) => state === "connected");
  const isDone = guards.byHand === null && agents.every(({ state }) => state === "unchanged");
  const end = isChanged ? (isDry ? "Nothing was written.\n" : NEXT) : isDone ? "Nothing to change.\n" : "";
  const lines = agents.map((agent) => agentLines(agent, isDry, style)).join("");
  return `${guardLines(report, style)}${lines}${remarks(report, style)}${end}`;
}

function guardLines({ guards: { byHand, file, names, changed, observed }, isDry }: SetupReport, style: Style): string {
  if (byHand !== null) {
    const { summary, hint } = explain(byHand);
    return `${style.warn("▲")} Turn guards on yourself: ${escapeControls(summary)}\n  ${escapeControls(hint)}\n`;
  }
  if (file === null) return "";
  const path = escapeControls(file);
  const unchanged = names
    .filter((name) => !changed.includes(name))
    .map((name) => (observed.includes(name) ? `${name} (observe: stops nothing)` : name));
  const unchangedLine = unchanged.length === 0 ? "" : `• Guards already on: ${unchanged.join(", ")} (${path})\n`;
  if (changed.length === 0) return unchangedLine;
  const list = `${changed.join(", ")} (${path})`;
  if (isDry) return `${unchangedLine}• Would turn guards on: ${list}\n`;
  return `${unchangedLine}${style.good("✔")} Guards on: ${list}\n  undo: hookctl off ${changed.join(" ")} --for good\n`;
}

function agentLines({ name, title, file, state, notes }: AgentSetup, isDry: boolean, style: Style): string {
  const path = escapeControls(file);
  if (state === "failed") return `${style.bad("✖")} ${title} is not connected${path === "" ? "" : ` (${path})`}\n`;
  if (state === "unchanged") return `• ${title} already connected (${path})\n`;
  if (isDry) return `• Would connect ${title} (${path})\n`;
  const undo = agentCommand("uninstall", { agent: name, scope: "user", directory: null });
  const noteLines = notes.map((note) => `  ${escapeControls(note)}\n`);
  return `${style.good("✔")} ${title} connected (${path})\n  undo: ${undo}\n${noteLines.join("")}`;
}

function remarks({ agents, owner, isDry, hasServer }: SetupReport, style: Style): string {
  const isClosed = !isDry && agents.some(({ state, isFailClosed }) => state === "connected" && isFailClosed);
  const closed =
    "• If hookctl cannot run, every call of the agents is blocked. To let them pass: hookctl init AGENT --fail-open\n";
  const borrowed = `hookctl runs from ${owner}, also for other projects. To make it independent of that folder: npm install --global ./hookctl-0.1.0.tgz, from a clone`;
  const none = "No agent is connected. To connect one later: hookctl init AGENT";
  const isConnected = agents.some(({ state }) => state === "connected");
  const server = "• A server answers the agents' calls after the first: hookctl serve --status\n";
  return [
    hasServer && isConnected ? server : "",
    isClosed ? closed : "",
    isClosed && owner !== null ? `${style.warn("▲")} ${escapeControls(borrowed)}\n` : "",
    agents.length === 0 ? `${style.warn("▲")} ${none}\n` : "",
  ].join("");
}

/** The setup as JSON. */
export const initJson = ({ isDry, guards, agents }: SetupReport): string =>
  printableJson({
    schema: "hookctl.init/2",
    dry_run: isDry,
    guards: { file: guards.file, names: guards.names, turned_on: guards.changed, problem: problemOf(guards.byHand) },
    agents: agents.map(({ name, file, state, notes, problem }) => ({
      agent: name,
      file,
      state,
      notes,
      problem: problemOf(problem),
    })),
  });

const problemOf = (problem: Problem | null) => (problem === null ? undefined : problemRecord(problem));
