import * as z from "zod";
import { allNames } from "../contract/event.ts";
import type { VerdictDecision } from "../contract/verdict.ts";

const DECISIONS = ["continue", "block", "halt", "ask"] as const satisfies readonly VerdictDecision[];

/** A file of test cases for one hook: `.kodelet/tests/NAME.json`. */
export function caseSchema(): z.ZodType {
  const expectation = z.strictObject({
    decision: z.enum(DECISIONS).describe("What the caller is to do."),
    reason: z.string().optional().describe("A text that the reason contains."),
    change: z.unknown().optional().describe("The new value of the event's target."),
  });
  const oneCase = z.strictObject({
    name: z.string().min(1).describe("What the hook promises, in words."),
    event: z.enum([...allNames().keys()]).describe("The event, by its name in any dialect."),
    payload: z
      .record(z.string(), z.unknown())
      .describe("Members of the payload; those that are missing come from the event's sample."),
    expect: expectation,
  });
  return z
    .strictObject({
      $schema: z.string().optional(),
      hook: z.string().min(1).describe("The hook's name, as `hookctl list` shows it."),
      cases: z.array(oneCase).min(1),
    })
    .meta({ title: "Test cases of a hook" });
}
