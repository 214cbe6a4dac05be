import { join } from "node:path";
import { type Agent, namesBridge } from "../agents/agent.ts";
import { BORROWERS } from "../agents/borrowers.ts";
import { loadAgent } from "../agents/load-agent.ts";
import { absoluteFolder } from "../engine/user-paths.ts";
import { rootOnlyTest } from "../fs/machine-folder.ts";
import { realPathOrSame, resolvesInside } from "../fs/paths.ts";
import { readIfPresent } from "../fs/read-file.ts";
import type { Host } from "../host.ts";
import { agentSettingsFile, agentUserFile } from "../install/settings-file/user-file.ts";

/** True if the agent has its own registration for the event, in the machine's, the user's or the project's settings. */
export async function hasOwnRegistration(
  { name, events, settings }: Agent,
  nativeEvent: string,
  host: Host,
): Promise<boolean> {
  const { project = "", user = "" } = settings.files;
  const meaning = events[nativeEvent]?.raises[0]?.event;
  const same = Object.keys(events).filter((event) => events[event]?.raises[0]?.event === meaning);
  const asks = (file: string): boolean => {
    const text = textOf(file);
    return same.some((event) => namesBridge(text, name, event));
  };
  const { env, cwd } = host;
  const machine = agentSettingsFile({ agent: name, scope: "machine" }, { projectDir: cwd, homeDir: null }, env);
  if (machine !== null && asks(machine) && rootOnlyTest()(machine)) return true;
  const homeDir = absoluteFolder(env, "HOME");
  const usual = homeDir === null ? null : join(homeDir, user);
  const own = homeDir === null ? null : agentUserFile(name, user, homeDir, env);
  if (own !== null && own === usual && asks(own)) return true;

  const variables = await sharedProjectVariables();
  const projects = [...variables.map((variable) => env[variable] ?? cwd), cwd];
  const inProjects = projects.map((folder) => join(folder, project));
  // A project's settings could set the variable that moves the user's folder, and provide that folder.
  const moved = own === null || own === usual || isIn(projects, own) ? [] : [own];
  const asking = [...inProjects, ...moved].filter(asks);
  if (asking.length === 0) return false;
  // It could also provide a file that looks like a registration: only a file that this user's `install` wrote counts.
  const { isUnmodified, backupFile } = await import("../install/settings-file/settings-backup.ts");
  const foreign = projects.filter((folder) => folder !== homeDir);
  return asking.some((file) => {
    const record = backupFile(realPathOrSame(file), host, "install");
    return record !== null && !isIn(foreign, record) && isUnmodified(file, host);
  });
}

/** The variables by which the agents that share settings name the project's folder. */
async function sharedProjectVariables(): Promise<readonly string[]> {
  const names = new Set(BORROWERS.flatMap(({ name, from }) => [from, name]));
  const agents = await Promise.all([...names].map(loadAgent));
  return agents.flatMap(({ projectVariable }) => projectVariable ?? []);
}

const isIn = (folders: readonly string[], path: string): boolean =>
  folders.some((folder) => resolvesInside(realPathOrSame(folder), path));

/** Empty if the file cannot be read. */
function textOf(file: string): string {
  const read = readIfPresent(file);
  return read.ok ? (read.value?.toString("utf8") ?? "") : "";
}
