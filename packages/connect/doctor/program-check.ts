import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import type { Host } from "../../../src/engine/host.ts";
import { isInside, realPathOrSame } from "../../../src/fs/paths.ts";
import { isLoader } from "../../../src/process/filter-environment.ts";
import type { ProcessOutcome, Termination } from "../../../src/process/process-request.ts";
import { type Scratch, withScratch } from "../../../src/process/scratch.ts";
import { broken, type Checkup, doubtful, fine } from "../../../src/protocol/doctor-check.ts";
import { PROOF } from "../../../src/protocol/exit-code.ts";
import { printableJson } from "../../../src/protocol/json/write.ts";
import type { Problem } from "../../../src/protocol/problem.ts";
import { explain } from "../../../src/protocol/problem-messages/explain.ts";
import { shellQuote } from "../../../src/protocol/text/shell-quote.ts";
import type { FoundRegistration } from "../../agents/agent-install.ts";
import { agentShell, callerEnvironment, lastLine, runInAgentShell } from "../install/agent-shell.ts";
import { type ParsedRegistration, parseRegistration } from "../install/create-registrations.ts";
import { commandFor, HOOKCTL_FILE, type InstallTarget } from "../install/install-target.ts";
import { changedSinceInstall, isLauncher, launchedProgram, replaceablePart } from "../install/launcher.ts";
import { nativeBeside } from "../install/native-program.ts";
import { runForHookctl } from "../install/run-for-hookctl.ts";
import { presentText } from "../install/settings-file/write-settings-files.ts";

/** Checks that the agent's shell finds the registered program, and that the registration for shell calls works. */
export async function programCheck(
  target: InstallTarget,
  lines: readonly FoundRegistration[],
  host: Host,
): Promise<readonly Checkup[]> {
  const { agent } = target;
  const name = `${agent.name} program`;
  const again = `Reinstall: ${commandFor("install", target)}`;
  const callLine = lines.find(({ event }) => event === agent.sampleShellCall.event);
  const line = callLine ?? lines[0];
  if (line === undefined) return [];
  const read = parseRegistration(line, target);
  // Anybody can write a project's settings: only a command that `install` would write is run.
  if (read === null)
    return [doubtful(name, "the registered command was not written by hookctl install, so it was not tested", null)];
  const { program } = read;
  const { shell, found, chatter } = await lookUp(program, target, host);
  if (found === null) return [broken(name, `${shell} does not find ${program}: ${consequence(target, read)}`, again)];
  if (found === "")
    return [
      broken(
        name,
        `${shell} ends before it looks for ${program}: no hook runs`,
        "Remove what ends it from its profile.",
      ),
    ];
  if (chatter !== "") {
    const detail = `${shell} prints text before the response, which makes it unreadable: ${chatter}`;
    return [broken(name, detail, "Print in your shell profile only if the shell is interactive.")];
  }
  const launched = launchedBy(found, target);
  if (launched === null)
    return [broken(name, `${found} is not as hookctl install wrote it: ${consequence(target, read)}`, again)];
  const started = launched ?? [found];
  const missing = started.find((path) => !existsSync(path));
  if (missing !== undefined) {
    return [broken(name, `${found} starts ${missing}, which does not exist: ${consequence(target, read)}`, again)];
  }
  const replaceable = target.scope === "machine" ? (replaceablePart([found]) ?? replaceablePart(started)) : null;
  if (replaceable !== null) {
    const { path, cause } = replaceable;
    return [broken(name, `not only root can change what it starts: ${path}: ${cause}`, again)];
  }
  if (!mayBeTried({ program, found, started }, target, host)) {
    const leads = started.join(" ");
    return [doubtful(name, `${program} leads to ${leads}, which is another installation, so it was not tested`, again)];
  }
  const trial =
    callLine === undefined
      ? doubtful(
          `${agent.name} bridge`,
          `not tested: no command is registered for ${agent.sampleShellCall.event} in ${target.shown}`,
          null,
        )
      : await probeRegistration(callLine.command, target, host);
  return [fine(name, `${shell} finds ${program}`), ...launcherChecks(found, target), trial];
}

/** An ordinary upgrade changes the files that the launcher starts, and so does a person or a program that replaces them. */
function launcherChecks(found: string, target: InstallTarget): readonly Checkup[] {
  const text = isLauncher(found, target) ? presentText(found, found) : null;
  const content = (text?.ok === true ? text.value : null) ?? "";
  const program = launchedProgram(content);
  if (program === null) return [];
  const name = `${target.agent.name} launcher`;
  const again = commandFor("install", target);
  const changed = changedSinceInstall(content, program);
  const unsafe = changed.find(({ isUnsafe }) => isUnsafe);
  if (unsafe !== undefined) {
    const detail = `${unsafe.path}, which ${found} starts, has another owner since the install, or everybody may write it`;
    return [broken(name, detail, `Check that file, then reinstall: ${again}`)];
  }
  const files = changed.map(({ path }) => path).join(", ");
  const upgraded = `changed since the install: ${files}`;
  return changed.length === 0 ? [] : [doubtful(name, upgraded, `If you upgraded it: ${again}`)];
}

