import * as z from "zod";
import { allEventNames } from "../../protocol/event.ts";
import type { VerdictDecision } from "../../protocol/verdict.ts";

const DECISIONS = ["continue", "block", "halt", "ask"] as const satisfies readonly VerdictDecision[];
const texts = z.array(z.string());

/** The expected result of a case. */
const expectation = z.strictObject({
  decision: z.enum(DECISIONS).describe("The expected decision."),
  reason: z.string().optional().describe("A text that the reason contains."),
  change: z.unknown().optional().describe("The new value of the event's target; null: nothing is changed."),
  additional_context: texts.optional().describe("The complete additional context for the model."),
  follow_up_messages: texts.optional().describe("The complete list of follow-up messages for the agent."),
});

const oneCase = z.strictObject({
  name: z.string().min(1).describe("What the hook should do, for people."),
  event: z.enum([...allEventNames().keys()]).describe("The event, by its name in any dialect."),
  payload: z
    .record(z.string(), z.unknown())
    .describe("Fields of the payload. Missing fields come from the sample of the event. `cwd` is a scratch folder."),
  expect: expectation,
});

const caseFile = z
  .strictObject({
    $schema: z.string().optional(),
    hook: z.string().min(1).describe("The hook's name, as `hookctl list` shows it."),
    cases: z.array(oneCase).min(1),
  })
  .meta({ title: "Test cases of a hook" });

/** A file of test cases for one hook: `.kodelet/tests/NAME.json`. */
export const caseSchema = (): typeof caseFile => caseFile;

/** The allowed keys at a path of such a file. */
export function caseKeysAt(path: readonly PropertyKey[]): readonly string[] {
  if (path.length === 0) return Object.keys(caseFile.shape);
  return Object.keys(path.includes("expect") ? expectation.shape : oneCase.shape);
}
