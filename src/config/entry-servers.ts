import { dirname, isAbsolute, join, relative } from "node:path";
import {
  type DeclaredEntry,
  type DeclaredTool,
  type EntryServer,
  type McpServer,
  parseToolName,
  type ResolvedEntry,
} from "../protocol/entry.ts";
import type { ConfigProblem } from "../protocol/problem.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import type { SettingsFile } from "../protocol/settings-file.ts";
import { nearest } from "../protocol/text/nearest.ts";
import { truncate } from "../protocol/text/text.ts";
import { ABSENT, type FileState, fileState } from "./config-files.ts";
import { parseFile } from "./parse-file.ts";
import { checkServer } from "./schema/check-entries.ts";

interface Tied {
  readonly entries: Result<readonly ResolvedEntry[], ConfigProblem>;
  /** The `mcp.json` files that were read, absent ones included. */
  readonly alsoRead: readonly FileState[];
}

/**
 * Attaches to each `tool` entry its server, from its own settings file, else from an `mcp.json` of the same scope. Those
 * are read only if a server is missing, and only the servers that are used are checked.
 */
export function attachServers({ hooks, mcp_servers }: SettingsFile, file: string, mcpFiles: readonly string[]): Tied {
  const own = Object.entries(mcp_servers).map(([name, found]) => ({ name, found, file, at: `mcp_servers.${name}` }));
  const isKnown = (entry: DeclaredTool): boolean => Object.hasOwn(mcp_servers, serverName(entry));
  if (hooks.every((entry) => entry.scheme !== "tool" || isKnown(entry)))
    return { entries: tied(hooks, own, file), alsoRead: [] };
  // Read first: a change in between then invalidates the cache.
  const alsoRead = mcpFiles.map((path): FileState => [path, fileState(path)]);
  const others = foundServers(alsoRead.flatMap(([path, state]) => (state === ABSENT ? [] : [path])));
  return { entries: others.ok ? tied(hooks, [...own, ...others.value], file) : others, alsoRead };
}

/** A declared server, not checked yet. The first of a name is used. */
interface Declared {
  readonly name: string;
  readonly found: unknown;
  readonly file: string;
  /** The path of the key in its file. */
  readonly at: string;
}

function foundServers(files: readonly string[]): Result<readonly Declared[], ConfigProblem> {
  const all: Declared[] = [];
  for (const file of files) {
    const read = parseFile(file);
    if (!read.ok) return read;
    const servers: unknown = Object(read.value).mcpServers ?? {};
    all.push(
      ...Object.entries(Object(servers)).map(([name, found]) => ({ name, found, file, at: `mcpServers.${name}` })),
    );
  }
  return ok(all);
}

function tied(
  hooks: readonly DeclaredEntry[],
  servers: readonly Declared[],
  file: string,
): Result<readonly ResolvedEntry[], ConfigProblem> {
  const entries: ResolvedEntry[] = [];
  for (const entry of hooks) {
    const whole = entry.scheme === "tool" ? withServer(entry, servers, file) : ok(entry);
    if (!whole.ok) return whole;
    entries.push(whole.value);
  }
  return ok(entries);
}

function withServer(
  entry: DeclaredTool,
  servers: readonly Declared[],
  file: string,
): Result<ResolvedEntry, ConfigProblem> {
  const name = serverName(entry);
  const declared = servers.find((one) => one.name === name);
  if (declared === undefined) {
    const near = nearest(name, new Set(servers.map((one) => one.name)));
    const detail = `there is no MCP server "${truncate(name, 60)}"${near === null ? "" : `. Did you mean ${near}?`}`;
    return fail({ code: "CONFIG_BAD_VALUE", file, entry: `hooks: ${entry.name}.tool`, detail });
  }
  const checked = checkServer(declared.found);
  const fault = checked.ok ? unreplaced(checked.value) : checked.error;
  if (checked.ok && fault === null) {
    const elsewhere = declared.file === file ? {} : { serverFile: declared.file };
    return ok({ ...entry, ...elsewhere, server: entryServer(name, checked.value, declared.file, file) });
  }
  return fail({ code: "CONFIG_BAD_VALUE", file: declared.file, entry: declared.at, detail: fault ?? "not valid" });
}

const serverName = ({ value }: DeclaredTool): string => parseToolName(value).server;

/** Agents replace `${NAME}` by the variable, hookctl does not: the server would fail without a clear reason. */
function unreplaced({ command, env = {} }: McpServer): string | null {
  const [place] = Object.entries({ command, ...env }).find(([, value]) => value.includes("${")) ?? [];
  return place === undefined
    ? null
    : `${truncate(place, 60)}: "\${…}" is not replaced here; write the value, or let the server inherit it`;
}

/** A normal form with sorted keys: approvals compare it, also between machines. */
function entryServer(
  name: string,
  { command, args = [], env = {}, cwd = "." }: McpServer,
  from: string,
  file: string,
): EntryServer {
  const sorted = Object.entries(env).sort(([a], [b]) => (a < b ? -1 : 1));
  const way = isAbsolute(cwd) ? cwd : relative(dirname(file), join(dirname(from), cwd));
  return { name, command, args, env: Object.fromEntries(sorted), cwd: way === "" ? "." : way };
}
