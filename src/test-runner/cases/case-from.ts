import type * as z from "zod";
import { AGENT_NAMES, type AgentName } from "../../agents/agent.ts";
import { AGENTS } from "../../agents/agents.ts";
import type { PathKey } from "../../config/yaml.ts";
import { findEvent } from "../../protocol/event.ts";
import { EMPTY_OBJECT, type JsonSpan, membersOf } from "../../protocol/json/read.ts";
import { fail, ok, type Result } from "../../protocol/result.ts";
import type { fileSchema, filledCaseSchema } from "./case-schema.ts";
import type { CaseSubject, Expectation, ListPattern, TestCase, TextPattern } from "./test-case.ts";

export type FileValues = z.infer<typeof fileSchema>;
type CaseValues = z.infer<typeof filledCaseSchema>;
type Expected = NonNullable<CaseValues["expect"]>;

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
  const members = membersOf(span);
  const expect = membersOf(members.get("expect") ?? EMPTY_OBJECT);
  if (checked.expect !== undefined && expect.size === 0)
    return fail({ path: ["expect"], detail: "nothing is expected" });
  const fault = valueFault(checked, shared, subject.value);
  if (fault !== null) return fail(fault);
  return ok({
    ...at,
    name: checked.name,
    subject: subject.value,
    event: checked.event ?? shared.event ?? null,
    payload: membersOf(members.get("payload") ?? EMPTY_OBJECT),
    ...agentsOf(checked.as),
    env: checked.env ?? {},
    files: checked.files ?? {},
    state: membersOf(members.get("state") ?? EMPTY_OBJECT),
    expected: checked.expect === undefined ? null : expectationOf(checked.expect, expect),
    snapshot: { stored: null, updatedIn: null },
  });
}

function valueFault(checked: CaseValues, shared: FileValues, subject: CaseSubject): ValueFault | null {
  const event = eventFault(checked.event ?? shared.event ?? null, subject, agentsOf(checked.as).agent);
  if (event !== null) return { path: ["event"], detail: event };
  const unclear = ONE_HOOK.find((key) => subject.kind === "chain" && checked.expect?.[key] !== undefined);
  if (unclear !== undefined) return { path: ["expect", unclear], detail: "it is of one hook, and this is a chain" };
  return fileFault(checked.files ?? {}) ?? envFault(checked.env ?? {}) ?? regexFault(checked.expect ?? {});
}

function agentsOf(as: CaseValues["as"]): Pick<TestCase, "agent" | "replayedAs"> {
  if (as === undefined || as === "all") return { agent: null, replayedAs: AGENT_NAMES };
  return typeof as === "string" ? { agent: as, replayedAs: [] } : { agent: null, replayedAs: as };
}

/** The test decides which folders are real. */
function envFault(env: Readonly<Record<string, string>>): ValueFault | null {
  const name = Object.keys(env).find((one) => isPlaceVariable(one));
  return name === undefined ? null : { path: ["env", name], detail: "hookctl sets it for the scratch folders" };
}

const SUBJECT_KEYS = ["hook", "rule", "guard", "chain"] as const;

/** A case's own subject replaces that of its file. */
function subjectOf(checked: CaseValues, shared: FileValues): Result<CaseSubject, ValueFault> {
  const own = subjectsIn(checked);
  const [subject, second] = own.length > 0 ? own : subjectsIn(shared);
  if (subject === undefined) return fail({ path: [], detail: `it is about nothing: ${SUBJECT_KEYS.join(", ")}` });
  if (second === undefined) return ok(subject);
  return fail({ path: [], detail: `it has ${subject.kind} and ${second.kind}; only one of them is allowed` });
}

const subjectsIn = ({ hook, rule, guard, chain }: Pick<CaseValues, (typeof SUBJECT_KEYS)[number]>): CaseSubject[] => [
  ...(hook === undefined ? [] : [{ kind: "hook" as const, name: hook }]),
  ...(rule === undefined ? [] : [{ kind: "rule" as const, name: rule }]),
  ...(guard === undefined ? [] : [{ kind: "guard" as const, name: guard }]),
  ...(chain === undefined ? [] : [{ kind: "chain" as const }]),
];

/** Checks of an event beyond the schema: which agent has it, and that a case of several hooks has no first hook. */
function eventFault(event: string | null, subject: CaseSubject, agent: AgentName | null): string | null {
  if (event === null) return subject.kind === "chain" ? "a chain needs an event" : null;
  if (findEvent(event) !== null) return null;
  if (agent === null) return `${event} is an event of an agent, so the case needs \`as\``;
  return Object.hasOwn(AGENTS[agent].events, event) ? null : `${AGENTS[agent].title} has no event ${event}`;
}

function fileFault(files: Readonly<Record<string, string>>): ValueFault | null {
  for (const path of Object.keys(files)) {
    const detail = scratchPathFault(path);
    if (detail !== null) return { path: ["files", path], detail };
  }
  return null;
}

const ONE_HOOK = ["exit_code", "stderr"] as const;

/** Payloads and changes stay raw text, so that numbers keep their digits. */
const expectationOf = (values: Expected, written: ReadonlyMap<string, JsonSpan>): Expectation => ({
  decision: values.decision === "allow" ? "continue" : values.decision,
  reason: textPattern(values.reason),
  input: written.get("input"),
  output: written.get("output"),
  isExact: values.exact ?? false,
  change: written.get("change"),
  context: listPattern(values.context ?? values.additional_context),
  followUps: listPattern(values.follow_ups ?? values.follow_up_messages),
  pushes: listPattern(values.pushes),
  state: written.get("state"),
  exitCode: values.exit_code,
  stderr: textPattern(values.stderr),
  maxMs: values.max_ms,
});

const textPattern = (value: Expected["reason"]): TextPattern | undefined =>
  typeof value === "string" ? { contains: value } : value;

const listPattern = (value: Expected["context"]): ListPattern | undefined =>
  typeof value === "string" ? { contains: value } : value;

const PATTERN_KEYS = [
  ...(["reason", "stderr", "context", "additional_context"] as const),
  ...(["follow_ups", "follow_up_messages", "pushes"] as const),
];

function regexFault(expected: Expected): ValueFault | null {
  for (const key of PATTERN_KEYS) {
    const value = expected[key];
    if (typeof value !== "object" || !("matches" in value)) continue;
    try {
      new RegExp(value.matches, "u");
    } catch (error) {
      return { path: ["expect", key, "matches"], detail: error instanceof Error ? error.message : "not valid" };
    }
  }
  return null;
}

/** Variables that lead to the scratch folders, to other programs, or to hookctl. */
const PLACES = /^(PATH|HOME|TMPDIR|SHELL|PWD|XDG_.*|HOOKCTL_.*)$/;

const isPlaceVariable = (name: string): boolean => PLACES.test(name) || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name);

/**
 * Why a file of a case cannot be written to the scratch project; null if it can. Git never clones a `.git`, so a case
 * may not bring one either: its settings start programs.
 */
export function scratchPathFault(path: string): string | null {
  if (path.startsWith("/") || path.startsWith("~")) return "it is not relative to the project";
  if (path.includes("\0") || path.includes("\\")) return "it is no path";
  const parts = path.split("/");
  if (parts.includes("..")) return "it leads out of the project";
  if (parts.some((part) => part === "" || part === ".")) return "it is no path of a file";
  return parts.some((part) => part.toLowerCase() === ".git") ? "a case brings no .git" : null;
}
