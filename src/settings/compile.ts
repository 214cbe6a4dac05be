import { basename } from "node:path";
import type { ConfigData } from "../contract/config.ts";
import type { PlacedEntry, TiedEntry } from "../contract/entry.ts";
import type { ConfigProblem } from "../contract/problem.ts";
import type { Result } from "../contract/result.ts";
import type { Warning } from "../contract/warning.ts";
import { checkConfig } from "../schema/check-config.ts";
import { entriesWithServers } from "./entry-servers.ts";
import type { Place, Scope } from "./places.ts";
import type { Plan } from "./plan.ts";
import { readParsed } from "./read-file.ts";
import { NO_CONFIG } from "./settings.ts";

/** The cold path: parses and checks the files that are there. In each scope the first one counts. */
export async function compilePlan(present: readonly Place[], mcpFiles: readonly Place[]): Promise<Plan> {
  const project = compileScope("project", present, mcpFiles);
  const user = compileScope("user", present, mcpFiles);
  return {
    project: project.data,
    user: user.data,
    declared: [...project.declared, ...user.declared].map((entry, position) => ({ ...entry, position })),
    alsoRead: [...project.alsoRead, ...user.alsoRead],
    problems: [...project.problems, ...user.problems],
    warnings: [...project.warnings, ...user.warnings],
  };
}

const pathsOf = (wanted: Scope, places: readonly Place[]): readonly string[] =>
  places.filter(({ scope }) => scope === wanted).map(({ path }) => path);

interface CompiledScope extends Pick<Plan, "problems" | "warnings" | "alsoRead"> {
  readonly data: ConfigData;
  readonly declared: readonly (TiedEntry & Pick<PlacedEntry, "scope" | "file">)[];
}

const NOTHING: CompiledScope = { data: NO_CONFIG, declared: [], alsoRead: [], problems: [], warnings: [] };

function compileScope(scope: Scope, present: readonly Place[], mcpFiles: readonly Place[]): CompiledScope {
  const [file, ...others] = pathsOf(scope, present);
  if (file === undefined) return NOTHING;
  const warnings = others.map((ignored): Warning => ({ code: "SECOND_CONFIG", used: file, ignored }));
  const read = readConfig(file, scope);
  if (!read.ok) return { ...NOTHING, problems: [{ scope, problem: read.error }], warnings };
  const { entries, alsoRead } = entriesWithServers(read.value, file, pathsOf(scope, mcpFiles));
  if (!entries.ok) return { ...NOTHING, alsoRead, problems: [{ scope, problem: entries.error }], warnings };
  const declared = entries.value.map((entry) => ({ ...entry, scope, file }));
  return { data: read.value, declared, alsoRead, problems: [], warnings };
}

function readConfig(file: string, scope: Scope): Result<ConfigData, ConfigProblem> {
  const found = readParsed(file);
  if (!found.ok) return found;
  return checkConfig(basename(file) === "package.json" ? memberOf(found.value, "hookctl") : found.value, file, scope);
}

const memberOf = (object: unknown, key: string): unknown => new Map(Object.entries(Object(object))).get(key);
