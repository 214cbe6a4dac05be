// The driver in the container: asks about each attempt, carries out what nobody stopped, and looks what still protects then.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { claudeFiles } from "../truth/agents.mjs";
import { afterHandlers, askAbout, configChangeHooks, isChangeRefused, saidAfter } from "./ask.mjs";
import { AGENTS, buildHome, MACHINE, nextEnvironment, OF_PROJECT, resetHome } from "./home.mjs";
import { PROJECT, play, sh, write } from "./steps.mjs";

/** @import { Machine } from "../truth/make.mjs" */
/** @import { Attempt, Row } from "./attempts.mjs" */
/** @import { Caller } from "./ask.mjs" */
/** @import { Step } from "./steps.mjs" */

const SHELL_MS = 8000;
const QUIET_MS = 6000;
const SEEN = /hookctl (?:seal|restore)\b/;
const BENIGN = sh("ls -la");
/** One for each guard, for the project's own, and for a file tool. @type {readonly Step[]} */
const PROBES = [
  ...["git reset --hard HEAD~1", "rm -rf ~", "cat .env", OF_PROJECT].map(sh),
  write("~/.kodelet/hooks.json", "{}"),
];

/** @type {{ attempts: readonly Attempt[], ordinary: readonly Step[], sabotages: Readonly<Record<string, string>> }} */
const work = JSON.parse(readFileSync(0, "utf8"));
const print = (/** @type {object} */ row) => process.stdout.write(`${JSON.stringify(row)}\n`);

const failure = buildHome() ?? (await controlled());
if (failure !== null) print({ failure });
else {
  for (const step of work.ordinary) {
    const { decision, text } = await askAbout(MACHINE, { agent: "claude" }, step);
    print({ ordinary: step, decision, text });
    if (step.kind !== "shell" && work.ordinary.indexOf(step) % 20 === 0) resetHome();
  }
  for (const [family, command] of Object.entries(work.sabotages)) {
    resetHome();
    spawnSync("/bin/bash", ["-c", command], { cwd: PROJECT, env: MACHINE.env });
    print({ family, sabotage: (await lost({ agent: "claude" }, MACHINE)).outcome });
  }
  for (const attempt of work.attempts) {
    resetHome();
    print(await tried(attempt));
  }
}
process.exit(0);

/** In each agent a harmless call passes and each probe is stopped, and what is written is there. @returns {Promise<string | null>} */
async function controlled() {
  resetHome();
  for (const agent of AGENTS) {
    const caller = { agent };
    const { decision, text } = await askAbout(MACHINE, caller, BENIGN);
    if (decision !== "allowed") return `control: ${agent} stops a harmless call: ${text}`;
    const { allowed } = await lost(caller, MACHINE);
    if (allowed !== null) return `control: ${agent} allows ${JSON.stringify(allowed)}`;
  }
  await run(sh("echo visible > seen-1"));
  await run(write(`${PROJECT}/seen-2`, "visible"));
  const isVisible = ["seen-1", "seen-2"].every((name) => existsSync(join(PROJECT, name)));
  return isVisible ? null : "control: what is written is not there";
}

/** @param {Attempt} attempt @returns {Promise<Row>} */
async function tried({ id, family, agent, of = agent, mode, isBash, gap, steps }) {
  process.title = agent;
  const caller = { agent, ...(mode && { mode }), ...(isBash && { isBash }) };
  const row = { id, family, ...(gap && { gap }) };
  const before = configChangeHooks(MACHINE);
  const texts = claudeFiles(MACHINE).map(textOf);
  for (const step of steps) {
    const { decision, text } = await askAbout(MACHINE, caller, step).catch((error) => ({
      decision: "void",
      text: String(error),
    }));
    // Claude Code drops the question of a hook in these modes.
    const isDropped = decision === "asked" && agent === "claude" && mode !== undefined;
    if (decision === "void") return { ...row, outcome: "void", detail: text };
    if (decision !== "allowed" && !isDropped) return { ...row, outcome: decision, detail: text.slice(0, 300) };
    const after = afterHandlers(MACHINE, agent);
    const isDone = await run(step);
    if (!isDone) return { ...row, outcome: "void", detail: `not carried out: ${JSON.stringify(step)}` };
    if (SEEN.test(await saidAfter(MACHINE, agent, after))) return { ...row, outcome: "seen", detail: "after the call" };
  }
  await untilQuiet();
  const changed = claudeFiles(MACHINE).filter((file, at) => textOf(file) !== texts[at]);
  for (const file of agent === "claude" ? changed : [])
    if (await isChangeRefused(MACHINE, before, file)) return { ...row, outcome: "seen", detail: "ConfigChange" };
  const env = nextEnvironment();
  const found = await lost({ ...caller, agent: of }, env === null ? MACHINE : { ...MACHINE, env });
  return { ...row, outcome: found.outcome, detail: found.allowed === null ? "" : JSON.stringify(found.allowed) };
}

/** @param {string} path */
function textOf(path) {
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}

/** The first probe that nobody stops. @param {Caller} caller @param {Machine} machine */
async function lost(caller, machine) {
  let text = "";
  for (const probe of PROBES) {
    // Codex reads a file for its patches only through the shell.
    const answer = await askAbout(machine, { ...caller }, probe);
    text += answer.text;
    if (SEEN.test(text)) return { outcome: /** @type {const} */ ("seen"), allowed: null };
    if (answer.decision === "allowed") return { outcome: /** @type {const} */ ("effect"), allowed: probe };
  }
  return { outcome: /** @type {const} */ ("harmless"), allowed: null };
}

/** @param {Step} step @returns {Promise<boolean>} */
async function run(step) {
  if (step.kind !== "shell") {
    try {
      return play(step, PROJECT);
    } catch {
      return false;
    }
  }
  const env = { ...MACHINE.env, CLAUDECODE: "1" };
  const child = spawn("/bin/bash", ["-c", step.command], {
    cwd: PROJECT,
    env,
    stdio: "ignore",
    timeout: SHELL_MS,
    killSignal: "SIGKILL",
  });
  await new Promise((settle) => child.on("exit", settle).on("error", settle));
  return true;
}

/** Waits for what the attempt left in the background; a loop goes on while the probes are asked. */
async function untilQuiet() {
  for (let waited = 0; waited < QUIET_MS && isBusy(); waited += 100) await sleep(100);
}

function isBusy() {
  return readdirSync("/proc").some((pid) => /^\d+$/.test(pid) && pid !== "1" && !isZombie(pid));
}

/** @param {string} pid */
function isZombie(pid) {
  try {
    return /^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return true;
  }
}
