import { statSync } from "node:fs";
import { isAbsolute } from "node:path";
import type { EventName } from "../contract/event.ts";
import { type JsonRecord, writeJson } from "../contract/json-text.ts";
import type { Payload } from "../contract/payload.ts";
import { EXIT, type Problem, signalExitCode } from "../contract/problem.ts";
import type { RunRecord } from "../contract/run-record.ts";
import { type Warning, warningText } from "../contract/warning.ts";
import type { Agent, NativeEvent } from "../dialects/agents/agent.ts";
import { deadlineOf } from "../dialects/agents/deadline.ts";
import { nativeAnswer } from "../dialects/agents/native-answer.ts";
import { closeInheritedBeforeFirstStart } from "../process/descriptors.ts";
import { newRunId } from "../record/run-id.ts";
import { problemText } from "../report/problem-text.ts";
import { runText } from "../report/run-text.ts";
import { PLAIN } from "../report/style.ts";
import { hooksFor } from "../runtime/answer.ts";
import { answerRaised, type Raise, together } from "../runtime/answer-raised.ts";
import { everythingFound } from "../runtime/everything-found.ts";
import { DEPTH_LIMIT, depthOf, type Ground } from "../runtime/ground.ts";
import { keptRun } from "../runtime/kept-run.ts";
import { gatherHooks } from "../runtime/roster.ts";
import { sessionNotice } from "../runtime/session-notice.ts";
import type { World } from "../world.ts";
import type { Call } from "./bridge.ts";
import type { BridgeFlags } from "./bridge-flags.ts";
import { standInFolder, start } from "./start.ts";

/** The hooks of every event that the agent's event raised are asked, and what they decided is said in its words. */
export async function answerCall(call: Call, flags: BridgeFlags, world: World): Promise<number> {
  const depth = depthOf(world.env);
  if (depth >= DEPTH_LIMIT) return answerFailure({ code: "RECURSION", depth }, call.row, true, world);
  const directory = flags.directory ?? projectOf(call.agent, world) ?? standInFolder(world);
  const started = await start(
    { ...flags, directory, deadlineMs: flags.deadlineMs ?? deadlineOf(call.row) },
    world,
    true,
  );
  if (!started.ok) return answerFailure(started.error, call.row, flags.failClosed, world);
  const { ground, loaded } = started.value;

  const found = everythingFound(ground);
  if (found.candidates.length > 0) closeInheritedBeforeFirstStart();
  const [first, ...others] = call.payloads;
  const raiseOf = async (payload: Payload, runId: string): Promise<Raise> => {
    const own: Ground = { ...ground, runId };
    return { payload, ground: own, roster: await gatherHooks(found, own, payload.event) };
  };
  const main = await raiseOf(first, ground.runId);
  const raises = [main];
  for (const payload of others) raises.push(await raiseOf(payload, newRunId(world.nowMs(), world.random)));
  const [record, ...further] = await answerRaised(raises, [...loaded.warnings, ...unaskedWarnings(call, main)]);
  if (record === undefined) return EXIT.goOn;
  const signal = world.interrupt.raised();
  if (signal !== null) return signalExitCode(signal);

  const verdict = together([record.verdict, ...further.map((one) => one.verdict)]);
  const canTell = call.row.answers.tell !== undefined;
  const time = { isStart: first.event === "session_start", canTell };
  const notice = sessionNotice([record, ...further], main.roster, ground, time);
  const broken = [...call.problems, ...loaded.problems].map(
    (problem) => `hookctl: ${problemText(problem, PLAIN).trim()}`,
  );
  const { answer, mustArrive, unsaid } = nativeAnswer(call, verdict, {
    signature: `(${verdict.decidedBy ?? "hookctl"}, hookctl why ${ground.runId})`,
    notices: [...(notice === null ? [] : [notice]), ...broken],
    mayFollowUp: mayFollowUp(call, record),
  });
  const notSaid = unsaid.map((what): Warning => ({ code: "NOT_SAID", agent: call.agent.title, what }));
  for (const [index, one] of [record, ...further].entries()) {
    const told = index === 0 ? { ...one, warnings: [...one.warnings, ...notSaid.map(warningText)] } : one;
    story(keptRun(told, raises[index]?.ground ?? ground), flags, world);
  }
  for (const text of broken) world.err(`${text}\n`);
  return say(answer, mustArrive, world);
}

/** Told where somebody would have been asked: that an agent stops without a last message is no news to anybody else. */
function unaskedWarnings({ unasked }: Call, { roster, ground }: Raise): readonly Warning[] {
  const isHeard = (event: EventName) => hooksFor(event, roster, ground).some(({ off }) => off === null);
  return unasked
    .filter(({ event }) => isHeard(event))
    .flatMap(({ event, problems }) => problems.map((problem): Warning => ({ code: "NOT_ASKED", event, problem })));
}

/** What cannot be answered: a deny where that was asked for and can be said, else a word to the person. */
export async function answerFailure(
  problem: Problem,
  row: NativeEvent | null,
  failClosed: boolean,
  world: World,
): Promise<number> {
  const text = problemText(problem, PLAIN);
  world.err(text);
  const reason = `hookctl: ${text.trim()}`;
  const { deny, tell } = row?.answers ?? {};
  if (failClosed && row === null) return EXIT.blocked;
  if (failClosed && deny !== undefined) return say(deny(reason), true, world);
  return tell === undefined ? EXIT.goOn : say(tell(reason), false, world);
}

/** Exactly one JSON object, or nothing. What cannot be written and must arrive still stops, by the exit code. */
function say(answer: JsonRecord, mustArrive: boolean, world: World): number {
  if (Object.keys(answer).length === 0) return EXIT.goOn;
  const lost = world.out(`${writeJson(answer)}\n`);
  return lost !== null && mustArrive ? EXIT.blocked : EXIT.goOn;
}

/** Most calls have nothing to tell; then nothing is. */
function story(record: RunRecord, { quiet }: BridgeFlags, world: World): void {
  const isQuiet = record.decision === "continue" && record.warnings.length === 0;
  if (!quiet && !(isQuiet && record.hooks.every(({ failure }) => failure === null))) world.err(runText(record, PLAIN));
}

/** The agent names its project's folder in its own variable; where it has none, hooks start there. */
function projectOf({ projectVariable }: Agent, { env }: World): string | null {
  const folder = projectVariable === null ? undefined : env[projectVariable];
  if (folder === undefined || !isAbsolute(folder)) return null;
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() ? folder : null;
}

/**
 * Follow-ups end where the agent's own limit would end them. An agent that goes on already, though not because of us,
 * is being driven by somebody else.
 */
function mayFollowUp({ agent, native }: Call, { verdict }: RunRecord): boolean {
  const isGoingOn = ["stop_hook_active", "stopHookActive"].some((key) => native.get(key)?.raw === "true");
  const count = verdict.turns?.count ?? 1;
  if (isGoingOn && count <= 1) return false;
  return agent.followUpLimit === 0 || count <= agent.followUpLimit;
}
