import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { AGENT_COMMANDS } from "./cli/agent-commands.ts";
import { type CommandResult, faultDetail, inCommand, reportProblem } from "./cli/command-result.ts";
import type { AnyCommandLine } from "./cli/parse.ts";
import { readRunOptions } from "./cli/run-options.ts";
import { readCall } from "./cli/scan.ts";
import { run } from "./commands/run/run.ts";
import type { Host } from "./host.ts";
import { EXIT } from "./protocol/exit-code.ts";
import type { Problem } from "./protocol/problem.ts";
import { attempt, isProblemError, ok } from "./protocol/result.ts";
import { escapeControls } from "./protocol/text/text.ts";

export { createHost } from "./host.ts";

/** The entry of the program: parses the command line and executes its command. Returns the exit code. */
export async function main(outside: Host): Promise<number> {
  const host = isOnlyInNpm(outside.env) ? await withNpxHints(outside) : outside;
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
  if (ending !== null && !hasAnswer) (await import("./cli/json-problem.ts")).printProblemJson(ending, host);
  return exitCode;
}

async function answer(host: Host): Promise<number> {
  if (host.platform === "win32") return reportProblem({ code: "PLATFORM_UNSUPPORTED", platform: "Windows" }, host);
  try {
    const call = readCall(host.argv, AGENT_COMMANDS);
    // The type is right because the values were read by the command's rows.
    if (call !== null) return await dispatch(call as AnyCommandLine, host);
    const line = (await import("./cli/parse.ts")).parseCommandLine(host.argv);
    if (!line.ok) return mustBlock(host.argv, await reportProblem(line.error, host));
    if (line.value.command !== "help" && line.value.command !== "version") return await dispatch(line.value, host);
    const { helpText, versionText } = await import("./cli/help.ts");
    host.out(line.value.command === "help" ? helpText(line.value.topic) : versionText());
    return EXIT.ok;
  } catch (error) {
    return fault(error, host);
  }
}

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

/** Hints that say `npx hookctl`, for a user who starts hookctl through npm and has no `hookctl` on the PATH. */
async function withNpxHints(host: Host): Promise<Host> {
  const { COMMAND_NAMES } = await import("./cli/command-table.ts");
  // A registered `hookctl bridge` is no hint: it is shown as it is.
  const shown = COMMAND_NAMES.filter((name) => name !== "bridge");
  return {
    ...host,
    err: (text) => host.err(npxForm(text, COMMAND_NAMES)),
    // JSON and what goes to a program stay as they are.
    out: (text) => host.out(host.isStdoutTerminal() && !/^[[{"]/.test(text) ? npxForm(text, shown) : text),
  };
}

/** npm puts folders of its own in front of the PATH, which the user's shell does not have. */
function isOnlyInNpm({ npm_execpath, PATH = "" }: Host["env"]): boolean {
  if (npm_execpath === undefined) return false;
  const folders = PATH.split(delimiter).filter((folder) => !folder.includes("node_modules"));
  return !folders.some((folder) => folder !== "" && existsSync(join(folder, "hookctl")));
}

/** The text with `npx` before each command line of hookctl. */
const npxForm = (text: string, commands: readonly string[]): string =>
  text.replace(new RegExp(`(?<![\\w./-]|npx )hookctl (?=(?:${commands.join("|")}|--help)\\b)`, "g"), "npx hookctl ");

/** Executes a command and reports the problem that ended it. Returns the exit code. */
async function dispatch(line: AnyCommandLine, host: Host): Promise<number> {
  const attempted = await attempt(() => execute(line, host));
  const ended = attempted.ok ? attempted.value : attempted;
  return ended.ok ? ended.value : reportProblem(inCommand(ended.error, line.command), host);
}

/** The commands that agents call are handled here, so that they do not load the table of the others. */
async function execute(line: AnyCommandLine, host: Host): Promise<CommandResult> {
  if (line.command === "list") return (await import("./commands/list.ts")).list(line.options, host);
  if (line.command === "status") return (await import("./commands/log/status.ts")).status(line.options, host);
  if (line.command === "bridge") return ok(await (await import("./commands/bridge.ts")).bridge(line, host));
  if (line.command === "completion")
    return (await import("./commands/completion/completion.ts")).completion(line, host);
  if (line.command !== "run") return (await import("./commands/command-handlers.ts")).executeRare(line, host);
  const options = readRunOptions(line, host);
  if (!options.ok) return options;
  if (!options.value.dryRun) return run(options.value, host);
  return (await import("./commands/run/dry-run.ts")).dryRun(options.value, host);
}
