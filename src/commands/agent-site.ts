import { existsSync, readFileSync, realpathSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { hasInlineHooks } from "../agents/edit-toml.ts";
import { INSTALL_SCOPES, type InstallScope, REGISTRATIONS } from "../agents/registration.ts";
import type { Problem } from "../contract/problem.ts";
import { fail, ok, type Result } from "../contract/result.ts";
import type { Agent } from "../dialects/agents/agent.ts";
import { AGENTS } from "../dialects/agents/agents.ts";
import { findScopes } from "../discover/scopes.ts";
import { folderIn } from "../runtime/start.ts";
import type { World } from "../world.ts";
import { readAgent } from "./bridge-flags.ts";
import type { RawLine } from "./flag-table.ts";
import { choiceFlag, type Flags, readFlags } from "./flags.ts";

/** One agent's settings of one scope. */
export interface AgentSite {
  readonly agent: Agent;
  readonly scope: InstallScope;
  readonly projectDir: string;
  readonly homeDir: string | null;
  /** The settings file; links are followed, so that one is never replaced by a file. */
  readonly file: string;
  /** How it is called in what is told. */
  readonly shown: string;
  readonly isToml: boolean;
  readonly flags: Flags;
}

export function agentSite(line: RawLine, world: World): Result<AgentSite, Problem> {
  const flags = readFlags(line);
  if (!flags.ok) return flags;
  const name = readAgent(line);
  if (!name.ok) return name;
  const wanted = choiceFlag(line.flags, "--scope", INSTALL_SCOPES);
  if (!wanted.ok) return wanted;
  const scope = wanted.value ?? "project";
  const scopes = findScopes({ cwd: world.cwd, directory: flags.value.directory, home: folderIn(world.env, "HOME") });
  if (!scopes.ok) return scopes;
  const { projectDir, homeDir, hasProject } = scopes.value;
  const { files, home } = REGISTRATIONS[name.value];
  const path = files[scope];
  if (path === undefined) {
    const detail = `${AGENTS[name.value].title} has no such scope: ${Object.keys(files).join(", ")}`;
    return fail({ code: "USAGE_BAD_VALUE", flag: "--scope", value: scope, detail });
  }
  if (scope !== "user" && !hasProject) return fail({ code: "PROJECT_IS_HOME", path: projectDir });
  if (scope === "user" && homeDir === null) {
    return fail({ code: "USAGE_BAD_VALUE", flag: "--scope", value: scope, detail: "there is no usable HOME" });
  }
  const moved = scope === "user" && home !== undefined ? folderIn(world.env, home.variable) : null;
  const base = scope === "user" ? (homeDir ?? "") : projectDir;
  const found = moved === null || home === undefined ? join(base, path) : join(moved, path.slice(home.instead.length));
  const toml = name.value === "codex" ? join(dirname(found), "config.toml") : null;
  const isToml = toml !== null && !existsSync(found) && hasInlineHooks(textOf(toml));
  const file = isToml && toml !== null ? toml : found;
  const shown = scope === "user" ? file.replace(homeDir ?? "\0", "~") : file.slice(projectDir.length + 1);
  const site = { agent: AGENTS[name.value], scope, projectDir, homeDir, file: real(file), shown, isToml };
  return ok({ ...site, flags: flags.value });
}

/** The text of a file; empty when there is none. */
function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

function real(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}

const OWN_PROGRAM = fileURLToPath(new URL("../../bin/hookctl.js", import.meta.url));

/**
 * How the registered line calls this very hookctl: through the project's own installation, so that the line works on
 * every machine that has the project; else by its name, when that leads here; else by its place.
 */
export function programText({ agent, scope, projectDir }: AgentSite, { env }: World): string {
  const own = real(OWN_PROGRAM);
  const inProject = join(projectDir, "node_modules", ".bin", "hookctl");
  const variable = agent.projectVariable;
  if (scope !== "user" && variable !== null && real(inProject) === own) {
    return `"$${variable}"/node_modules/.bin/hookctl`;
  }
  const folders = (env.PATH ?? "").split(delimiter).filter(isAbsolute);
  // A project's own folder on the PATH is there only for now.
  const byName = folders.map((folder) => join(folder, "hookctl")).find(existsSync);
  if (byName !== undefined && real(byName) === own && !byName.includes("node_modules")) return "hookctl";
  return `"${resolve(own).replace(/(["\\$`])/g, "\\$1")}"`;
}
