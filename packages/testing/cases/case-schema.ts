import * as z from "zod";
import { AGENT_NAMES } from "../../../src/protocol/agent-names.ts";
import { allEventNames } from "../../../src/protocol/event.ts";
import { GUARD_NAMES } from "../../../src/protocol/guard-settings.ts";
import { AGENTS } from "../../agents/agents.ts";

/** In a case with a table any value may be a column name; in a filled-in row none is. */
const COLUMN = z.string().regex(/^\$\{[^}]+\}$/);
const NO_COLUMN = z.never();
const DECISIONS = ["allow", "block", "ask", "halt", "continue"] as const;

/** Adds one fault for each key of a record that has one. */
const keyFaults =
  (faultOf: (key: string) => string | null) =>
  (record: Readonly<Record<string, unknown>>, context: z.RefinementCtx): void => {
    for (const key of Object.keys(record)) {
      const message = faultOf(key);
      if (message !== null) context.addIssue({ code: "custom", path: [key], message });
    }
  };

const regex = z.string().superRefine((source, context) => {
  try {
    new RegExp(source, "u");
  } catch (error) {
    context.addIssue({ code: "custom", message: error instanceof Error ? error.message : "not valid" });
  }
});
const text = z.union([z.string(), z.strictObject({ matches: regex.describe("A regular expression.") })], {
  error: "it must be a text, or {matches: REGULAR EXPRESSION}",
});
const list = z.union([z.string(), z.strictObject({ matches: regex }), z.array(z.string())], {
  error: "it must be a list of texts, a text, or {matches: REGULAR EXPRESSION}",
});
/** hookctl's events in every dialect, and those of the agents. */
const EVENTS = [
  ...new Set([...allEventNames().keys(), ...AGENT_NAMES.flatMap((agent) => Object.keys(AGENTS[agent].events))]),
];
const texts = z.record(z.string(), z.string());
const object = z.record(z.string(), z.unknown());
const name = z.string().min(1);

/** The expected result of a case. */
const expectation = <C extends z.ZodType>(column: C) =>
  z
    .strictObject({
      decision: z
        .union([z.enum(DECISIONS), column], { error: `it must be one of ${DECISIONS.join(", ")}` })
        .optional()
        .describe("`continue` is a synonym of `allow`."),
      reason: text.optional().describe("A text that the reason contains, or {matches: REGULAR EXPRESSION}."),
      input: z.unknown().optional().describe("The tool's input after the hook has at least these parts."),
      output: z.unknown().optional().describe("The tool's output after the hook has at least these parts."),
      exact: z
        .union([z.boolean(), column], { error: "it must be true or false" })
        .optional()
        .describe("`true`: `input`, `output` and `state` have no other parts."),
      change: z.unknown().optional().describe("The new value of the event's target; null: nothing is changed."),
      context: list.optional().describe("The additional context for the model: the whole list, or a text in it."),
      additional_context: list.optional().describe("The same as `context`."),
      follow_ups: list.optional().describe("The follow-up messages for the agent: the whole list, or a text in it."),
      follow_up_messages: list.optional().describe("The same as `follow_ups`."),
      pushes: list.optional().describe("The messages that the hook pushes: the whole list, or a text in it."),
      state: object.optional().describe("The session's shared values afterwards have at least these."),
      exit_code: z
        .union([z.int().min(0).max(255), column], { error: "it must be a number from 0 to 255" })
        .optional()
        .describe("The exit code of the hook's process."),
      stderr: text.optional().describe("A text that stderr contains, or {matches: REGULAR EXPRESSION}."),
      max_ms: z
        .union([z.number().positive(), column], { error: "it must be a number above 0" })
        .optional()
        .describe("The maximum time that the hook may take, in milliseconds."),
    })
    .refine((values) => Object.keys(values).length > 0, { error: "nothing is expected" })
    .meta({ minProperties: 1 });

const SUBJECT = {
  hook: name.optional().describe("The hook's name, as `hookctl list` shows it."),
  rule: name.optional().describe("The name of a rule in the settings."),
  guard: z.enum(GUARD_NAMES).optional().describe("A built-in guard; it may be off in the settings."),
  chain: z.literal(true).optional().describe("All hooks and guards of the event together, as in a run."),
};

