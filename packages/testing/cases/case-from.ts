import type { PathKey } from "../../../src/config/yaml.ts";
import { AGENT_NAMES, type AgentName } from "../../../src/protocol/agent-names.ts";
import { findEvent } from "../../../src/protocol/event.ts";
import { EMPTY_OBJECT, type JsonSpan, membersOf } from "../../../src/protocol/json/read.ts";
import { fail, ok, type Result } from "../../../src/protocol/result.ts";
import { AGENTS } from "../../agents/agents.ts";
import type { CaseValues, FileValues } from "./case-schema.ts";
import type { CaseSubject, TestCase } from "./test-case.ts";

/** A case that matches the schema: its values, and its JSON, in which numbers keep their digits. */
export interface FilledValues {
  readonly checked: CaseValues;
  readonly span: JsonSpan;
  /** The file's values for all of its cases. */
  readonly shared: FileValues;
}

interface ValueFault {
  readonly path: readonly PathKey[];
  readonly detail: string;
}

/** Joins a case with the values of its file and checks what the schema cannot. */
export function caseFrom(
  { checked, span, shared }: FilledValues,
  at: Pick<TestCase, "file" | "line" | "isFromOthers" | "isFromPack">,
): Result<TestCase, ValueFault> {
  const subject = subjectOf(checked, shared);
  if (!subject.ok) return subject;
  const { expect } = checked;
  const event = checked.event ?? shared.event ?? null;
  const agents = agentsOf(checked.as);
  const wrongEvent = eventFault(event, subject.value, agents.agent);
  if (wrongEvent !== null) return fail({ path: ["event"], detail: wrongEvent });
  const ofOneHook = (["exit_code", "stderr"] as const).find((key) => expect?.[key] !== undefined);
  if (subject.value.kind === "chain" && ofOneHook !== undefined)
    return fail({ path: ["expect", ofOneHook], detail: "it is of one hook, and this is a chain" });
  const members = membersOf(span);
  const objectAt = (key: string) => membersOf(members.get(key) ?? EMPTY_OBJECT);
  return ok({
    ...at,
    name: checked.name,
    subject: subject.value,
    event,
    payload: objectAt("payload"),
    ...agents,
    env: checked.env ?? {},
    files: checked.files ?? {},
    state: objectAt("state"),
    expected: expect === undefined ? null : { values: expect, written: objectAt("expect") },
    snapshot: { stored: null, updatedIn: null },
  });
}

function agentsOf(as: CaseValues["as"]): Pick<TestCase, "agent" | "replayedAs"> {
  if (as === undefined || as === "all") return { agent: null, replayedAs: AGENT_NAMES };
  return typeof as === "string" ? { agent: as, replayedAs: [] } : { agent: null, replayedAs: as };
}

/** A case's subject replaces that of its file. */
function subjectOf(checked: CaseValues, shared: FileValues): Result<CaseSubject, ValueFault> {
  const inCase = subjectsIn(checked);
  const [subject, second] = inCase.length > 0 ? inCase : subjectsIn(shared);
  if (subject === undefined) return fail({ path: [], detail: "it is about nothing: hook, rule, guard, chain" });
  if (second === undefined) return ok(subject);
  return fail({ path: [], detail: `it has ${subject.kind} and ${second.kind}; only one of them is allowed` });
}

function subjectsIn({ hook, rule, guard, chain }: FileValues | CaseValues): readonly CaseSubject[] {
  const subjects: CaseSubject[] = [];
  if (hook !== undefined) subjects.push({ kind: "hook", name: hook });
  if (rule !== undefined) subjects.push({ kind: "rule", name: rule });
  if (guard !== undefined) subjects.push({ kind: "guard", name: guard });
  if (chain !== undefined) subjects.push({ kind: "chain" });
  return subjects;
}

/** Checks of an event beyond the schema: which agent has it, and that a case of several hooks has no first hook. */
function eventFault(event: string | null, subject: CaseSubject, agent: AgentName | null): string | null {
  if (event === null) return subject.kind === "chain" ? "a chain needs an event" : null;
  if (findEvent(event) !== null) return null;
  if (agent === null) return `${event} is an event of an agent, so the case needs \`as\``;
  return Object.hasOwn(AGENTS[agent].events, event) ? null : `${AGENTS[agent].title} has no event ${event}`;
}
