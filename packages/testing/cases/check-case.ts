import type * as z from "zod";
import { type LocatedText, readLocated } from "../../../src/config/located-text.ts";
import { issueText } from "../../../src/config/schema/config-schema.ts";
import type { PathKey } from "../../../src/config/yaml.ts";
import { AGENT_NAMES, type AgentName } from "../../../src/protocol/agent-names.ts";
import { findEvent, nearestEvent } from "../../../src/protocol/event.ts";
import { EMPTY_OBJECT, itemsOf, type JsonSpan, membersOf } from "../../../src/protocol/json/read.ts";
import type { CaseProblem } from "../../../src/protocol/problem.ts";
import { fail, ok, type Result } from "../../../src/protocol/result.ts";
import { nearest } from "../../../src/protocol/text/nearest.ts";
import { AGENTS } from "../../agents/agents.ts";
import { fillRows, type ValueFault } from "./case-rows.ts";
import { type CaseValues, caseKeysAt, type FileValues, fileSchema, filledCaseSchema } from "./case-schema.ts";
import type { CaseSubject, TestCase } from "./test-case.ts";

/** The cases of a file, and the faults of the others. */
export interface CheckedCases {
  readonly cases: readonly TestCase[];
  readonly faults: readonly CaseProblem[];
}

export type CaseFilePlace = Pick<TestCase, "file" | "isFromOthers" | "isFromPack">;

/** Parses a file of test cases. A fault in one case does not drop the others. */
export function checkCases(text: string, from: CaseFilePlace): CheckedCases {
  const { file } = from;
  const located = readLocated(text, file);
  if (!located.ok) return { cases: [], faults: [{ code: "CASE_NOT_PARSED", file, ...located.error }] };
  const { value, lineOf } = located.value;
  const checked = fileSchema.safeParse(JSON.parse(value.raw), { reportInput: true });
  if (!checked.success) return { cases: [], faults: [schemaFault(checked.error, [], { file, lineOf })] };
  const written = membersOf(value).get("cases");
  // A case with a table has one result for each row.
  const results = (written === undefined ? [] : itemsOf(written)).flatMap((one, index) => {
    const path = ["cases", index];
    return fillRows(one).map((row): Result<TestCase, CaseProblem> => {
      if (!row.ok) return fail(valueFault(row.error, path, { file, lineOf }));
      const { span } = row.value;
      const values = filledCaseSchema.safeParse(JSON.parse(span.raw), { reportInput: true });
      if (!values.success) return fail(schemaFault(values.error, path, { file, lineOf }));
      const line = lineOf([...path, ...row.value.path]);
      const made = caseFrom(values.data, checked.data, { ...from, span, line });
      return made.ok ? made : fail(valueFault(made.error, path, { file, lineOf }));
    });
  });
  return withoutNamesakes(results, file);
}

/** Case names are unique in a file: `--only` and snapshots identify a case by its name. */
function withoutNamesakes(results: readonly Result<TestCase, CaseProblem>[], file: string): CheckedCases {
  const all = results.flatMap((result) => (result.ok ? [result.value] : []));
  const first = new Map(all.toReversed().map((one) => [one.name, one]));
  const namesakes = all.filter((one) => first.get(one.name) !== one);
  const faults = [
    ...results.flatMap((result) => (result.ok ? [] : [result.error])),
    ...namesakes.map(({ name, line }): CaseProblem => {
      const detail = `the case in line ${first.get(name)?.line} has it too`;
      return { code: "CASE_BAD_VALUE", file, line, place: `the name “${name}”`, detail };
    }),
  ];
  // Rows often share a fault of their case.
  const different = new Map(faults.map((fault) => [JSON.stringify(fault), fault]));
  return { cases: all.filter((one) => first.get(one.name) === one), faults: [...different.values()] };
}

type Located = Pick<LocatedText, "lineOf"> & Pick<TestCase, "file">;

function valueFault({ path, detail }: ValueFault, base: readonly PathKey[], { file, lineOf }: Located): CaseProblem {
  const whole = [...base, ...path];
  return { code: "CASE_BAD_VALUE", file, line: lineOf(whole), place: placeOf(whole), detail };
}

