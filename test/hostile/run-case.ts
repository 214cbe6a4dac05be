import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseRunJson } from "../support/json-output.ts";
import { shellQuote } from "../support/shell.ts";
import { HANG_TIMEOUT_MS, HOOKCTL } from "../support/workspace.ts";
import { command, trust } from "./adapter.mjs";
import type { Case } from "./cases.ts";
import { type Observation, problemsOf } from "./expectations.ts";
import { holdOpen, openSandbox, processesOf, type Sandbox } from "./sandbox.ts";

const EVENT = "before_tool_call";
/** No hook of the corpus that ends by itself takes as long, not even on a busy machine. */
const LONG_TIMEOUT_MS = 60_000;

/** Runs one case in folders of its own and returns what differs from its expectations. `isCaged`: its hooks are sandboxed. */
export async function runCase(one: Case, { isCaged = false } = {}): Promise<readonly string[]> {
  await using sandbox = await openSandbox();
  await setUp(one, sandbox);
  if (isCaged) await requireSandbox(sandbox);
  const holder = one.heldOpen === undefined ? null : await holdOpen(join(sandbox.dir, one.heldOpen));
  try {
    const observation = await observe(one, sandbox, holder?.pid ?? null);
    const uncaged = isCaged ? uncagedHooks(observation.stdout) : [];
    return [...uncaged, ...(await problemsOf(one, observation, sandbox))];
  } finally {
    holder?.kill("SIGKILL");
  }
}

async function setUp({ hook, setup, isApproved = true, afterApproval = [] }: Case, sandbox: Sandbox): Promise<void> {
  await sandbox.shell(setup ?? [install(hook ?? "")]);
  await sandbox.fillPlaceholders(HOOKCTL.join(" "));
  if (isApproved) trust(sandbox);
  await rm(sandbox.canary, { force: true });
  await sandbox.shell(afterApproval);
}

/** Hooks that ended in some way and did so outside. Where `run --json` prints no result, no hook was started. */
function uncagedHooks(stdout: string): readonly string[] {
  if (!stdout.startsWith("{") || stdout.includes('"schema":"hookctl.problem/1"')) return [];
  const { hooks } = parseRunJson({ stdout });
  return hooks
    .filter(({ exit_code, signal }) => exit_code !== null || signal !== null)
    .filter(({ sandbox }) => sandbox?.startsWith("bubblewrap") !== true)
    .map(({ name }) => `${name} ran without the sandbox`);
}

/** The user's own choice for every hook of the case. */
async function requireSandbox({ repo, home }: Sandbox): Promise<void> {
  const names = (await readdir(join(repo, ".kodelet", "hooks"))).map((name) => [name, { sandbox: "require" }] as const);
  await mkdir(join(home, ".kodelet"), { recursive: true });
  await writeFile(join(home, ".kodelet", "hooks.json"), JSON.stringify({ overrides: Object.fromEntries(names) }));
}

const install = (hook: string): string =>
  `install -m 755 "$SRC/hooks/${hook}" "$REPO_HOOKS/${hook.replace(/\.\w+$/, "")}"`;

async function observe(one: Case, sandbox: Sandbox, holderPid: number | null): Promise<Observation> {
  const memoryFile = join(sandbox.dir, "memory");
  const child = spawn("/usr/bin/time", ["-f", "%M", "-o", memoryFile, ...commandOf(one)], {
    cwd: sandbox.repo,
    env: sandbox.env,
    detached: true,
  });
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].on("data", (chunk: Buffer) => {
      output[name] += chunk;
    });
  }
  child.stdin.on("error", () => undefined);
  if (one.stdin === undefined) child.stdin.end(payloadOf(one, sandbox));
  else if (one.stdin === "empty") child.stdin.end();
  let hung = false;
  const alarm = setTimeout(() => {
    hung = true;
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  }, HANG_TIMEOUT_MS);
  const [code, signal] = await once(child, "close");
  clearTimeout(alarm);
  child.stdin.destroy();
  const leftOver = (await leftOverProcesses(sandbox)).filter((pid) => pid !== holderPid);
  for (const pid of leftOver) process.kill(pid, "SIGKILL");
  return { ...output, code, signal, hung, leftOver: leftOver.length, memoryMb: await memoryMb(memoryFile) };
}

/** The tool under test; on a terminal of its own where the case wants one. */
function commandOf(one: Case): readonly string[] {
  const { command: name = "run", hookTimeoutMs = LONG_TIMEOUT_MS } = one;
  const { file, args } = command(name, { class: name, event: EVENT, hook_timeout_ms: hookTimeoutMs });
  if (one.stdin !== "tty") return [file, ...args];
  return ["script", "-qec", `${[file, ...args].map(shellQuote).join(" ")} 2>&1`, "/dev/null"];
}

function payloadOf({ payloadBytes = 0 }: Case, { repo }: Sandbox): string {
  const pad = "p".repeat(payloadBytes);
  return JSON.stringify({ event: EVENT, cwd: repo, tool_name: "bash", tool_input: { command: "ls", pad } });
}

const SETTLE_MS = 50;
const TRIES = HANG_TIMEOUT_MS / SETTLE_MS;

/** A process that was just killed is still listed for a moment: one that is left over stays. */
async function leftOverProcesses(sandbox: Sandbox): Promise<readonly number[]> {
  for (let tries = 1; ; tries++) {
    const pids = await processesOf(sandbox);
    if (pids.length === 0 || tries === TRIES) return pids;
    await new Promise((settle) => setTimeout(settle, SETTLE_MS));
  }
}

/** `time` adds a line above the figure when the command fails. */
async function memoryMb(file: string): Promise<number> {
  const lines = (await readFile(file, "utf8")).trim().split("\n");
  return Math.round(Number(lines.at(-1)) / 1024);
}
