import * as z from "zod";
import { GUARD_NAMES } from "../../protocol/guard-settings.ts";

/** Names separated by single spaces. */
const names = z.string().regex(/^\S+(?: \S+)*$/, { error: "names are separated by single spaces" });

/** A table whose keys are names of programs. Each name may be in one key only. */
const byName = (row: z.ZodType): z.ZodType =>
  z.record(names, row).superRefine((table, { addIssue }) => {
    const all = Object.keys(table).flatMap((key) => key.split(" "));
    const twice = all.find((name, at) => all.indexOf(name) < at);
    if (twice !== undefined) addIssue({ code: "custom", message: `${twice} is in two rows` });
  });

const grammar = z.strictObject({
  why: z.string().optional(),
  values: names.optional(),
  flags: names.optional(),
  attached: names.optional(),
  endsAtOperand: z.literal(true).optional(),
  hasSingleDash: z.literal(true).optional(),
  hasSignals: z.literal(true).optional(),
  commandValues: z.record(z.string(), names).optional(),
  abbreviates: z.literal(true).optional(),
});

/** A rule that code of hookctl judges has no forms. */
const judgedByCode = {
  why: z.string().optional(),
  about: z.string().min(1),
  decision: z.enum(["block", "ask"]).optional(),
  effect: z.string().optional(),
  instead: z.string().min(1),
};
const forms = byName(z.array(z.string()).min(1));
const commands = z.array(z.string().min(1)).min(1);
/** A rule that forms judge is tested by its examples. */
const rule = z.strictObject({
  ...judgedByCode,
  decision: z.enum(["block", "ask"]),
  effect: z.string().min(1),
  forms,
  examples: z.strictObject({ stopped: commands, allowed: commands }),
});

const NAME = z.string().regex(/^[a-z][a-z\d-]*$/, { error: "a rule name must look like force-push" });
const table = { grammars: byName(grammar).optional(), staysBlocked: names.optional(), harmless: forms.optional() };

/** Rules that settings add to a guard, in the format of hookctl's own. */
export const guardRulesSchema = (): z.ZodType =>
  z.strictObject({
    $schema: z.string().optional(),
    name: z.enum(GUARD_NAMES).describe("The guard to which the rules are added."),
    about: z.string().optional(),
    ...table,
    rules: z.record(NAME, rule),
  });

/** The rules of a built-in guard. */
export const ownRulesSchema = (): z.ZodType =>
  z.strictObject({
    name: z.enum(GUARD_NAMES),
    about: z.string(),
    programs: names,
    ...table,
    rules: z.record(NAME, z.union([z.strictObject(judgedByCode), rule])),
  });
