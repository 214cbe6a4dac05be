import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import type { Host } from "../../../src/engine/host.ts";
import { isInside, realPathOrSame } from "../../../src/fs/paths.ts";
import { isLoader } from "../../../src/process/filter-environment.ts";
import type { ProcessOutcome } from "../../../src/process/process-request.ts";
import { type Scratch, withScratch } from "../../../src/process/scratch.ts";
import { PROOF } from "../../../src/protocol/exit-code.ts";
import { printableJson } from "../../../src/protocol/json/write.ts";
import { explain } from "../../../src/protocol/problem-messages/explain.ts";
import { shellQuote } from "../../../src/protocol/text/shell-quote.ts";
import { formerAddressAgent } from "../../agents/agent.ts";
import { agentShell, callerEnvironment, lastLine, runInAgentShell } from "../install/agent-shell.ts";
import { type ParsedRegistration, parseRegistration } from "../install/create-registrations.ts";
import { commandFor, type InstallTarget } from "../install/install-target.ts";
import { changedSinceInstall, isLauncher, launchedProgram, replaceablePart } from "../install/launcher.ts";
import { runForHookctl } from "../install/run-for-hookctl.ts";
import { presentText } from "../install/settings-file/write-settings-files.ts";
import { HOOKCTL_FILE } from "../own-program.ts";
import { rootCommand } from "../report/agent-command.ts";
import { broken, doubtful, type Finding, type Findings, fine } from "./check.ts";
import type { InstalledSettings } from "./settings-checks.ts";

/** Whether the agent's shell finds the registered program, and whether the registration for shell calls works. */
export async function programFindings({ target, lines, host }: InstalledSettings): Promise<Findings> {
  const { agent, scope, shown } = target;
  const install = commandFor("init", target);
  const again = `Reinstall: ${install}`;
  const commands = lines.filter(({ command }) => formerAddressAgent(command) === null);
  const callLine = commands.find(({ event }) => event === agent.sampleShellCall.event);
  const line = callLine ?? commands[0];
  if (line === undefined) return [];
  const registration = parseRegistration(line, target);
  // Anybody can write a project's settings: only a command that `install` would write is run.
  if (registration === null)
    return doubtful("the registered command was not written by hookctl init, so it was not tested");
  const { program } = registration;
  const consequence = consequenceOf(target, registration);
  const { termination, stdout } = await runInAgentShell(`command -v ${program}`, target, host);
  const shell = agentShell(target, host).join(" ");
  if (termination.kind !== "exited" || termination.exitCode !== 0)
    return broken(`${shell} does not find ${program}: ${consequence}`, again);
  const found = lastLine(stdout);
  if (found === "")
    return broken(
      `${shell} exits before it looks for ${program}: no hook runs`,
      "Remove the command that makes it exit from its profile.",
    );
  // Output of the shell itself, for example from a profile.
  const chatter = new TextDecoder().decode(stdout).trim().split("\n").slice(0, -1).join(" ");
  if (chatter !== "") {
    const detail = `${shell} prints text before the response, which makes it unreadable: ${chatter}`;
    return broken(detail, "Print in your shell profile only if the shell is interactive.");
  }
  const launcher = isLauncher(found, target) ? textOf(found) : null;
  const started = launcher === null ? [found] : launchedProgram(launcher);
  if (started === null) return broken(`${found} is not what hookctl init wrote: ${consequence}`, again);
  const missing = started.find((path) => !existsSync(path));
  if (missing !== undefined) return broken(`${found} starts ${missing}, which does not exist: ${consequence}`, again);
  const replaceable = scope === "machine" ? (replaceablePart([found]) ?? replaceablePart(started)) : null;
  if (replaceable !== null) {
    const { path, cause } = replaceable;
    return broken(`users other than root can change what it starts: ${path}: ${cause}`, again);
  }
  if (!mayBeTried(program, found, started, target)) {
    const detail = `${program} leads to ${started.join(" ")}, which is another installation, so it was not tested`;
    const ofRoot = scope === "machine" && host.userId !== 0;
    return ofRoot
      ? doubtful(`${program} is the machine's, and only root can test it`, rootCommand("hookctl doctor"))
      : doubtful(detail, again);
  }
  const untested = `not tested: no command is registered for ${agent.sampleShellCall.event} in ${shown}`;
  const bridge = callLine === undefined ? doubtful(untested) : await probeRegistration(callLine.command, target, host);
  const launched = launcher === null ? [] : launcherFindings(found, launcher, started, install);
  return [fine(`${shell} finds ${program}`), ...launched, { ...bridge, name: "bridge" }];
}

/** The text of a file; empty if it cannot be read. */
function textOf(path: string): string {
  const text = presentText(path, path);
  return (text.ok ? text.value : null) ?? "";
}

/** An ordinary upgrade changes the files that the launcher starts, and so does a person or a program that replaces them. */
function launcherFindings(
  found: string,
  launcher: string,
  started: readonly string[],
  again: string,
): readonly Finding[] {
  const name = "launcher";
  const changed = changedSinceInstall(launcher, started);
  const unsafe = changed.find(({ isUnsafe }) => isUnsafe);
  if (unsafe !== undefined) {
    const detail = `${unsafe.path}, which ${found} starts, has changed owner since the install, or everybody may write to it`;
    return [{ ...broken(detail, `Check that file, then reinstall: ${again}`), name }];
  }
  if (changed.length === 0) return [];
  const upgraded = `changed since the install: ${changed.map(({ path }) => path).join(", ")}`;
  return [{ ...doubtful(upgraded, `If you upgraded it: ${again}`), name }];
}

