import { textAt } from "../../../src/dialects/field-paths.ts";
import { hookTexts } from "../../../src/engine/hooks/hook-texts.ts";
import type { AgentName } from "../../../src/protocol/agent-names.ts";
import { EVENT_ROWS } from "../../../src/protocol/event.ts";
import { type Hook, hookForEvent } from "../../../src/protocol/hook.ts";
import { matches } from "../../../src/protocol/match.ts";
import type { Payload } from "../../../src/protocol/payload/payload.ts";
import { truncate } from "../../../src/protocol/text/text.ts";
import { nativeAnswer } from "../../agents/native-answer.ts";
import { type Finding, failedCheck, type Replay } from "../test-report.ts";
import { casePayload, OF_CALL } from "./case-payload.ts";
import type { CaseResult, CaseRun } from "./case-run.ts";
import { decisionWord } from "./compare-verdict.ts";
import type { TestCase } from "./test-case.ts";

const EXTRAS = { signature: "", notices: [], mayFollowUp: false };
const SHOWN = 300;

/**
 * Tries a case that stops a tool call as the call of each agent. The hook is started again only if it could see another
 * call than in the case itself.
 */
export async function replayCase(
  one: TestCase,
  result: CaseResult,
  hook: Hook | null,
  run: (again: TestCase) => Promise<CaseResult>,
): Promise<readonly Replay[]> {
  const replays: Replay[] = [];
  const seesAgent = hook === null || readsAgent(hook);
  for (const agent of replayAgents(one, result)) {
    const again = asReplay(one, agent);
    const call = await casePayload(again, hook, result.run?.payload.cwd ?? "");
    const isSame = call.ok && !seesAgent && isSameCall(hook, call.value.payload, result.run?.payload);
    const replayed =
      call.ok && result.run !== null && isSame ? { ...result, run: { ...result.run, ...call.value } } : null;
    replays.push(call.ok ? replayOf(agent, replayed ?? (await run(again))) : skipped(agent, call.error));
  }
  return replays;
}

const skipped = (agent: AgentName, why: string): Replay => ({ agent, tool: null, skipped: why, fault: null });

/** True if a hook may read more of a call than its tool and arguments, or if its text cannot be read. */
function readsAgent(hook: Hook): boolean {
  const texts = [...hookTexts(hook), JSON.stringify(hook.match)];
  return texts.some((text) => text === "" || AGENT_WORDS.test(text));
}

const AGENT_WORDS = /native|agent|tool_names|tool_user_id|\0/i;
const SEEN = ["tool_name", "tool_input", "tool_kind"];

function isSameCall(hook: Hook, payload: Payload, before: Payload | undefined): boolean {
  const { event, members } = payload;
  const { dialect } = hookForEvent(hook, event);
  // A hook of an agent's own format gets that agent's call as it was sent.
  if (before === undefined || dialect === textAt(members, "native.agent")) return false;
  const isSeenAlike = SEEN.every((key) => members.get(key)?.raw === before.members.get(key)?.raw);
  return isSeenAlike && matches(hook.match, members, { event, dialect });
}

/** True for a case that should stop a call, which it describes in portable names. */
export const stopsCall = ({ expected, agent }: TestCase): boolean =>
  agent === null && ["block", "ask"].includes(expected?.values.decision ?? "");

/** The agents for which a case that passed is repeated. */
function replayAgents(one: TestCase, { passed, run }: CaseResult): readonly AgentName[] {
  if (!passed || run === null || !stopsCall(one) || EVENT_ROWS[run.verdict.event].target !== "tool_input") return [];
  return OF_AGENT.some((key) => one.payload.has(key)) ? [] : one.replayedAs;
}

const OF_AGENT = OF_CALL.filter((key) => key !== "tool_name" && key !== "tool_input");

/** The case as a call of the agent, of which only the decision is compared. */
function asReplay(one: TestCase, replay: AgentName): TestCase {
  const { decision, exit_code } = one.expected?.values ?? {};
  return { ...one, replay, expected: { values: { decision, exit_code }, written: new Map() } };
}

/** The result of a case as the call of an agent. A call that this agent cannot make or stop is skipped. */
function replayOf(agent: AgentName, { run, passed, message }: CaseResult): Replay {
  if (run === null || run.sent === null) return skipped(agent, message ?? "");
  const { sent, verdict } = run;
  const { tool } = sent;
  if (!passed) return { agent, tool, skipped: null, fault: faultOf(run, message) };
  const { mustArrive, unsupported } = nativeAnswer(sent, verdict, EXTRAS);
  const isStopped = mustArrive && !unsupported.some((part) => part.startsWith(`${verdict.decision}:`));
  return { agent, tool, skipped: isStopped ? null : `it cannot ${decisionWord(verdict.decision)} here`, fault: null };
}

function faultOf({ payload, sent }: CaseRun, message: string | null): string {
  const { title = "" } = sent?.agent ?? {};
  const seen = ["tool_name", "tool_input"].map((key) => `${key} ${payload.members.get(key)?.raw ?? "missing"}`);
  return `as ${title}'s ${sent?.tool}: ${message}; the hook saw ${truncate(seen.join(", "), SHOWN)}`;
}

/** A replay that ended otherwise than its case fails the case. */
export function replayFinding(replays: readonly Replay[], result: Finding): Finding {
  const faults = replays.flatMap(({ fault }) => fault ?? []);
  return faults.length === 0 ? result : failedCheck(faults.join("\n"), HINT);
}

const HINT = "Compare tool_name and tool_input with the portable names: docs/events.md#tools.";