const oneCase = <C extends z.ZodType>(column: C) =>
  z.strictObject({
    name: name.describe("What the hook should do, for people, with columns of its table."),
    ...SUBJECT,
    event: z
      .union([z.enum(EVENTS), column], { error: "it is not the name of an event" })
      .optional()
      .describe(
        "The event, by its name in any dialect, or with `as` in that agent. Default: the first that the hook handles.",
      ),
    as: z
      .union([z.enum([...AGENT_NAMES, "all"]), z.array(z.enum(AGENT_NAMES)), column], {
        error: `it must be one of ${[...AGENT_NAMES, "all"].join(", ")}, or a list of agents`,
      })
      .optional()
      .describe(
        "`all` (default) or a list: a tool call that is stopped is tried as the call of each of these agents, too. One agent: its own payload, with these fields over its sample.",
      ),
    each: z.array(object).min(1).optional().describe("A table: the case is run once for each row."),
    payload: z
      .union([object, column], { error: "it must be an object" })
      .optional()
      .describe("Fields of the payload. Missing fields come from the sample of the event. `cwd` is a scratch folder."),
    env: texts.superRefine(keyFaults(variableFault)).optional().describe("Environment variables of the hook."),
    files: texts
      .superRefine(keyFaults(scratchPathFault))
      .optional()
      .describe("Text files in the scratch project: path -> text."),
    state: object.optional().describe("The session's shared values before."),
    expect: expectation(column)
      .optional()
      .describe("Without it the result is compared with a snapshot; --update writes it."),
  });

const file = (cases: z.ZodType) =>
  z
    .strictObject({
      $schema: z.string().optional(),
      ...SUBJECT,
      event: z.enum(EVENTS).optional().describe("The event of all cases."),
      cases: z.array(cases).min(1),
    })
    .meta({ title: "Test cases of hooks" });

/** A file of test cases: `.kodelet/tests/NAME.yaml`. */
export const caseSchema = () => file(oneCase(COLUMN));

/** The file without its cases, each of which is checked separately. */
export const fileSchema = file(z.unknown());
/** A case after its row was filled in. */
export const filledCaseSchema = oneCase(NO_COLUMN);

export type FileValues = z.infer<typeof fileSchema>;
export type CaseValues = z.infer<typeof filledCaseSchema>;
export type ExpectedValues = NonNullable<CaseValues["expect"]>;
/** A text, or a regular expression. */
export type TextPattern = NonNullable<ExpectedValues["reason"]>;
/** The whole list, or a pattern for its texts, each on separate lines. */
export type ListPattern = NonNullable<ExpectedValues["context"]>;

/** The allowed keys at a path of a case file. */
export function caseKeysAt(path: readonly PropertyKey[]): readonly string[] {
  if (path.length === 0) return Object.keys(fileSchema.shape);
  if (["reason", "stderr", "context"].includes(String(path.at(-1)))) return ["matches"];
  return Object.keys(path.includes("expect") ? expectation(NO_COLUMN).shape : filledCaseSchema.shape);
}

/** Variables that lead to the scratch folders, to other programs, or to hookctl: the test sets them. */
const PATH_VARIABLES = /^(PATH|HOME|TMPDIR|SHELL|PWD|XDG_.*|HOOKCTL_.*)$/;

function variableFault(name: string): string | null {
  const isAllowed = /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !PATH_VARIABLES.test(name);
  return isAllowed ? null : "hookctl sets it for the scratch folders";
}

/**
 * Why a file of a case cannot be written to the scratch project; null if it can. Git never clones a `.git`, so a case
 * may not bring one either: its settings start programs.
 */
export function scratchPathFault(path: string): string | null {
  if (path.startsWith("/") || path.startsWith("~")) return "it is not relative to the project";
  if (path.includes("\0") || path.includes("\\")) return "it is not a path";
  const parts = path.split("/");
  if (parts.includes("..")) return "it leads out of the project";
  if (parts.some((part) => part === "" || part === ".")) return "it is not the path of a file";
  return parts.some((part) => part.toLowerCase() === ".git") ? "a case cannot create .git" : null;
}
