import type { AgentName } from "../../agents/agent.ts";
import { AGENTS } from "../../agents/agents.ts";
import { nativeAnswer } from "../../agents/native-answer.ts";
import { EVENT_ROWS } from "../../protocol/event.ts";
import { truncate } from "../../protocol/text/text.ts";
import type { Replay } from "../test-report.ts";
import { OF_CALL } from "./case-payload.ts";
import { decisionWord } from "./compare-verdict.ts";
import type { CaseResult, CaseRun } from "./run-case.ts";
import type { Expectation, TestCase } from "./test-case.ts";

const EXTRAS = { signature: "", notices: [], mayFollowUp: false };
const SHOWN = 300;

/** The agents as which a case that passed is tried again: if it stops a tool call that no agent has made yet. */
export function replayAgents(one: TestCase, { passed, run }: CaseResult): readonly AgentName[] {
  const isStop = one.expected?.decision === "block" || one.expected?.decision === "ask";
  if (!passed || run === null || !isStop || EVENT_ROWS[run.verdict.event].target !== "tool_input") return [];
  return OF_AGENT.some((key) => one.payload.has(key)) ? [] : one.replayedAs;
}

const OF_AGENT = OF_CALL.filter((key) => key !== "tool_name" && key !== "tool_input");

/** The case as a call of the agent, of which only the decision is compared. */
export function asReplay(one: TestCase, replay: AgentName): TestCase {
  const none: Expectation = {
    ...{ decision: one.expected?.decision, reason: undefined, input: undefined, output: undefined, isExact: false },
    ...{ change: undefined, context: undefined, followUps: undefined, pushes: undefined, state: undefined },
    ...{ exitCode: one.expected?.exitCode, stderr: undefined, maxMs: undefined },
  };
  return { ...one, replay, expected: none };
}

/** The result of a case as the call of an agent. A call that this agent cannot make or stop is skipped. */
export function replayOf(agent: AgentName, { run, passed, message }: CaseResult): Replay {
  if (run === null || run.sent === null) return { agent, tool: null, skipped: message, fault: null };
  const { sent, verdict } = run;
  const { tool } = sent;
  if (!passed) return { agent, tool, skipped: null, fault: faultOf(run, message) };
  const { mustArrive, unsupported } = nativeAnswer(sent, verdict, EXTRAS);
  const isStopped = mustArrive && !unsupported.some((part) => part.startsWith(`${verdict.decision}:`));
  const skipped = isStopped ? null : `${AGENTS[agent].title} cannot ${decisionWord(verdict.decision)} here`;
  return { agent, tool, skipped, fault: null };
}

function faultOf({ payload, sent }: CaseRun, message: string | null): string {
  const { title = "" } = sent?.agent ?? {};
  const seen = ["tool_name", "tool_input"].map((key) => `${key} ${payload.members.get(key)?.raw ?? "missing"}`);
  return `as ${title}'s ${sent?.tool}: ${message}; the hook saw ${truncate(seen.join(", "), SHOWN)}`;
}
