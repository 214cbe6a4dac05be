import { dirname, join, relative, resolve } from "node:path";
import { type CommandResult, print } from "../../../../src/cli/command-result.ts";
import type { OptionsOf } from "../../../../src/cli/command-table.ts";
import { requirePerson } from "../../../../src/cli/prompt/require-person.ts";
import type { Host } from "../../../../src/engine/host.ts";
import type { RunContext } from "../../../../src/engine/run-context.ts";
import { followLinks, isInside, pathExists } from "../../../../src/fs/paths.ts";
import { AGENT_NAMES } from "../../../../src/protocol/agent-names.ts";
import { arrayOr, objectOr } from "../../../../src/protocol/json/read.ts";
import { jsonText } from "../../../../src/protocol/json/write.ts";
import { fail, ProblemError, unwrap } from "../../../../src/protocol/result.ts";
import { nearest } from "../../../../src/protocol/text/nearest.ts";
import { truncateEscaped } from "../../../../src/protocol/text/text.ts";
import { effectiveCage, REGISTRIES } from "../../../cage/index.ts";
import { agentSettingsFiles } from "../../install/agent-files.ts";
import { editSettings, writeSettings } from "../guards/switches-file.ts";
import { requireOwnCage } from "./switch-cage.ts";

/** `hookctl cage allow`: lets the calls of agents write, or only read, a path, or connect to a host. */
export async function allowPlace(
  args: readonly string[],
  { isHere, isRead, json }: OptionsOf<"cage">,
  { context, host }: { readonly context: RunContext; readonly host: Host },
): Promise<CommandResult> {
  const [typed = ""] = args;
  if (args.length !== 1 || typed === "") {
    const detail = "cage allow takes one path or host.";
    throw new ProblemError({ code: "USAGE_WRONG_WORDS", detail, tryThis: "hookctl cage allow ~/.cache/foo" });
  }
  await requirePerson(host);
  const { homeDir, rootDir } = context.scopes;
  const connected = hostIn(typed, host.cwd);
  if (connected !== null && (effectiveCage(context)?.network ?? "open") === "open") {
    const detail = "The network of the cage is open. The setting `cage.network` limits it to a list of hosts.";
    throw new ProblemError({ code: "USAGE_WRONG_WORDS", detail, tryThis: "hookctl cage show" });
  }
  const path = connected ?? writtenPath(typed, homeDir, host.cwd);
  const why = connected === null ? whyTooWide(path, context, host) : whyTooManyHosts(connected);
  if (why !== null) throw new ProblemError({ code: "USAGE_WRONG_WORDS", ...why });
  const access = connected !== null ? "connect to" : isRead ? "read" : "write";
  const list = access === "connect to" ? "network" : access;
  requireOwnCage((cage) => (list === "network" ? cage.network === "off" : cage[list] !== undefined), context);
  const place = [...(isHere ? ["projects", rootDir] : []), "cage", list];
  const opened = place.map((key) => `${jsonText(key)}: `).join("{ ");
  const yaml = `add to it: ${opened}[ ${jsonText(path)} ]${" }".repeat(place.length - 1)}`;
  const editsFor = (root: unknown) => {
    const before = arrayOr(place.reduce<unknown>((found, key) => objectOr(found)[key], root));
    if (before.includes(path)) return [];
    return before.length === 0
      ? [{ path: place, value: [path] }]
      : [{ path: [...place, before.length], value: path, isAdded: true as const }];
  };
  const edited = unwrap(editSettings({ isProject: false, yaml }, editsFor, { context, host }));
  const problem = edited.isChanged ? await writeSettings(edited) : null;
  if (problem !== null) return fail(problem);
  if (json)
    return print(
      `${jsonText({ schema: "hookctl.cage-allowed/1", path, access, file: edited.file, is_changed: edited.isChanged })}\n`,
      host,
    );
  const where = isHere ? "in this project" : "everywhere";
  const verb = `Calls in the cage may ${access} ${truncateEscaped(path, 200)} ${where}`;
  const real = path.startsWith("~/") ? join(homeDir ?? "", path.slice(2)) : path;
  // The sandbox shows what exists; a folder that calls may write is made for them.
  const missing =
    connected !== null || pathExists(real) || (!isRead && path.endsWith("/"))
      ? ""
      : "It does not exist yet: calls can reach it once it does.\n";
  return print(`${edited.isChanged ? "✔ " : "Already there: "}${verb} (${edited.file})\n${missing}`, host);
}

