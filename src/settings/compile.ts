import { readFileSync, statSync } from "node:fs";
import { basename } from "node:path";
import { defaultLoadersSync } from "cosmiconfig";
import type { ConfigData } from "../contract/config.ts";
import type { ConfigProblem } from "../contract/problem.ts";
import { fail, type Result } from "../contract/result.ts";
import type { Warning } from "../contract/warning.ts";
import { checkConfig } from "../schema/check-config.ts";
import type { Place, Scope } from "./places.ts";
import type { Plan } from "./plan.ts";
import { NO_CONFIG } from "./settings.ts";

/**
 * Settings are data. Only the parsers are used, never cosmiconfig's search: with it `$import` in a settings file and the
 * project's own cosmiconfig settings would run JavaScript before anyone has approved it (SPEC 4).
 */
const PARSERS = { json: defaultLoadersSync[".json"], yaml: defaultLoadersSync[".yaml"] };
const BIGGEST_BYTES = 1024 * 1024;

/** The cold path: parses and checks the files that are there. In each scope the first one counts. */
export async function compilePlan(present: readonly Place[]): Promise<Plan> {
  const [project, user] = [await compileScope("project", present), await compileScope("user", present)];
  return {
    project: project.data,
    user: user.data,
    problems: [...project.problems, ...user.problems],
    warnings: [...project.warnings, ...user.warnings],
  };
}

interface CompiledScope extends Pick<Plan, "problems" | "warnings"> {
  readonly data: ConfigData;
}

async function compileScope(scope: Scope, present: readonly Place[]): Promise<CompiledScope> {
  const [first, ...others] = present.filter((place) => place.scope === scope).map((place) => place.path);
  if (first === undefined) return { data: NO_CONFIG, problems: [], warnings: [] };
  const warnings = others.map((ignored): Warning => ({ code: "SECOND_CONFIG", used: first, ignored }));
  const read = await readConfig(first, scope);
  if (read.ok) return { data: read.value, problems: [], warnings };
  return { data: NO_CONFIG, problems: [{ scope, problem: read.error }], warnings };
}

async function readConfig(file: string, scope: Scope): Promise<Result<ConfigData, ConfigProblem>> {
  let text: string;
  try {
    if (!statSync(file).isFile()) return fail({ code: "CONFIG_NOT_READABLE", file, cause: "it is no regular file" });
    text = readFileSync(file, "utf8");
  } catch (error) {
    return fail({ code: "CONFIG_NOT_READABLE", file, cause: (error as NodeJS.ErrnoException).code ?? "unknown" });
  }
  if (text.length > BIGGEST_BYTES) return fail({ code: "CONFIG_NOT_READABLE", file, cause: "larger than 1 MiB" });
  try {
    const parse = file.endsWith(".json") ? PARSERS.json : PARSERS.yaml;
    const found: unknown = text.trim() === "" ? undefined : parse(file, text);
    return checkConfig(basename(file) === "package.json" ? memberOf(found, "hookctl") : found, file, scope);
  } catch (error) {
    return fail({
      code: "CONFIG_NOT_PARSED",
      file,
      cause: error instanceof Error ? oneLine(error.message) : "unknown",
    });
  }
}

const memberOf = (object: unknown, key: string): unknown => new Map(Object.entries(Object(object))).get(key);
/**
 * Behind the parser's heading, the first line that is no picture of the text. Without what it quotes: a settings file
 * may hold a secret.
 */
function oneLine(text: string): string {
  const [heading = "", ...lines] = text.split("\n");
  const cause = lines.find((line) => /^[^\s>]/.test(line)) ?? heading;
  const line = /^> (\d+) \|/m.exec(text)?.[1];
  return `${line === undefined ? "" : `line ${line}: `}${cause.replace(/(?: while parsing|, (?:\.{3})?").*$/, "").trim()}`;
}
