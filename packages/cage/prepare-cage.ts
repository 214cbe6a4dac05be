import { delimiter, dirname, isAbsolute, join } from "node:path";
import type { RunContext } from "../../src/engine/run-context.ts";
import { disk } from "../../src/fs/disk.ts";
import { sha256Of } from "../../src/fs/hash.ts";
import { fileKind, followLinks } from "../../src/fs/paths.ts";
import { makeFolder, writeFileAtomic } from "../../src/fs/write-file.ts";
import { ok, type Result } from "../../src/protocol/result.ts";
import { shellQuote } from "../../src/protocol/text/shell-quote.ts";
import { isSecretVariable } from "../../src/redact/assignments.ts";
import { policyOptions } from "../sandbox/bubblewrap.ts";
import { backendSearch, findBackend } from "../sandbox/find-backend.ts";
import type { SandboxPolicy } from "../sandbox/policy.ts";
import { sandboxProfile } from "../sandbox/sandbox-exec.ts";
import { seccompFilter } from "../sandbox/seccomp.ts";
import { type CagePlace, cagePlaces, closedPaths, inFolders, OUTSIDE_VARIABLES } from "./cage-places.ts";
import { type EffectiveCage, effectiveCage } from "./cage-settings.ts";

/** What a call inside may reach. */
export interface Cage {
  readonly settings: EffectiveCage;
  readonly project: string;
  readonly home: string;
  readonly places: readonly CagePlace[];
  /** What no call may create or change in the project. */
  readonly closed: readonly string[];
  /** Variables that a call does not get. */
  readonly removed: readonly string[];
  readonly policy: SandboxPolicy;
}

export type CageContext = Pick<
  RunContext,
  "machine" | "plan" | "scopes" | "env" | "sessionsDir" | "loadGuards" | "cacheDir" | "options" | "interrupt"
>;

/** The folder of the cage in the state of the user; null without one. */
export const cageFolder = ({ sessionsDir }: Pick<RunContext, "sessionsDir">): string | null =>
  sessionsDir === null ? null : join(dirname(sessionsDir), "cage");

/** What a call of a session may reach; null if the settings have no cage, or this call has no home directory. */
export async function cageOf(session: string, context: CageContext, isForced = false): Promise<Cage | null> {
  const folder = cageFolder(context);
  const { scopes, env } = context;
  const settings = effectiveCage(context) ?? (isForced ? DEFAULT_CAGE : null);
  if (folder === null || scopes.homeDir === null || settings === null) return null;
  const { agentFiles } = await context.loadGuards();
  const temp = join(folder, "tmp", sha256Of(session).slice(0, 16));
  const emptyFile = join(folder, "empty");
  makeFolder(temp);
  if (fileKind(emptyFile) === null) writeFileAtomic(emptyFile, "");
  const project = disk.realpathSync(scopes.rootDir);
  const home = disk.realpathSync(scopes.homeDir);
  const places = cagePlaces({
    home,
    project,
    temp,
    emptyFile,
    sharedTemp: join(folder, "t"),
    searched: (env.PATH ?? "").split(delimiter).filter(isAbsolute),
    agentFiles,
    write: settings.write,
    read: settings.read,
    replaced: shellsIn(folder),
  });
  const secret = Object.entries(env).flatMap(([name, value]) => (isSecretVariable(name, value ?? "") ? [name] : []));
  const opened = [...settings.write, ...settings.read].map((path) => followLinks(inFolders(path, { home, project })));
  const removed = [...OUTSIDE_VARIABLES, ...secret].filter(
    (name) => !settings.env.includes(name) && !opened.includes(socketIn(env[name])),
  );
  const policy = { network: settings.network === "open", subprocess: true, unixSockets: true, places };
  return { settings, project, home, places, closed: closedPaths({ project, agentFiles }), removed, policy };
}

/** The socket that a variable names: a person who allows its path means the variable, too. */
const socketIn = (value = ""): string => {
  const path = value.replace(/^unix:(?:path=|\/\/)?/, "");
  return isAbsolute(path) ? followLinks(path) : "";
};

const DEFAULT_CAGE: EffectiveCage = { mode: "require", network: "open", write: [], read: [], env: [] };

/** The folder of temporary files that agents share with their calls. Its path is short, because it holds sockets. */
export function makeSharedTemp(folder: string): string {
  const shared = join(folder, "t");
  makeFolder(shared);
  return shared;
}

/** The shells that agents start, by the name of the shell that each one is. Inside they are these shells themselves. */
export const CAGE_SHELLS = { bash: ["/bin/bash", "/usr/bin/bash"], zsh: ["/bin/zsh", "/usr/bin/zsh"] } as const;

const shellsIn = (folder: string) =>
  Object.entries(CAGE_SHELLS).flatMap(([name, files]) => {
    const from = files.find((file) => fileKind(file) === "file");
    return from === undefined ? [] : [{ path: join(folder, "shells", name), from: disk.realpathSync(from) }];
  });

/** The program that locks calls in; a failure says why there is none. */
export const findCage = ({ cacheDir, interrupt }: Pick<CageContext, "cacheDir" | "interrupt">) =>
  findBackend(backendSearch(cacheDir, interrupt));

/**
 * Writes the cage of a session into a folder, as a shell script that ends as the program in its arguments, inside. The agent's
 * shell reads it at each call, so no program of hookctl starts there.
 */
export async function prepareCage(cage: Cage, key: string, context: CageContext): Promise<Result<string, string>> {
  const folder = join(cageFolder(context) ?? "", "records", key);
  const backend = await findCage(context);
  if (!backend.ok) return backend;
  const { name, file } = backend.value;
  const fileWith = (name: string, content: string | Uint8Array): string => {
    const path = join(folder, name);
    writeFileAtomic(path, content);
    return shellQuote(path);
  };
  const unset = cage.removed.filter((variable) => /^[A-Za-z_]\w*$/.test(variable));
  const options = policyOptions(cage.policy).map((option) => `${option}\0`);
  const start =
    name === "bubblewrap"
      ? `${file} --args 3 --seccomp 4 -- "$@" 3<${fileWith("options", options.join(""))} 4<${fileWith("seccomp", seccompFilter(cage.policy, process.arch) ?? new Uint8Array())}`
      : `${file} -f ${fileWith("profile", sandboxProfile(cage.policy))} "$@"`;
  const script = join(folder, "start");
  writeFileAtomic(script, `unset ${unset.join(" ")}\nexec ${start}\n`);
  return ok(script);
}

/** Writes that the shell of a session starts outside: the shell itself reads this. */
export const prepareNothing = (folder: string): void => writeFileAtomic(join(folder, "start"), 'exec "$@"\n');
