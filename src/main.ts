import { type CommandResult, faultDetail, inCommand, print, reportProblem } from "./cli/command-result.ts";
import type { AnyCommandLine, Commands } from "./cli/command-table.ts";
import { onScreen } from "./cli/on-screen.ts";
import { asksForJson, type ParsedLine, parseCommandLine } from "./cli/parse.ts";
import { coreCommands } from "./commands/core-commands.ts";
import type { Host } from "./engine/host.ts";
import { EXIT, exitCodeOf, signalExitCode } from "./protocol/exit-code.ts";
import type { Problem } from "./protocol/problem.ts";
import { attempt, isProblemError, unwrap } from "./protocol/result.ts";
import { escapeControls } from "./protocol/text/text.ts";

export { createHost } from "./host.ts";

/** The entry of the program: parses the command line and executes its command. Returns the exit code. */
export async function main(host: Host): Promise<number> {
  return host.argv.includes("--json") ? answerWithJson(host) : answer(host);
}

/** With `--json` stdout is not empty when a command fails: without an answer it holds the problem. */
async function answerWithJson(host: Host): Promise<number> {
  let ending: Problem | null = null;
  let hasAnswer = false;
  const exitCode = await answer({
    ...host,
    out: (text) => {
      hasAnswer ||= text !== "";
      return host.out(text);
    },
    reported: (problem) => {
      ending = problem;
    },
  });
  if (ending !== null && !hasAnswer && asksForJson(host.argv, await allCommands())) {
    const { problemJson } = await import("./report/problem-text.ts");
    host.out(`${problemJson(ending)}\n`);
  }
  return exitCode;
}

/** On a terminal with a pager for a long answer, which other callers do not load. */
async function answer(host: Host): Promise<number> {
  if (host.stdoutColumns() === null || host.argv.includes("--json")) return answerOn(host, () => undefined);
  return (await import("../packages/scripting/paged.ts")).paged(host, answerOn);
}

async function answerOn(outside: Host, hold: () => void): Promise<number> {
  const host = await onScreen(outside, allCommands);
  const call = { host, hold, out: outside.out };
  if (host.platform === "win32") return reportProblem({ code: "PLATFORM_UNSUPPORTED", platform: "Windows" }, host);
  try {
    // The commands that agents call need no row of the others.
    const core = parseCommandLine(host.argv, coreCommands);
    if (core.ok && core.value.kind === "call") return await dispatch(core.value.line, coreCommands, call);
    const commands = await allCommands();
    const parsed = parseCommandLine(host.argv, commands);
    if (!parsed.ok) return mustBlock(host.argv, await reportProblem(parsed.error, host));
    if (parsed.value.kind === "call") return await dispatch(parsed.value.line, commands, call);
    hold();
    return await exitOf(print(await textOf(parsed.value, commands, host), host), true, host);
  } catch (error) {
    return fault(error, host);
  }
}

/** The text of `--help` or `--version`. */
async function textOf(asked: Exclude<ParsedLine, { kind: "call" }>, commands: Commands, host: Host): Promise<string> {
  if (asked.kind === "version") return (await import("./cli/version.ts")).versionText();
  const { helpText } = await import("../packages/scripting/help/help-text.ts");
  const { layOut } = await import("../packages/screen/index.ts");
  // Unlike an answer it is no record for `grep`, so that it has lines in a pipe too.
  const columns = host.stdoutColumns() ?? (Number(host.env.COLUMNS) || 80);
  return layOut(await helpText(asked.topic, commands), { columns, isAscii: false });
}

const allCommands = async (): Promise<Commands> => (await import("./command-groups.ts")).allCommands();

/** A registered fail-closed bridge also blocks when its command line is wrong. */
const mustBlock = (argv: readonly string[], exitCode: number): number =>
  argv.includes("bridge") && argv.includes("--fail-closed") ? EXIT.blocked : exitCode;

/** Reports a fault in hookctl without a stack trace, and with an exit code that no caller takes for success. */
export async function fault(error: unknown, host: Host): Promise<number> {
  const detail = faultDetail(error);
  try {
    if (isProblemError(error)) return await reportProblem(error.problem, host);
    return await reportProblem({ code: "INTERNAL_FAULT", detail }, host);
  } catch {
    // The messages could not be loaded either, for example because of too many open files.
    host.err(`✖ Internal error in hookctl: ${escapeControls(detail)} (INTERNAL_FAULT)\n`);
    return EXIT.fault;
  }
}

/** Calls of agents and scripts write to pipes, and load nothing for a terminal. */
const withWaits = async (host: Host, isQuiet: boolean): Promise<Host> =>
  host.stderrColumns() === null ? host : (await import("../packages/screen/index.ts")).showingWaits(host, isQuiet);

/** Where a command prints. */
interface Call {
  readonly host: Host;
  /** Holds the output until the command ends, for a pager. */
  readonly hold: () => void;
  /** Prints without a layout. */
  readonly out: Host["out"];
}

/** Executes a command and reports the problem that ended it. Returns the exit code. */
async function dispatch(line: AnyCommandLine, commands: Commands, { host, hold, out }: Call): Promise<number> {
  const command = commands[line.command];
  if (command === undefined) throw new Error(`the command ${line.command} has no code`);
  const execute = await command.load();
  if (command.isPaged === true) hold();
  const isText = command.hasProtocol !== true && command.isData !== true;
  const shown = isText ? await withWaits(host, line.options.quiet) : { ...host, out };
  const ended = await attempt(async () => unwrap(await execute(line, shown, commands)));
  return exitOf(ended, command.isPaged === true, host, line);
}

/** The exit code of what ended, whose problem is reported. A reader may leave a text early, as `head` does. */
function exitOf(ended: CommandResult, isRead: boolean, host: Host, line?: AnyCommandLine): number | Promise<number> {
  if (ended.ok) return ended.value;
  if (isRead && ended.error.code === "OUTPUT_LOST" && ended.error.cause === "EPIPE") return EXIT.ok;
  const signal = host.interrupt.raised();
  // Ctrl-C at a question is neither a wrong command line nor a refusal.
  const isUnanswered = [EXIT.usage, EXIT.notApproved].some((code) => code === exitCodeOf(ended.error));
  if (signal !== null && isUnanswered) return signalExitCode(signal);
  return reportProblem(inCommand(ended.error, line?.command), host, line?.options);
}