function consequenceOf(
  { agent: { title, withoutProgram }, scope }: InstallTarget,
  { failClosed }: ParsedRegistration,
): string {
  if (failClosed) return "the registration then blocks every call";
  if (scope === "project") return "the registration then allows every call, and says what to install";
  return withoutProgram === "unknown"
    ? `it is not known what ${title} does then`
    : `${title} then ${withoutProgram} every call`;
}

/** True for this hookctl or the hookctl on the user's PATH; never for a file of the project. */
function mayBeTried(
  program: string,
  found: string,
  started: readonly string[],
  { projectDir }: InstallTarget,
): boolean {
  const own = [HOOKCTL_FILE, process.execPath].map(realPathOrSame);
  const last = started.at(-1) ?? found;
  if (started.every((path) => own.includes(realPathOrSame(path))) && last !== process.execPath) return true;
  const isOfProject = isInside(projectDir, found) || isInside(projectDir, realPathOrSame(found));
  return program === "hookctl" && isAbsolute(found) && !isOfProject;
}

const REASON = "a test of hookctl doctor";
const FORBIDDEN = "hookctl-doctor-says-no";
const GUARD = `#!/bin/sh
[ "$1" = hook ] && { echo before_tool_call; exit; }
case $(cat) in *${FORBIDDEN}*) echo '{"blocked":true,"reason":"${REASON}"}' ;; esac
`;

/**
 * Runs the registered command twice: with a call that a test guard blocks, and with a call that it allows. Home and project
 * are temporary folders, so that no other hook runs and nothing is recorded.
 */
async function probeRegistration(command: string, target: InstallTarget, host: Host): Promise<Finding> {
  const { agent } = target;
  const { event, payload } = agent.sampleShellCall;
  const tried = await withScratch(host.env, async (scratch) => {
    placeGuard(scratch);
    const requestOf = (text: string) => registrationRun(command, printableJson(payload(text)), target, scratch, host);
    const run = (text: string) => runForHookctl(`testing the entry of ${agent.title}`, requestOf(text), host);
    return { blocked: await run(FORBIDDEN), allowed: await run("ls") };
  });
  if (!tried.ok) {
    const { summary, hint } = explain(tried.error);
    return broken(`it could not be tested: ${summary}`, hint);
  }
  const { blocked, allowed } = tried.value;
  const reason = `${REASON} (doctor-guard, hookctl why ID)`;
  const deny = `${printableJson(agent.events[event]?.answers.deny?.(reason) ?? {})}\n`;
  const again = `Try it: printf '%s' ${shellQuote(printableJson(payload("ls")))} | ${command}`;
  const said = printed(blocked).replaceAll(/hookctl why [0-9A-Z]+/g, "hookctl why ID");
  if (said !== deny || !hasEnded(blocked))
    return broken(`a test ${event} was not blocked: ${endingText(blocked)}`, again);
  if (printed(allowed) !== "" || !hasEnded(allowed))
    return broken(`a test ${event} was not allowed: ${endingText(allowed)}`, again);
  return fine(`a test ${event} was blocked and allowed as expected`);
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

/** The variables that decide where user files are found. */
const OWN_FOLDERS = ["HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"];

/**
 * Uses the agent's shell, with the variables by which other code could run in the place of the line. A login shell reads the
 * user's profile first. Otherwise only PATH is inherited, without the project's folders.
 */
function registrationRun(
  command: string,
  input: string,
  target: InstallTarget,
  { home, work, env: { TMPDIR = home } }: Scratch,
  host: Host,
) {
  const { projectVariable } = target.agent;
  const caller = callerEnvironment(target, host);
  const [file, flag] = agentShell(target, host);
  const isLogin = flag === "-lc";
  const loaders = Object.fromEntries(Object.entries(host.env).filter(([name]) => isLoader(name)));
  const inherited = isLogin ? caller : { PATH: caller.PATH ?? "", HOME: home };
  const project = projectVariable === null ? {} : { [projectVariable]: work };
  const env = { ...loaders, ...inherited, TMPDIR, ...project };
  const folders = isLogin ? `export ${OWN_FOLDERS.map((name) => `${name}=${shellQuote(home)}`).join(" ")}; ` : "";
  return { file, args: [flag, `${folders}${command}`], input, cwd: work, env, stdoutLimitBytes: 1024 * 1024 };
}

/** The answer, without the proof that the line of a module passes on. */
const printed = ({ stdout }: ProcessOutcome): string => new TextDecoder().decode(stdout).replace(PROOF_AT_END, "");
const PROOF_AT_END = new RegExp(`${PROOF}$`);
const hasEnded = ({ termination }: ProcessOutcome): boolean =>
  termination.kind === "exited" && termination.exitCode === 0;

/** How the command ended, with the first line of its output. */
function endingText(outcome: ProcessOutcome): string {
  const { termination, stderr } = outcome;
  const [line = ""] = (printed(outcome).trim() || stderr.trim()).split("\n");
  const ended =
    termination.kind === "exited"
      ? `it exited with code ${termination.exitCode}`
      : termination.kind === "timed-out"
        ? `it took more than ${termination.afterMs} ms`
        : `it was ${termination.kind}`;
  return line === "" ? ended : `${ended}, ${line}`;
}
