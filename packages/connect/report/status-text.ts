import type { AgentName } from "../../../src/protocol/agent-names.ts";
import { printableJson } from "../../../src/protocol/json/write.ts";
import { pluralize } from "../../../src/protocol/text/count.ts";
import { listNames } from "../../../src/protocol/text/text.ts";
import type { Style } from "../../../src/report/text-style.ts";
import { KNOWN_AGENTS } from "../../agents/known-agents.ts";
import { fitCells } from "../../screen/cell-width.ts";

/** The state of a project's hooks, as `--json` prints it. */
export interface HooksStatus {
  readonly project: string;
  /** How many hooks can run. */
  readonly hooks: number;
  /** True if no hook runs at all (`HOOKCTL_NO_HOOKS`). */
  readonly off: boolean;
  /** Hooks that need approval: new hooks and changed ones. */
  readonly not_approved: readonly string[];
  /** Hooks that a person has paused. */
  readonly paused: readonly string[];
  /** Hooks that no call would start although nobody decided so. */
  readonly cannot_run: readonly string[];
  /** Guards that cannot run, so that every call of their events is blocked. */
  readonly blocking: readonly string[];
  /** Why the settings are invalid; null if they are valid. */
  readonly settings_problem: string | null;
  readonly last_block: {
    readonly run_id: string;
    readonly time: string;
    readonly ago_ms: number;
    readonly decided_by: string | null;
    readonly tool: string | null;
    readonly call: string | null;
    readonly reason: string | null;
  } | null;
  /** Hooks that failed in their latest run. */
  readonly failing: readonly { readonly name: string; readonly failure: string }[];
  /** The age of the seal and the protections lost since; null if the agents' settings are not sealed. */
  readonly seal: { readonly sealed_ago_ms: number; readonly weakened: readonly string[] } | null;
  /** The agents whose shell calls run in the cage, those whose calls do not, and running sessions that are older; null: no cage. */
  readonly cage: {
    readonly mode: string;
    readonly agents: readonly string[];
    readonly without: readonly string[];
    readonly outside: number;
  } | null;
  /** The last answers of agents that approve each hook entry separately, with the events whose entries they skip. */
  readonly agents: readonly {
    readonly name: AgentName;
    readonly asked_ago_ms: number;
    readonly skipped: readonly { readonly event: string; readonly status: string }[];
  }[];
}

/** `hookctl: 4 hooks · last block 3m ago: rm -rf … · guard.py fails` */
export function statusText(status: HooksStatus, style: Style): string {
  const { not_approved: notApproved, paused, blocking, last_block: block, failing, agents, seal, cage } = status;
  const cannotRun = status.cannot_run.filter((name) => !blocking.includes(name));
  const parts = [
    status.off ? style.warn("all hooks are off") : pluralize(status.hooks, "hook"),
    ...(status.settings_problem === null ? [] : [style.bad("settings not valid: hookctl doctor")]),
    ...(blocking.length === 0
      ? []
      : [style.bad(`${namesText(blocking)} cannot run, calls are blocked: hookctl doctor`)]),
    ...(cannotRun.length === 0 ? [] : [style.bad(`${namesText(cannotRun)} cannot run: hookctl doctor`)]),
    ...(notApproved.length === 0 ? [] : [style.warn(`${notApproved.length} not approved`)]),
    ...(paused.length === 0 ? [] : [style.warn(`${namesText(paused)} off`)]),
    ...(block === null ? [] : [blockText(block)]),
    ...(failing.length === 0
      ? []
      : [style.bad(`${namesText(failing.map(({ name }) => name))} ${failing.length === 1 ? "fails" : "fail"}`)]),
    ...agents.map((agent) => agentText(agent, style)),
    ...(seal === null ? [] : [sealText(seal, style)]),
    ...(cage === null ? [] : [cageText(cage, style)]),
  ];
  return `hookctl: ${parts.join(" · ")}\n`;
}

const LONGEST_NAME = 30;
const namesText = (names: readonly string[]): string => listNames(names.map((name) => fitCells(name, LONGEST_NAME)));

const LONGEST_CALL = 30;

function blockText({ ago_ms: agoMs, call, tool, decided_by: by }: NonNullable<HooksStatus["last_block"]>): string {
  const what = call ?? tool ?? by ?? "";
  return `last block ${shortAge(agoMs)}${what === "" ? "" : `: ${fitCells(what, LONGEST_CALL)}`}`;
}

/** `Codex CLI trusts all entries (3m ago)` */
function agentText({ name, skipped, asked_ago_ms: agoMs }: HooksStatus["agents"][number], style: Style): string {
  const { title } = KNOWN_AGENTS[name];
  const age = `(asked ${shortAge(agoMs)})`;
  if (skipped.length === 0) return `${title} trusts all entries ${age}`;
  return style.bad(`${title} skips ${pluralize(skipped.length, "entry", "entries")} ${age}: hookctl doctor`);
}

function sealText({ sealed_ago_ms: agoMs, weakened }: NonNullable<HooksStatus["seal"]>, style: Style): string {
  if (weakened.length === 0) return `settings unchanged (sealed ${shortAge(agoMs)})`;
  return style.bad(`✖ ${pluralize(weakened.length, "protection")} lost: hookctl restore, or hookctl seal to accept`);
}

/** `cage: Claude Code, not Codex CLI` */
function cageText({ mode, agents, without, outside }: NonNullable<HooksStatus["cage"]>, style: Style): string {
  if (mode === "observe") return "cage observes";
  const parts = [
    ...(agents.length > 0 ? [namesText(agents)] : []),
    ...(without.length > 0 ? [`not ${namesText(without)}`] : []),
  ];
  const text = `cage: ${parts.join(", ")}`;
  const older = outside === 0 ? "" : `, ${pluralize(outside, "running session")} outside`;
  return agents.length > 0 && outside === 0 ? text : style.warn(`${text}${older}`);
}

/** `3m ago` */
export function shortAge(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes}m ago`;
  return minutes < 48 * 60 ? `${Math.floor(minutes / 60)}h ago` : `${Math.floor(minutes / (24 * 60))}d ago`;
}

export const statusJson = (status: HooksStatus): string => printableJson({ schema: "hookctl.status/1", ...status });
