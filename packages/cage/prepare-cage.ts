import { delimiter, dirname, isAbsolute, join } from "node:path";
import type { RunContext } from "../../src/engine/run-context.ts";
import { disk } from "../../src/fs/disk.ts";
import { fileKind, followLinks, isInside, statOrNull } from "../../src/fs/paths.ts";
import { readIfPresent } from "../../src/fs/read-file.ts";
import { makeFolder, writeFileAtomic } from "../../src/fs/write-file.ts";
import { fail, ok, type Result } from "../../src/protocol/result.ts";
import { shellQuote } from "../../src/protocol/text/shell-quote.ts";
import { isSecretVariable } from "../../src/redact/assignments.ts";
import { AGENT_FILES } from "../guard-hooks/own-files.ts";
import { policyOptions } from "../sandbox/bubblewrap.ts";
import { backendSearch, findBackend } from "../sandbox/find-backend.ts";
import type { SandboxPolicy } from "../sandbox/policy.ts";
import { sandboxProfile } from "../sandbox/sandbox-exec.ts";
import { seccompFilter } from "../sandbox/seccomp.ts";
import {
  type CagePlace,
  cagePlaces,
  closedNames,
  inFolders,
  OUTSIDE_VARIABLES,
  SHARED_WITH_CALL,
} from "./cage-places.ts";
import { type EffectiveCage, effectiveCage } from "./cage-settings.ts";
import { type Closed, closedIn, startFolders } from "./closed-paths.ts";
import { joinNetwork, networkVariables, type ProxyPolicy, sshConfig, stoppingRules } from "./session-network.ts";

/** What a call inside may reach. */
export interface Cage {
  readonly settings: EffectiveCage;
  readonly project: string;
  readonly home: string;
  /** The folder that is `/tmp` inside. */
  readonly temp: string;
  /** The folder of temporary files that the agent shares with its calls. */
  readonly sharedTemp: string;
  readonly places: readonly CagePlace[];
  readonly closed: Closed;
  /** Variables that a call does not get. */
  readonly removed: readonly string[];
  readonly policy: SandboxPolicy;
}

export type CageContext = Pick<
  RunContext,
  | "machine"
  | "plan"
  | "scopes"
  | "env"
  | "sessionsDir"
  | "loadGuards"
  | "cacheDir"
  | "options"
  | "interrupt"
  | "settings"
  | "nowMs"
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
  const agentFiles = AGENT_FILES.project;
  const record = recordOf(session, folder);
  const [temp, sharedTemp] = [join(record, "tmp"), join(folder, "t")];
  const emptyFile = join(folder, "empty");
  makeFolder(temp);
  // What is missing cannot be hidden, and its server starts after a call.
  makeFolder(join(scopes.homeDir, ".kodelet", "resident"));
  if (fileKind(emptyFile) === null) writeFileAtomic(emptyFile, "");
  const project = disk.realpathSync(scopes.rootDir);
  const home = disk.realpathSync(scopes.homeDir);
  const names = closedNames(agentFiles);
  const closed = closedIn(
    foldersOf(record, project, () => startFolders(project, scopes.folders, names)),
    names,
  );
  const places = cagePlaces({
    home,
    project,
    closed,
    folder,
    temp,
    emptyFile,
    sharedTemp,
    searched: (env.PATH ?? "").split(delimiter).filter(isAbsolute),
    sockets: boundSockets(),
    write: settings.write,
    read: settings.read,
    isNetworkOpen: settings.network === "open",
    replaced: [...shellsIn(folder), ...(typeof settings.network === "string" ? [] : [sshConfig(folder)])],
  });
  const secret = Object.entries(env).flatMap(([name, value]) => (isSecretVariable(name, value ?? "") ? [name] : []));
  const opened = [...settings.write, ...settings.read].map((path) => followLinks(inFolders(path, { home, project })));
  const removed = [...OUTSIDE_VARIABLES, ...secret].filter(
    (name) => !settings.env.includes(name) && !opened.includes(socketIn(env[name])),
  );
  const policy = { network: settings.network !== "off", subprocess: true, unixSockets: true, places };
  return { settings, project, home, temp, sharedTemp, places, closed, removed, policy };
}

/** The folder of what the cage has for a session. */
export const recordOf = (session: string, folder: string): string => join(folder, "records", session);

/** Found once in a session: what its calls clone or create later is their own. */
function foldersOf(record: string, project: string, find: () => readonly string[]): readonly string[] {
  const file = join(record, "folders.json");
  const known = readIfPresent(file);
  const before = known.ok && known.value !== null ? JSON.parse(known.value.toString("utf8")) : null;
  if (before?.project === project) return before.folders;
  const folders = find();
  writeFileAtomic(file, JSON.stringify({ project, folders }));
  return folders;
}

