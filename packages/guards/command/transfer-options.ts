import { tableOf } from "../../../src/protocol/json/table.ts";
import type { OptionSpec } from "./options.ts";
import table from "./transfer-options.json" with { type: "json" };

/** The options of curl and wget that take a value, and long ones without. */
export const { curl: CURL, wget: WGET } = tableOf<Readonly<Record<"curl" | "wget", OptionSpec>>>(table);
