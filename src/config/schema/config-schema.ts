import * as z from "zod";
import { type PushTemplates, SCHEME_NAMES, SCHEME_ROWS, TOOL_NAME_PATTERN } from "../../protocol/entry.ts";
import { EVENT_NAMES } from "../../protocol/event.ts";
import { GUARD_NAMES } from "../../protocol/guard-settings.ts";
import { RULE_LISTS, RULE_SUBJECTS } from "../../protocol/rule-settings.ts";
import { SANDBOX_MODES } from "../../protocol/sandbox.ts";
import type { SettingKind, SettingRow } from "../../protocol/setting-rows.ts";
import {
  CAGE_ROWS,
  ENTRY_ROWS,
  GRANT_ROWS,
  GUARD_ROWS,
  OVERRIDE_ROWS,
  RULE_CHOICES,
  RULE_ROWS,
  SERVER_ROWS,
  SETTING_ROWS,
} from "../../protocol/setting-rows.ts";
import { NOT_BLANK } from "../../protocol/text/text.ts";
import { DURATION_PATTERN, parseDuration, parseSize, SIZE_PATTERN } from "../../protocol/text/units.ts";
import { HOST } from "./check-rules.ts";
import { guardRulesSchema } from "./guard-rules-schema.ts";

/** The schema of a settings file, built from the rows of `protocol/setting-rows.ts`. */
export function configSchema(): z.ZodType {
  return z
    .strictObject({
      $schema: z.string().optional(),
      version: z.literal(1).optional(),
      settings: rowsSchema(SETTING_ROWS).optional(),
      overrides: z.record(z.string(), rowsSchema(OVERRIDE_ROWS)).optional(),
      guards: guardsSchema().optional(),
      ...rulesShape(),
      guard_rules: z.array(guardRulesSchema()).min(1).optional().describe("Rules to add to guards."),
      cage: rowsSchema(CAGE_ROWS).optional(),
      projects: z
        .record(z.string(), projectSchema())
        .optional()
        .describe("Settings for single projects, by their folders. Only the user may set it."),
      hooks: z
        .union([z.record(z.string(), z.array(entrySchema(false))), z.array(entrySchema(true)), z.null()])
        .optional(),
      mcp_servers: z.record(z.string().regex(/^[^.]+$/), serverSchema()).optional(),
    })
    .meta({ title: "Settings of hookctl" });
}

/** The built-in guards by name: `true`, `false`, or settings. Only `protected-paths` has `paths`. */
function guardsSchema(): z.ZodType {
  const { paths, ...rows } = GUARD_ROWS;
  const guard = (own: Readonly<Record<string, SettingRow>>): z.ZodType =>
    z
      .union([z.boolean(), rowsSchema(own)], { error: "it must be true, false or an object" })
      .transform((value) => (typeof value === "boolean" ? { enabled: value } : value))
      .optional();
  const schemas = GUARD_NAMES.map((name) => [name, guard(name === "protected-paths" ? GUARD_ROWS : rows)]);
  return z.strictObject(Object.fromEntries(schemas));
}

/** The lists of a person's rules: `{"commands": {"block": ["npm publish *"]}}`. */
function rulesShape(): Record<string, z.ZodType> {
  const { match: _, ...others } = shapeOf(RULE_ROWS);
  const match = name.describe(RULE_ROWS.match.about);
  const rule = z
    .union([name, z.strictObject({ match, ...others })], { error: "a rule must be a text or an object with `match`" })
    .transform((value) => (typeof value === "string" ? { match: value } : value));
  const lists = z.strictObject(Object.fromEntries(RULE_LISTS.map((list) => [list, z.array(rule).optional()])));
  return Object.fromEntries(RULE_SUBJECTS.map((subject) => [subject, lists.optional()]));
}

/** Without `person`, which a call proves before it has a project. */
function projectSchema(): z.ZodType {
  const { person: _, ...rows } = SETTING_ROWS;
  const own = {
    settings: rowsSchema(rows).optional(),
    overrides: z.record(z.string(), rowsSchema(OVERRIDE_ROWS)).optional(),
  };
  return z.strictObject({
    ...own,
    ...rulesShape(),
    guards: guardsSchema().optional(),
    cage: rowsSchema(CAGE_ROWS).optional(),
  });
}

/** One declared hook; in the list form with its event. A separate check requires exactly one scheme. */
export function entrySchema(isListed: boolean): z.ZodType {
  const schemes = SCHEME_NAMES.map((name) => [
    name,
    SCHEME_SCHEMAS[SCHEME_ROWS[name].value].describe(SCHEME_ROWS[name].about).optional(),
  ]);
  const on = isListed ? { on: z.string().describe("The event.") } : {};
  const matcher = z.string().nullable().optional().describe("Reserved by Reyn; it has no effect there either.");
  return z.strictObject({ ...on, matcher, ...shapeOf(ENTRY_ROWS), ...Object.fromEntries(schemes) });
}