/** The sockets in the file system to which programs of this machine listen. */
function boundSockets(): readonly string[] {
  const read = readIfPresent("/proc/net/unix");
  const listed = (read.ok ? (read.value ?? "") : "").toString().matchAll(/ (\/.*)$/gm);
  return [...new Set([...listed].flatMap(([, path]) => path ?? []))].filter((path) => statOrNull(path)?.isSocket());
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
    const path = join(folder, "shells", name);
    return from === undefined ? [] : [{ path, from: disk.realpathSync(from), why: "the shell itself" }];
  });

/** The program that locks calls in; a failure says why there is none. */
export const findCage = ({ cacheDir, interrupt }: Pick<CageContext, "cacheDir" | "interrupt">) =>
  findBackend(backendSearch(cacheDir, interrupt));

/**
 * Writes the cage of a session into a folder, as a shell script that ends as the program in its arguments, inside. The agent's
 * shell reads it at each call, so no program of hookctl starts there.
 */
export async function prepareCage(cage: Cage, key: string, context: CageContext): Promise<Result<string, string>> {
  const folder = recordOf(key, cageFolder(context) ?? "");
  const backend = await findCage(context);
  if (!backend.ok) return backend;
  const { name, file } = backend.value;
  const fileWith = (name: string, content: string | Uint8Array): string => {
    const path = join(folder, name);
    writeFileAtomic(path, content);
    return shellQuote(path);
  };
  const unset = cage.removed.filter((variable) => /^[A-Za-z_]\w*$/.test(variable));
  const { network } = cage.settings;
  const isListed = typeof network !== "string";
  if (isListed && name !== "bubblewrap") return fail("a list of hosts needs Linux");
  const joined = isListed
    ? await joinNetwork(folder, proxyPolicy(network, cage, key, context), { bwrap: file, env: context.env })
    : ok("");
  if (!joined.ok) return joined;
  const variables = isListed ? networkVariables(network) : "";
  const scriptFor = (script: string, policy: SandboxPolicy, enter = ""): string => {
    const options = (): string =>
      policyOptions(policy)
        .map((option) => `${option}\0`)
        .join("");
    const filter = (): Uint8Array => seccompFilter(policy, process.arch) ?? new Uint8Array();
    const start =
      name === "bubblewrap"
        ? [
            `set -- -- ${WITH_STREAMS} "$@"`,
            `for hookctl_one in "\${TMPDIR:-/tmp}"/${SHARED_WITH_CALL}; do`,
            '  if [ -d "$hookctl_one" ] && [ ! -L "$hookctl_one" ] && [ -O "$hookctl_one" ]; then',
            '    set -- --bind "$hookctl_one" "$hookctl_one" "$@"',
            "  fi",
            "done",
            `exec ${enter}${file} --args 3 --seccomp 4 "$@" ${streamsTo(shellQuote(join(folder, ERRORS)))} 3<${fileWith(`${script}.options`, options())} 4<${fileWith("seccomp", filter())}`,
          ]
        : [`exec ${file} -f ${fileWith(`${script}.profile`, sandboxProfile(policy))} "$@"`];
    const path = join(folder, script);
    writeFileAtomic(path, [`unset ${unset.join(" ")}`, variables, ...start, ""].join("\n"));
    return path;
  };
  // What a call put in the place of a closed path would be mounted read-only, and could not be taken away.
  const isFree = ({ path, access }: CagePlace): boolean => access !== "read" || !isInside(cage.project, path);
  scriptFor("undo", { ...cage.policy, network: false, places: cage.places.filter(isFree) });
  return ok(scriptFor("start", cage.policy, joined.value));
}

/**
 * The first process inside lives as long as a server that a call leaves behind. It gets no stream of the agent, which would
 * wait for its end.
 */
const WITH_STREAMS = `/bin/sh -c 'exec "$@" <&5 >&6 2>&7 5<&- 6>&- 7>&-' sh`;
const streamsTo = (errors: string): string => `5<&0 6>&1 7>&2 </dev/null >/dev/null 2>${errors}`;
const ERRORS = "errors";

/** Why the last call of a session did not start; empty if it did. */
export function startError(record: string): string {
  const read = readIfPresent(join(record, ERRORS));
  return read.ok ? (read.value ?? "").toString().trim() : "";
}

const proxyPolicy = (
  hosts: readonly string[],
  { settings }: Cage,
  agent: string,
  context: CageContext,
): ProxyPolicy => ({
  hosts,
  stopping: stoppingRules(context),
  agent,
  scopes: context.scopes,
  keptVariables: settings.env,
});

/** Writes that the shell of a session starts outside: the shell itself reads this. */
export const prepareNothing = (folder: string): void => writeFileAtomic(join(folder, "start"), 'exec "$@"\n');