/** Why nobody wants calls to reach a path: the cage would protect nothing, or not itself. */
function whyTooWide(path: string, { scopes, sessionsDir }: RunContext, { env }: Host) {
  const { homeDir } = scopes;
  if (homeDir === null) return null;
  const real = followLinks(path.startsWith("~/") ? join(homeDir, path.slice(2)) : path);
  const tryThis = "hookctl cage allow ~/work/shared";
  if (isInside(real, homeDir))
    return { detail: `${path} contains your home directory: the cage would protect nothing.`, tryThis };
  const own = [join(homeDir, ".kodelet"), ...(sessionsDir === null ? [] : [dirname(sessionsDir)])];
  const folders = { projectDir: scopes.projectDir, homeDir };
  const ofAgents = AGENT_NAMES.flatMap((agent) => agentSettingsFiles({ agent, scope: "user" }, folders, env));
  const isOwn = own.some((folder) => isInside(folder, real) || isInside(real, folder));
  if (!isOwn && !ofAgents.some((file) => followLinks(file) === real)) return null;
  return {
    detail: `${path} contains files that decide about calls: a call that writes them could leave the cage.`,
    tryThis,
  };
}

/** Names under these endings belong to everybody. */
const EVERYBODYS = /^\*\.(?:[^.]+|(?:ac|co|com|edu|gov|net|org)\.[a-z]{2})(?::\d+)?$/;

const whyTooManyHosts = (host: string) =>
  EVERYBODYS.test(host)
    ? { detail: `${host} covers every host under it, of any owner.`, tryThis: "hookctl cage allow '*.example.com'" }
    : null;

/** `hookctl cage remove`: takes back what `cage allow` gave, in this project and, without `--here`, everywhere. */
export async function removePlace(
  args: readonly string[],
  { isHere, json }: OptionsOf<"cage">,
  { context, host }: { readonly context: RunContext; readonly host: Host },
): Promise<CommandResult> {
  const [typed = ""] = args;
  if (args.length !== 1 || typed === "") {
    const detail = "cage remove takes one path or host.";
    throw new ProblemError({ code: "USAGE_WRONG_WORDS", detail, tryThis: "hookctl cage remove ~/.cache/foo" });
  }
  const { homeDir, rootDir } = context.scopes;
  const names = [typed, hostIn(typed, host.cwd) ?? writtenPath(typed, homeDir, host.cwd)];
  const isNamed = (item: unknown): boolean => names.some((name) => item === name || item === `${name}/`);
  const scopes = [["projects", rootDir], ...(isHere ? [] : [[]])];
  const lists = scopes.flatMap((scope) => ["write", "read", "network"].map((list) => [...scope, "cage", list]));
  const known: string[] = [];
  // An empty list of hosts stays: without a list the network would be open.
  const editsFor = (root: unknown) =>
    lists.flatMap((path) => {
      const items = arrayOr(path.reduce<unknown>((found, key) => objectOr(found)[key], root)).map(String);
      known.push(...items);
      const rest = items.filter((item) => !isNamed(item));
      if (rest.length === items.length) return [];
      return [{ path, value: rest.length > 0 || path.at(-1) === "network" ? rest : undefined }];
    });
  const yaml = `remove ${typed} from it`;
  const edited = unwrap(editSettings({ isProject: false, yaml }, editsFor, { context, host }));
  if (!known.some(isNamed)) {
    const list = "hookctl cage show";
    throw new ProblemError({ code: "USAGE_UNKNOWN_RULE", name: typed, nearest: nearest(typed, known), list });
  }
  const problem = await writeSettings(edited);
  if (problem !== null) return fail(problem);
  const [path = typed] = known.filter(isNamed);
  if (json) return print(`${jsonText({ schema: "hookctl.cage-removed/1", removed: path, file: edited.file })}\n`, host);
  return print(`✔ Calls in the cage may no longer reach ${truncateEscaped(path, 200)} (${edited.file})\n`, host);
}

const ADDRESS = /^https?:\/\/(?:[^/@\s]*@)?(\[[\da-f:]+\]|[^/:\s?#]+)(:\d+)?/i;
const WITH_PORT = /^(?:[\w.*-]+|\[[\da-f:]+\]):\d+$/i;
const DOTTED = /^(?:\*\.)?[\w-]+(?:\.[\w-]+)+$/;

/** The host that a person typed; null for a path. A name with a dot is a file if there is one. */
function hostIn(typed: string, cwd: string): string | null {
  const [, name, port = ""] = ADDRESS.exec(typed) ?? [];
  if (name !== undefined) return `${name}${port}`;
  if (WITH_PORT.test(typed) || typed.startsWith("*.")) return typed;
  return typed === REGISTRIES || (DOTTED.test(typed) && !pathExists(join(cwd, typed))) ? typed : null;
}

/** A path below the home directory as `~/…`, any other as an absolute path. */
function writtenPath(typed: string, home: string | null, cwd: string): string {
  if (typed.startsWith("~/")) return typed;
  const path = resolve(cwd, typed);
  const shown = home !== null && path !== home && isInside(home, path) ? `~/${relative(home, path)}` : path;
  return typed.endsWith("/") && shown !== "/" ? `${shown}/` : shown;
}