/** The program of a launcher; null if its file has another content; undefined if the found program is no launcher. */
function launchedBy(found: string, target: InstallTarget): readonly string[] | null | undefined {
  if (!isLauncher(found, target)) return undefined;
  const text = presentText(found, found);
  return text.ok ? launchedProgram(text.value ?? "") : null;
}

function consequence(
  { agent: { title, withoutProgram }, scope }: InstallTarget,
  { failClosed }: ParsedRegistration,
): string {
  if (failClosed) return "the registration then blocks every call";
  if (scope === "project") return "the registration then allows every call, and says what to install";
  if (withoutProgram === "allows") return `${title} then allows every call`;
  return withoutProgram === "blocks" ? `${title} then blocks every call` : `it is not known what ${title} does then`;
}

interface FoundProgram {
  readonly program: string;
  readonly found: string;
  readonly started: readonly string[];
}

/** True for this hookctl or the one on the user's PATH; never for a file of the project. */
function mayBeTried({ program, found, started }: FoundProgram, { projectDir }: InstallTarget, host: Host): boolean {
  const own = [HOOKCTL_FILE, process.execPath, ...nativeBeside(host)].map(realPathOrSame);
  const last = started.at(-1) ?? found;
  if (started.every((path) => own.includes(realPathOrSame(path))) && last !== process.execPath) return true;
  const real = realPathOrSame(found);
  return program === "hookctl" && isAbsolute(found) && !isInside(projectDir, found) && !isInside(projectDir, real);
}

interface LookUp {
  readonly shell: string;
  /** The path that the shell found, or null. */
  readonly found: string | null;
  /** Output of the shell itself, for example from a profile. */
  readonly chatter: string;
}

/** Resolves the program in the shell that the agent uses. */
async function lookUp(program: string, target: InstallTarget, host: Host): Promise<LookUp> {
  const { termination, stdout } = await runInAgentShell(`command -v ${program}`, target, host);
  const isFound = termination.kind === "exited" && termination.exitCode === 0;
  const chatter = new TextDecoder().decode(stdout).trim().split("\n").slice(0, -1).join(" ");
  return { shell: agentShell(target, host).join(" "), found: isFound ? lastLine(stdout) : null, chatter };
}

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
async function probeRegistration(command: string, target: InstallTarget, host: Host): Promise<Checkup> {
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
 * Uses the agent's shell, with the variables by which other code could run in the place of the line. A login shell reads the
 * user's profile first. Otherwise only PATH is inherited, without the project's folders.
 */
function runRegistration(command: string, input: string, { target, scratch, host }: Probe): Promise<ProcessOutcome> {
  const { agent } = target;
  const { home, work } = scratch;
  const variable = agent.projectVariable === null ? {} : { [agent.projectVariable]: work };
  const caller = callerEnvironment(target, host);
  const [file, flag] = agentShell(target, host);
  const isLogin = flag === "-lc";
  const own = { TMPDIR: scratch.env.TMPDIR ?? home, ...variable };
  const loaders = Object.fromEntries(Object.entries(host.env).filter(([name]) => isLoader(name)));
  const env = { ...loaders, ...(isLogin ? caller : { PATH: caller.PATH ?? "", HOME: home }), ...own };
  const folders = isLogin ? `export ${OWN_FOLDERS.map((name) => `${name}=${shellQuote(home)}`).join(" ")}; ` : "";
  return runForHookctl(
    {
      file,
      args: [flag, `${folders}${command}`],
      input,
      cwd: work,
      env,
      stdoutLimitBytes: 1024 * 1024,
    },
    host,
  );
}

/** The answer, without the proof that the line of a module passes on. */
const printed = ({ stdout }: ProcessOutcome): string => new TextDecoder().decode(stdout).replace(PROOF_AT_END, "");
const PROOF_AT_END = new RegExp(`${PROOF}$`);
const hasEnded = ({ termination }: ProcessOutcome): boolean =>
  termination.kind === "exited" && termination.exitCode === 0;

function whatCame(outcome: ProcessOutcome): string {
  const firstLine = (printed(outcome).trim() || outcome.stderr.trim()).split("\n")[0] ?? "";
  return firstLine === "" ? endingText(outcome.termination) : `${endingText(outcome.termination)}, ${firstLine}`;
}

function endingText(ending: Termination): string {
  if (ending.kind === "exited") return `it exited with code ${ending.exitCode}`;
  return ending.kind === "timed-out" ? `it took more than ${ending.afterMs} ms` : `it was ${ending.kind}`;
}
