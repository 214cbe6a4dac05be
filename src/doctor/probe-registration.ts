import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newRunId } from "../audit/run-id.ts";
import type { Host } from "../host.ts";
import { agentShell, callerEnvironment } from "../install/agent-shell.ts";
import { HOOKCTL_FILE, type InstallTarget } from "../install/install-target.ts";
import { type ProcessOutcome, processRequest, type Termination, withNewToken } from "../process/process-request.ts";
import { runProcess } from "../process/run-process.ts";
import { broken, type Checkup, fine } from "../protocol/doctor-check.ts";
import { printableJson } from "../protocol/json/write.ts";
import type { Problem } from "../protocol/problem.ts";
import { explain } from "../protocol/problem-message.ts";
import { shellQuote } from "../protocol/text/shell-quote.ts";
import { type Scratch, withScratch } from "../test-runner/scratch/scratch.ts";

const REASON = "a test of hookctl doctor";
const FORBIDDEN = "hookctl-doctor-says-no";
const GUARD = `#!/bin/sh
[ "$1" = hook ] && { echo before_tool_call; exit; }
case $(cat) in *${FORBIDDEN}*) echo '{"blocked":true,"reason":"${REASON}"}' ;; esac
`;

/**
 * Runs the registered command twice: with a call that a test guard blocks, and with one that it allows. Home and project
 * are temporary folders, so that no other hook runs and nothing is recorded.
 */
export async function probeRegistration(command: string, target: InstallTarget, host: Host): Promise<Checkup> {
  const { agent } = target;
  const name = `${agent.name} bridge`;
  const { event, payload } = agent.sampleShellCall;
  const tried = await withScratch(host.env, async (scratch) => {
    placeGuard(scratch);
    const probe = { target, scratch, host };
    const blocked = await runRegistration(command, printableJson(payload(FORBIDDEN)), probe);
    const allowed = await runRegistration(command, printableJson(payload("ls")), probe);
    return { blocked, allowed };
  });
  if (!tried.ok) return untried(name, tried.error);
  const { blocked, allowed } = tried.value;
  const reason = `${REASON} (doctor-guard, hookctl why ID)`;
  const deny = `${printableJson(agent.events[event]?.answers.deny?.(reason) ?? {})}\n`;
  const again = `Try it: printf '%s' ${shellQuote(printableJson(payload("ls")))} | ${command}`;
  if (printed(blocked).replaceAll(/hookctl why [0-9A-Z]+/g, "hookctl why ID") !== deny || !hasEnded(blocked)) {
    return broken(name, `a test ${event} was not blocked: ${whatCame(blocked)}`, again);
  }
  if (printed(allowed) !== "" || !hasEnded(allowed)) {
    return broken(name, `a test ${event} was not allowed: ${whatCame(allowed)}`, again);
  }
  return fine(name, `a test ${event} was blocked and allowed as expected`);
}

function untried(name: string, problem: Problem): Checkup {
  const { summary, hint } = explain(problem);
  return broken(name, `it could not be tested: ${summary}`, hint);
}

/** Creates the test guard, and hookctl where a command that uses the project's installation looks for it. */
function placeGuard({ home, work }: Scratch): void {
  const hooks = join(home, ".kodelet", "hooks");
  mkdirSync(hooks, { recursive: true, mode: 0o700 });
  writeFileSync(join(hooks, "doctor-guard"), GUARD);
  chmodSync(join(hooks, "doctor-guard"), 0o700);
  mkdirSync(join(work, "node_modules", ".bin"), { recursive: true });
  symlinkSync(HOOKCTL_FILE, join(work, "node_modules", ".bin", "hookctl"));
}

interface Probe {
  readonly target: InstallTarget;
  readonly scratch: Scratch;
  readonly host: Host;
}

/** The variables that decide where user files are found. */
const OWN_FOLDERS = ["HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"];

/**
 * Uses the agent's shell. A login shell reads the user's profile first. Otherwise only PATH is inherited, without the
 * project's folders.
 */
function runRegistration(command: string, input: string, { target, scratch, host }: Probe): Promise<ProcessOutcome> {
  const { agent } = target;
  const runId = newRunId(host.nowMs(), host.random);
  const { home, work } = scratch;
  const variable = agent.projectVariable === null ? {} : { [agent.projectVariable]: work };
  const caller = callerEnvironment(target, host);
  const [file, flag] = agentShell(target, host);
  const isLogin = flag === "-lc";
  const own = { TMPDIR: scratch.env.TMPDIR ?? home, ...variable };
  const env = isLogin ? { ...caller, ...own } : { PATH: caller.PATH ?? "", HOME: home, ...own };
  const folders = isLogin ? `export ${OWN_FOLDERS.map((name) => `${name}=${shellQuote(home)}`).join(" ")}; ` : "";
  return runProcess(
    processRequest({
      file,
      args: [flag, `${folders}${command}`],
      input,
      cwd: work,
      env: withNewToken(env, runId),
      timeoutMs: 20_000,
      stdoutLimitBytes: 1024 * 1024,
      interrupt: host.interrupt,
    }),
  );
}

const printed = ({ stdout }: ProcessOutcome): string => new TextDecoder().decode(stdout);
const hasEnded = ({ termination }: ProcessOutcome): boolean =>
  termination.kind === "exited" && termination.exitCode === 0;

function whatCame(outcome: ProcessOutcome): string {
  const said = (printed(outcome).trim() || outcome.stderr.trim()).split("\n")[0] ?? "";
  return said === "" ? endingText(outcome.termination) : `${endingText(outcome.termination)}, ${said}`;
}

function endingText(ending: Termination): string {
  if (ending.kind === "exited") return `it exited with code ${ending.exitCode}`;
  return ending.kind === "timed-out" ? `it took more than ${ending.afterMs} ms` : `it was ${ending.kind}`;
}
