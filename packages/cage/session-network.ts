import { spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { RULE_LEVELS } from "../../src/config/merge-rules.ts";
import { packageFolder } from "../../src/discover/node-loader.ts";
import type { RunContext } from "../../src/engine/run-context.ts";
import { takeLock } from "../../src/fs/lock.ts";
import { rootOnlyTest } from "../../src/fs/machine-folder.ts";
import { pathExists } from "../../src/fs/paths.ts";
import { readIfPresent } from "../../src/fs/read-file.ts";
import { removeFile, writeFileAtomic } from "../../src/fs/write-file.ts";
import { RUNTIME_LOADERS } from "../../src/process/filter-environment.ts";
import { closeInheritedNow } from "../../src/process/spawn-child.ts";
import { namesIn } from "../../src/protocol/json/table.ts";
import { fail, ok, type Result } from "../../src/protocol/result.ts";
import { isExpired } from "../../src/protocol/rule-settings.ts";
import { shellQuote } from "../../src/protocol/text/shell-quote.ts";
import { isRunning } from "./cage-shell.ts";
import { type HostList, NETWORK, REGISTRIES, type StoppingRule } from "./host-list.ts";

/** What the proxy of a session lets through. */
export interface ProxyPolicy extends HostList {
  /** The key of the agent's process, with which the proxy ends. */
  readonly agent: string;
  readonly scopes: RunContext["scopes"];
  /** Variables that a call gets although they are secret. */
  readonly keptVariables: readonly string[];
}

export const POLICY_FILE = "hosts.json";
export const REFUSED_FILE = "refused.jsonl";
const PROXY_FILE = "proxy.json";

/** A proxy that runs: its process, and the descriptors of its namespaces. */
interface Proxy {
  readonly process: string;
  readonly user: number;
  readonly net: number;
}

interface ProxyStart {
  readonly bwrap: string;
  /** The variables of the agent, whose secrets the proxy knows. */
  readonly env: RunContext["env"];
}

const NSENTER_PLACES = ["/usr/bin/nsenter", "/bin/nsenter", "/run/current-system/sw/bin/nsenter"];

/**
 * Opens a list of hosts for the session whose files are in a folder; returns the start of a shell line that runs a program in the
 * session's network.
 */
export async function joinNetwork(
  folder: string,
  policy: ProxyPolicy,
  { bwrap, env }: ProxyStart,
): Promise<Result<string, string>> {
  const nsenter = NSENTER_PLACES.find(pathExists);
  if (nsenter === undefined) return fail("a list of hosts needs nsenter (util-linux)");
  if (!rootOnlyTest()(nsenter)) return fail(`${nsenter} can be changed by users other than root`);
  writeFileAtomic(join(folder, POLICY_FILE), JSON.stringify(policy));
  // Calls at the same time share one proxy.
  const lock = await takeLock(join(folder, "proxy.lock"));
  if (lock === null) return fail("the session's proxy did not start");
  try {
    const running = runningProxy(folder) ?? (await startProxy(folder, { bwrap, env }));
    if (typeof running === "string") return fail(running);
    const { process: key, user, net } = running;
    const descriptors = `/proc/${key.split("-")[0]}/fd`;
    return ok(`${nsenter} --user=${descriptors}/${user} --net=${descriptors}/${net} --preserve-credentials `);
  } finally {
    lock.release();
  }
}

function runningProxy(folder: string): Proxy | null {
  const read = readIfPresent(join(folder, PROXY_FILE));
  if (!read.ok || read.value === null) return null;
  const proxy: Proxy = JSON.parse(read.value.toString("utf8"));
  return isRunning(proxy.process) ? proxy : null;
}

const START_TIMEOUT_MS = 20_000;

/** Starts a proxy that stays; a text says why there is none. */
async function startProxy(folder: string, { bwrap, env }: ProxyStart): Promise<Proxy | string> {
  const program = fileURLToPath(`${packageFolder()}/dist/programs/cage-proxy.js`);
  closeInheritedNow();
  const child = spawn(process.execPath, [program, folder, bwrap], {
    cwd: "/",
    env: Object.fromEntries(Object.entries(env).filter(([name]) => !RUNTIME_LOADERS.includes(name))),
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said = await new Promise<Proxy | string>((resolve) => {
    let faults = "";
    const timer = setTimeout(() => resolve("the session's proxy did not start"), START_TIMEOUT_MS);
    const end = (result: Proxy | string): void => {
      clearTimeout(timer);
      resolve(result);
    };
    child.stderr.on("data", (part: Buffer) => (faults += part.toString("utf8")));
    child.stdout.on("data", (line: Buffer) => end(JSON.parse(line.toString("utf8"))));
    child.on("error", ({ message }) => end(message));
    child.on("close", () => end(`the session's proxy did not start: ${faults.trim().split("\n").at(-1)}`));
  });
  child.unref();
  child.stdout.destroy();
  child.stderr.destroy();
  if (typeof said === "string") child.kill();
  else writeFileAtomic(join(folder, PROXY_FILE), JSON.stringify(said));
  return said;
}

/** The variables of a call, as lines of a shell. */
export function networkVariables(hosts: readonly string[]): string {
  const { variables, javaPrograms, javaOptions, mirror } = NETWORK;
  const registry = hosts.includes(REGISTRIES) ? mirror.variables : {};
  return [
    ...Object.entries({ ...variables, ...registry }).map(([name, value]) => `export ${name}=${shellQuote(value)}\n`),
    ...namesIn(javaPrograms).map((name) => `export ${name}="\${${name}-} ${javaOptions}"\n`),
  ].join("");
}

/** What a person's rules stop. A rule of a project allows nothing here. */
export function stoppingRules({ settings, nowMs }: Pick<RunContext, "settings" | "nowMs">): readonly StoppingRule[] {
  const guard = settings.guards.find(({ name, observe }) => name === "rules" && !observe);
  const ofHosts = (guard?.rules ?? []).filter((rule) => rule.subject === "hosts" && !isExpired(rule, nowMs));
  const allowed = (guard?.allow ?? []).flatMap(({ rule }) =>
    rule?.subject === "hosts" && !isExpired(rule, nowMs) ? [rule] : [],
  );
  return ofHosts.map(({ match, unless = [], file, level }) => {
    const exceptions = allowed.filter(
      (one) =>
        one.unless === undefined && one.once === undefined && one.level <= level && one.level < RULE_LEVELS.project,
    );
    return { match, file, unless: [...unless, ...exceptions.map((one) => one.match)] };
  });
}

/** Why hosts were refused since this was asked last. */
export function takeRefusals(folder: string): readonly string[] {
  const file = join(folder, REFUSED_FILE);
  const read = readIfPresent(file);
  if (!read.ok || read.value === null) return [];
  removeFile(file);
  const lines = read.value.toString("utf8").trim().split("\n");
  return [...new Set(lines.map((line) => String(JSON.parse(line).why)))];
}

/** Asks the proxy for a tunnel, and ends where its answer ends. One line, because inside there is no file of ours. */
const SSH_PROXY = [
  `exec 3<>/dev/tcp/127.0.0.1/${new URL(NETWORK.variables.HTTP_PROXY ?? "").port} || exit 1`,
  'printf "CONNECT %%s:%%s HTTP/1.1\\r\\n\\r\\n" "$1" "$2" >&3',
  "read -r _ status why <&3",
  `while read -r line <&3 && [ "\${#line}" -gt 1 ]; do :; done`,
  '[ "$status" = 200 ] || { echo "$why" >&2; exit 1; }',
  "cat <&0 >&3 & exec cat <&3",
].join("; ");
const SSH_CONFIG = "/etc/ssh/ssh_config";

/** The machine's configuration of ssh, in which every connection goes through the proxy. */
export function sshConfig(folder: string) {
  const from = join(folder, "ssh_config");
  const read = readIfPresent(SSH_CONFIG);
  const rest = read.ok ? (read.value?.toString("utf8") ?? "") : "";
  writeFileAtomic(from, `ProxyCommand bash -c ${shellQuote(SSH_PROXY)} ssh %h %p\n${rest}`);
  return { path: SSH_CONFIG, from, why: "it leads to the proxy" };
}
