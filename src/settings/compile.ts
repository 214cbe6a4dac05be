import { readFileSync, statSync } from "node:fs";
import { basename } from "node:path";
import { defaultLoadersSync } from "cosmiconfig";
import type { ConfigData } from "../contract/config.ts";
import type { PlacedEntry } from "../contract/entry.ts";
import { faultText, readJson } from "../contract/json.ts";
import type { ConfigProblem } from "../contract/problem.ts";
import { fail, ok, type Result } from "../contract/result.ts";
import type { Warning } from "../contract/warning.ts";
import { checkConfig } from "../schema/check-config.ts";
import type { Place, Scope } from "./places.ts";
import type { Plan } from "./plan.ts";
import { NO_CONFIG } from "./settings.ts";

/**
 * Settings are data. Of cosmiconfig only the YAML parser is used, never its search: with it `$import` in a settings file
 * and the project's own cosmiconfig settings would run JavaScript before anyone has approved it (SPEC 4).
 */
const CONFIG_DEPTH = 64;
const BIGGEST_BYTES = 1024 * 1024;

/** The cold path: parses and checks the files that are there. In each scope the first one counts. */
export async function compilePlan(present: readonly Place[]): Promise<Plan> {
  const [project, user] = [await compileScope("project", present), await compileScope("user", present)];
  return {
    project: project.data,
    user: user.data,
    declared: [...project.declared, ...user.declared].map((entry, position) => ({ ...entry, position })),
    problems: [...project.problems, ...user.problems],
    warnings: [...project.warnings, ...user.warnings],
  };
}

interface CompiledScope extends Pick<Plan, "problems" | "warnings"> {
  readonly data: ConfigData;
  readonly declared: readonly Omit<PlacedEntry, "position">[];
}

async function compileScope(scope: Scope, present: readonly Place[]): Promise<CompiledScope> {
  const [first, ...others] = present.filter((place) => place.scope === scope).map((place) => place.path);
  if (first === undefined) return { data: NO_CONFIG, declared: [], problems: [], warnings: [] };
  const warnings = others.map((ignored): Warning => ({ code: "SECOND_CONFIG", used: first, ignored }));
  const read = await readConfig(first, scope);
  if (read.ok) {
    const declared = read.value.hooks.map((entry) => ({ ...entry, scope, file: first }));
    return { data: read.value, declared, problems: [], warnings };
  }
  return { data: NO_CONFIG, declared: [], problems: [{ scope, problem: read.error }], warnings };
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
  const found = file.endsWith(".json") ? parseJson(text) : parseYaml(text);
  if (!found.ok) return fail({ code: "CONFIG_NOT_PARSED", file, cause: found.error });
  return checkConfig(basename(file) === "package.json" ? memberOf(found.value, "hookctl") : found.value, file, scope);
}

/** Our own reader judges it first: it names the place in the same words everywhere, and finds a key that stands twice. */
function parseJson(text: string): Result<unknown, string> {
  if (text.trim() === "") return ok(undefined);
  const read = readJson(text.replace(/^\ufeff/, ""), CONFIG_DEPTH);
  return read.ok ? ok(JSON.parse(read.value.raw)) : fail(`line ${read.error.line}: ${faultText(read.error)}`);
}

function parseYaml(text: string): Result<unknown, string> {
  try {
    return ok(text.trim() === "" ? undefined : defaultLoadersSync[".yaml"]("settings", text));
  } catch (error) {
    return fail(error instanceof Error ? oneLine(error.message) : "not YAML");
  }
}

const memberOf = (object: unknown, key: string): unknown => new Map(Object.entries(Object(object))).get(key);

/** What the YAML parser says, without the picture of the text: a settings file may hold a secret. */
const oneLine = (text: string): string => text.replace(/^YAML Error in settings:\s*/, "").split("\n")[0] ?? "";
