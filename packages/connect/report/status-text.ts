import { type JsonRecord, printableJson } from "../../../src/protocol/json/write.ts";
import { fitCells } from "../../../src/protocol/text/cell-width.ts";
import { pluralize } from "../../../src/protocol/text/count.ts";
import { listNames } from "../../../src/protocol/text/text.ts";
import type { Style } from "../../../src/report/text-style.ts";

/** The state of a project's hooks. */
export interface HooksStatus {
  readonly project: string;
  /** How many hooks can run. */
  readonly active: number;
  /** Hooks that need approval: new hooks and changed ones. */
  readonly notApproved: readonly string[];
  /** Hooks that a person has paused. */
  readonly paused: readonly string[];
  /** Guards that cannot run, so that every call of their events is blocked. */
  readonly blocking: readonly string[];
  /** True: no hook runs at all (`HOOKCTL_NO_HOOKS`). */
  readonly areOff: boolean;
  /** Why the settings are invalid; null if they are valid. */
  readonly settingsProblem: string | null;
  readonly lastBlock: BlockedCall | null;
  /** Hooks that failed in their latest run. */
  readonly failing: readonly { readonly name: string; readonly failure: string }[];
  /** The last answers of agents that approve each hook entry separately. */
  readonly agents: readonly AskedAgent[];
  /** The age of the seal and the protections lost since; null if the agents' settings are not sealed. */
  readonly seal: { readonly agoMs: number; readonly weakened: readonly string[] } | null;
}

export interface AskedAgent {
  readonly name: string;
  readonly title: string;
  readonly agoMs: number;
  /** The events whose entries the agent skips. */
  readonly skipped: readonly { readonly event: string; readonly status: string }[];
}

export interface BlockedCall {
  readonly runId: string;
  readonly time: string;
  readonly agoMs: number;
  readonly by: string | null;
  readonly tool: string | null;
  readonly call: string | null;
  readonly reason: string | null;
}

const LONGEST_CALL = 30;
const LONGEST_NAME = 30;

/** `hookctl: 4 hooks · last block 3m ago: rm -rf … · guard.py fails` */
export function statusText(status: HooksStatus, style: Style): string {
  const { active, notApproved, paused, blocking, areOff, settingsProblem, lastBlock, failing, agents, seal } = status;
  const parts = [
    areOff ? style.warn("all hooks are off") : pluralize(active, "hook"),
    ...(settingsProblem === null ? [] : [style.bad("settings not valid: hookctl doctor")]),
    ...(blocking.length === 0
      ? []
      : [style.bad(`${namesText(blocking)} cannot run, calls are blocked: hookctl doctor`)]),
    ...(notApproved.length === 0 ? [] : [style.warn(`${notApproved.length} not approved`)]),
    ...(paused.length === 0 ? [] : [style.warn(`${namesText(paused)} off`)]),
    ...(lastBlock === null ? [] : [blockText(lastBlock)]),
    ...(failing.length === 0
      ? []
      : [style.bad(`${namesText(failing.map(({ name }) => name))} ${failing.length === 1 ? "fails" : "fail"}`)]),
    ...agents.map((agent) => agentText(agent, style)),
    ...(seal === null ? [] : [sealText(seal, style)]),
  ];
  return `hookctl: ${parts.join(" · ")}\n`;
}

const namesText = (names: readonly string[]): string => listNames(names.map((name) => fitCells(name, LONGEST_NAME)));

function blockText({ agoMs, call, tool, by }: BlockedCall): string {
  const what = call ?? tool ?? by ?? "";
  return `last block ${shortAge(agoMs)}${what === "" ? "" : `: ${fitCells(what, LONGEST_CALL)}`}`;
}

function sealText({ agoMs, weakened }: NonNullable<HooksStatus["seal"]>, style: Style): string {
  if (weakened.length === 0) return `sealed ${shortAge(agoMs)}`;
  return style.bad(`✖ ${pluralize(weakened.length, "protection")} lost: hookctl restore, or hookctl seal to accept`);
}

/** `Codex CLI trusts all entries (3m ago)` */
function agentText({ title, skipped, agoMs }: AskedAgent, style: Style): string {
  const age = `(asked ${shortAge(agoMs)})`;
  if (skipped.length === 0) return `${title} trusts all entries ${age}`;
  return style.bad(`${title} skips ${pluralize(skipped.length, "entry", "entries")} ${age}: hookctl doctor`);
}

/** `3m ago` */
function shortAge(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes}m ago`;
  return minutes < 48 * 60 ? `${Math.floor(minutes / 60)}h ago` : `${Math.floor(minutes / (24 * 60))}d ago`;
}

export const statusJson = ({ lastBlock, failing, agents, seal, ...status }: HooksStatus): string =>
  printableJson({
    schema: "hookctl.status/1",
    project: status.project,
    hooks: status.active,
    off: status.areOff,
    not_approved: status.notApproved,
    paused: status.paused,
    blocking: status.blocking,
    settings_problem: status.settingsProblem,
    last_block: lastBlock === null ? null : blockJson(lastBlock),
    failing: failing.map(({ name, failure }) => ({ name, failure })),
    seal: seal === null ? null : { sealed_ago_ms: seal.agoMs, weakened: seal.weakened },
    agents: agents.map(({ name, agoMs, skipped }) => ({
      name,
      asked_ago_ms: agoMs,
      skipped: skipped.map(({ event, status: word }) => ({ event, status: word })),
    })),
  });

const blockJson = ({ runId, time, agoMs, by, tool, call, reason }: BlockedCall): JsonRecord => ({
  run_id: runId,
  time,
  ago_ms: agoMs,
  decided_by: by,
  tool,
  call,
  reason,
});