/** An MCP server; its command is required. */
export const serverSchema = (): z.ZodType => z.strictObject(shapeOf(SERVER_ROWS)).required({ command: true });

const text = z.string().min(1, { error: "it is empty" });
/** An argument or a file name: no system accepts a NUL in one, so the hook could never start. */
const word = z
  .string()
  .refine((value) => !value.includes("\0"), { error: "an argument cannot contain a NUL character" });
const name = word.min(1, { error: "it is empty" });
const BLANK = { error: "it is blank" };
/** A template is true if it renders to true, 1, yes or on; any other text, also an empty one, is false. */
const truth = z.union([z.boolean(), z.string()], { error: "it must be true, false or a template" });

const SCHEME_SCHEMAS = {
  text,
  command: z.union([
    word.regex(NOT_BLANK, BLANK),
    z
      .array(word)
      .min(1, { error: "it is empty" })
      .refine(([program]) => program !== "", { error: "its first element, the program, is empty" }),
  ]),
  tool: z.string().regex(TOOL_NAME_PATTERN, { message: "it must name a server and a tool: memory.load_facts" }),
  push: z.strictObject({
    message: z.string().regex(NOT_BLANK, BLANK).describe("The text of the message."),
    wake: truth.optional().describe("True: it opens a turn. Default true."),
    push_when: truth.optional().describe("False: the push is dropped. Default true."),
    session: z.string().nullable().optional().describe("The session it goes to. Default: that of the payload."),
  } satisfies Record<keyof PushTemplates, z.ZodType>),
} as const;

function rowsSchema(rows: Readonly<Record<string, SettingRow>>): z.ZodType {
  return z.strictObject(shapeOf(rows));
}

function shapeOf(rows: Readonly<Record<string, SettingRow>>): Record<string, z.ZodType> {
  const entries = Object.entries(rows).map(([key, row]) => [
    key,
    valueSchema(row.kind).describe(aboutOf(row)).optional(),
  ]);
  return Object.fromEntries(entries);
}

const aboutOf = ({ about, isUserOnly }: SettingRow): string =>
  isUserOnly ? `${about} Only the user may set it.` : about;

function valueSchema(kind: SettingKind): z.ZodType {
  if (typeof kind !== "string") return z.enum(kind);
  if (kind === "sandbox") return sandboxSchema();
  return SCHEMAS[kind];
}

const sandboxSchema = (): z.ZodType =>
  z.union([z.enum(SANDBOX_MODES), rowsSchema(GRANT_ROWS)], {
    error: `it must be ${SANDBOX_MODES.join(", ")} or an object of grants`,
  });

const duration = z
  .string()
  .meta({ pattern: DURATION_PATTERN })
  .refine((text) => parseDuration(text).ok, {
    message: "a duration needs a unit and is at most 24h: 500ms, 5s, 2m, 1h",
  })
  .transform((text) => {
    const read = parseDuration(text);
    return read.ok ? read.value : 0;
  });

const size = z
  .union([z.number(), z.string().meta({ pattern: SIZE_PATTERN })], { error: "it must be a size: 64MiB, or bytes" })
  .refine((value) => parseSize(value).ok, { message: "a size must be between 1KiB and 511MiB: 64MiB" })
  .transform((value) => {
    const read = parseSize(value);
    return read.ok ? read.value : 0;
  });

const SCHEMAS: Readonly<Record<Exclude<SettingKind, readonly string[] | "sandbox">, z.ZodType>> = {
  duration,
  size,
  durations: z.partialRecord(z.enum(EVENT_NAMES), duration),
  text: name,
  flag: z.boolean(),
  count: z.int().min(0),
  number: z.number(),
  texts: z.array(word),
  network: z.union([z.enum(["open", "off"]), z.array(z.string().regex(HOST, { error: "it is not a host" }))]),
  variables: z.record(word, word),
  ruleChoices: z.record(word, z.enum(RULE_CHOICES)),
  match: z.record(
    z.string(),
    z.union([z.string(), z.array(z.string()).min(1)], { error: "it must be a string or a non-empty list of strings" }),
  ),
};

/** What zod expected; the problem that quotes it says itself that it is invalid. */
export function issueText(issue: { readonly message: string } | undefined): string {
  const [, choices] = /^Invalid option: expected one of (.*)$/.exec(issue?.message ?? "") ?? [];
  if (choices !== undefined) return `it must be one of ${choices.replaceAll('"', "").replaceAll("|", ", ")}`;
  return issue?.message.replace(/^(?:Invalid (?:input|key in record)|Too small|Too big): /, "") ?? "not valid";
}

export type UncheckedFields = Readonly<Record<string, unknown>>;

/** Returns the fields of a parsed value that is not checked yet; none if it is not an object. */
export const uncheckedFields = (value: unknown): UncheckedFields =>
  typeof value === "object" && value !== null ? { ...value } : {};
