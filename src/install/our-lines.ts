import { parse as parseJson } from "jsonc-parser";
import { parse as parseToml } from "smol-toml";
import type { AgentName } from "../agents/agent.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import { type TextFault, withLines, withoutLines } from "./edit-json.ts";
import { withoutTomlLines, withTomlLines } from "./edit-toml.ts";
import { type Found, recordOf } from "./found.ts";
import { isOurModule, linesOfModule } from "./module-text.ts";
import { type Line, REGISTRATIONS } from "./registration.ts";

/** What an agent's file is written in: settings of several people, or a module that is ours alone. */
export type Format = "json" | "toml" | "module";

interface Place {
  readonly name: AgentName;
  readonly format: Format;
}

/** The text with these lines in it, and nothing else touched. */
export function textWith(text: string, { name, format }: Place, lines: readonly Line[]): Result<string, TextFault> {
  const registration = REGISTRATIONS[name];
  if (format === "toml") return withTomlLines(text, lines);
  if (registration.shape === "settings") return withLines(text, registration, lines, name);
  const isFree = text.trim() === "" || isOurModule(text);
  return isFree ? ok(registration.module(lines)) : fail({ line: 1, detail: "it is a file of somebody else" });
}

/** The text without our lines; empty when nothing else is left of it. */
export function textWithout(text: string, { name, format }: Place): Result<string, TextFault> {
  if (format === "toml") return ok(withoutTomlLines(text));
  if (format === "module") return ok(isOurModule(text) ? "" : text);
  return withoutLines(text, name);
}

/** A file as plain data, a module as settings with its lines; without members when it cannot be read. */
export function settingsIn(text: string, format: Format): Found {
  if (format === "module") {
    const lines = Object.entries(linesOfModule(text));
    return { hooks: Object.fromEntries(lines.map(([event, command]) => [event, [{ command }]])) };
  }
  try {
    const read = format === "toml" ? parseToml : (json: string) => parseJson(json, [], { allowTrailingComma: true });
    return recordOf(read(text.replace(/^\ufeff/, "")));
  } catch {
    return {};
  }
}
