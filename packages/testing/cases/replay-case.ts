import { textAt } from "../../../src/dialects/field-paths.ts";
import type { AgentName } from "../../../src/protocol/agent-names.ts";
import { EVENT_ROWS } from "../../../src/protocol/event.ts";
import { type Hook, hookForEvent } from "../../../src/protocol/hook.ts";
import { matches } from "../../../src/protocol/match.ts";
import type { Payload } from "../../../src/protocol/payload/payload.ts";
import { truncate } from "../../../src/protocol/text/text.ts";
import { nativeAnswer } from "../../agents/native-answer.ts";
import { hookTexts } from "../checks/hook-texts.ts";
import { failedCheck, type Replay } from "../test-report.ts";
import { casePayload, OF_CALL } from "./case-payload.ts";
import { decisionWord } from "./compare-verdict.ts";
import type { CaseResult, TestCase } from "./test-case.ts";

const EXTRAS = { signature: "", notices: [], mayFollowUp: false };
const SHOWN = 300;
const HINT = "Compare tool_name and tool_input with the portable names: docs/events.md#tools.";

/**
 * Tries a case that stops a tool call as the call of each agent; one that ends otherwise fails the case. The hook is
 * started again only if it could see another call than in the case itself.
 */
export async function withReplays(
  one: TestCase,
  result: CaseResult,
  hook: Hook | null,
  run: (again: TestCase) => Promise<CaseResult>,
): Promise<CaseResult> {
  const before = result.run;
  const agents = replayAgents(one, result);
  if (before === null || agents.length === 0) return result;
  const replays: Replay[] = [];
  const seesAgent = hook === null || readsAgent(hook);
  // Only the decision is compared.
  const { decision, exit_code } = one.expected?.values ?? {};
  for (const agent of agents) {
    const again = { ...one, replay: agent, expected: { values: { decision, exit_code }, written: new Map() } };
    const call = await casePayload(again, hook, before.payload.cwd);
    if (!call.ok) {
      replays.push({ agent, tool: null, skipped: call.error });
      continue;
    }
    const isSame = !seesAgent && isSameCall(hook, call.value.payload, before.payload);
    replays.push(replayOf(agent, isSame ? { ...result, run: { ...before, ...call.value } } : await run(again)));
  }
  const faults = replays.flatMap(({ fault }) => fault ?? []);
  return { ...result, ...(faults.length === 0 ? {} : failedCheck(faults.join("\n"), HINT)), replays };
}

/** True if a hook may read more of a call than its tool and arguments, or if its text cannot be read. */
function readsAgent(hook: Hook): boolean {
  const texts = [...hookTexts(hook), JSON.stringify(hook.match)];
  return texts.some((text) => text === "" || AGENT_WORDS.test(text));
}

const AGENT_WORDS = /native|agent|tool_names|tool_user_id|\0/i;
const SEEN = ["tool_name", "tool_input", "tool_kind"];

function isSameCall(hook: Hook, { event, members }: Payload, before: Payload): boolean {
  const { dialect } = hookForEvent(hook, event);
  // A hook of an agent's own format gets that agent's call as it was sent.
  if (dialect === textAt(members, "native.agent")) return false;
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

/** The result of a case as the call of an agent. A call that this agent cannot make or stop is skipped. */
function replayOf(agent: AgentName, { run, passed, message }: CaseResult): Replay {
  if (run === null || run.sent === null) return { agent, tool: null, skipped: message ?? "" };
  const { sent, verdict, payload } = run;
  const { tool } = sent;
  if (!passed) {
    const seen = ["tool_name", "tool_input"].map((key) => `${key} ${payload.members.get(key)?.raw ?? "missing"}`);
    const saw = truncate(seen.join(", "), SHOWN);
    return { agent, tool, fault: `as ${sent.agent.title}'s ${tool}: ${message}; the hook saw ${saw}` };
  }
  const { mustArrive, unsupported } = nativeAnswer(sent, verdict, EXTRAS);
  const isStopped = mustArrive && !unsupported.some((part) => part.startsWith(`${verdict.decision}:`));
  return { agent, tool, ...(isStopped ? {} : { skipped: `it cannot ${decisionWord(verdict.decision)} here` }) };
}
