import type { Guard } from "../guard.ts";
import { readRules } from "./command-rules.ts";
import table from "./system/rules.json" with { type: "json" };

const RULES = readRules(table);

export const system: Guard = { ...RULES.guard, judgeCall: RULES.judgeByForm };