function schemaFault(error: z.ZodError, base: readonly PathKey[], { file, lineOf }: Located): CaseProblem {
  // Unrecognized keys first, because a misspelt key is also reported as missing.
  const issue = error.issues.find(({ code }) => code === "unrecognized_keys") ?? error.issues[0];
  const path = (issue?.path ?? []).map((key) => (typeof key === "symbol" ? String(key) : key));
  if (issue?.code !== "unrecognized_keys") return valueFault({ path, detail: detailOf(issue) }, base, { file, lineOf });
  const whole = [...base, ...path];
  const key = issue.keys[0] ?? "";
  const known = nearest(key, caseKeysAt(whole));
  return { code: "CASE_UNKNOWN_KEY", file, line: lineOf([...whole, key]), place: placeOf(whole), key, nearest: known };
}

/** `cases[1].expect.decision` */
function placeOf(path: readonly PathKey[]): string {
  const keys = path.map((key) => (typeof key === "number" ? `[${key}]` : `.${key}`));
  return keys.length === 0 ? "the file" : keys.join("").slice(1);
}

/** There are too many event names to list them all. */
function detailOf(issue: z.core.$ZodIssue | undefined): string {
  if (issue?.path.at(-1) !== "event") return issueText(issue);
  const near = typeof issue.input === "string" ? nearestEvent(issue.input) : null;
  return `it is not the name of an event${near === null ? "" : `. Did you mean ${near}?`}`;
}

/**
 * Joins a case with the values of its file and checks what the schema cannot. `span`: the JSON of the case, in which
 * numbers keep their digits.
 */
function caseFrom(
  checked: CaseValues,
  shared: FileValues,
  { span, ...at }: CaseFilePlace & { readonly span: JsonSpan; readonly line: number },
): Result<TestCase, ValueFault> {
  const inCase = subjectsIn(checked);
  // A case's subject replaces that of its file.
  const [subject, second] = inCase.length > 0 ? inCase : subjectsIn(shared);
  if (subject === undefined) return fail({ path: [], detail: "it names no hook, rule, guard or chain" });
  if (second !== undefined) {
    const detail = `it has ${subject.kind} and ${second.kind}; only one of them is allowed`;
    return fail({ path: [], detail });
  }
  const { expect, as = "all" } = checked;
  const event = checked.event ?? shared.event ?? null;
  const agent = typeof as === "string" && as !== "all" ? as : null;
  const wrongEvent = eventFault(event, subject, agent);
  if (wrongEvent !== null) return fail({ path: ["event"], detail: wrongEvent });
  const ofOneHook = (["exit_code", "stderr"] as const).find((key) => expect?.[key] !== undefined);
  if (subject.kind === "chain" && ofOneHook !== undefined)
    return fail({ path: ["expect", ofOneHook], detail: "it is for one hook, but this is a chain" });
  const members = membersOf(span);
  const objectAt = (key: string) => membersOf(members.get(key) ?? EMPTY_OBJECT);
  return ok({
    ...at,
    name: checked.name,
    subject,
    event,
    payload: objectAt("payload"),
    agent,
    replayedAs: as === "all" ? AGENT_NAMES : typeof as === "string" ? [] : as,
    env: checked.env ?? {},
    files: checked.files ?? {},
    state: objectAt("state"),
    expected: expect === undefined ? null : { values: expect, written: objectAt("expect") },
    snapshot: { stored: null, updatedIn: null },
  });
}

const subjectsIn = ({ hook, rule, guard, chain }: FileValues | CaseValues): readonly CaseSubject[] => [
  ...(hook === undefined ? [] : [{ kind: "hook", name: hook } as const]),
  ...(rule === undefined ? [] : [{ kind: "rule", name: rule } as const]),
  ...(guard === undefined ? [] : [{ kind: "guard", name: guard } as const]),
  ...(chain === undefined ? [] : [{ kind: "chain" } as const]),
];

/** Checks of an event beyond the schema: which agent has it, and that a case of several hooks has no first hook. */
function eventFault(event: string | null, subject: CaseSubject, agent: AgentName | null): string | null {
  if (event === null) return subject.kind === "chain" ? "a chain needs an event" : null;
  if (findEvent(event) !== null) return null;
  if (agent === null) return `${event} is an event of an agent, so the case needs \`as\``;
  return Object.hasOwn(AGENTS[agent].events, event) ? null : `${AGENTS[agent].title} has no event ${event}`;
}
