import type { HookProblem, HostProblem, Problem } from "../problem.ts";
import { pluralize } from "../text/count.ts";
import { crashText, findCrash } from "../text/crash.ts";
import { quoteHookNames, shellQuote } from "../text/shell-quote.ts";
import { listNames, MAX_LISTED_NAMES, truncate } from "../text/text.ts";
import { formatDuration } from "../text/units.ts";
import { describeUnsafePaths, fixCommand, NO_USABLE_HOME, placeHint } from "../unsafe-path.ts";

/** Fields of the messages that a problem does not have as they are shown, or that choose between two messages. */
export function derivedFields(problem: Problem): Readonly<Record<string, unknown>> {
  switch (problem.code) {
    case "USAGE_UNKNOWN_FLAG":
      return { command: problem.verb === null ? "" : `${problem.verb} ` };
    case "USAGE_BAD_VALUE":
      return { command: problem.command === undefined ? "" : `${problem.command} ` };
    case "USAGE_UNKNOWN_PATH": {
      const { tool, otherTool, nearest } = problem;
      if (tool !== null && nearest === null)
        return { known: "no", tool: tool.name, takes: tool.takes.join(", "), otherTool: otherTool ?? "NAME" };
      const isArgument = nearest?.startsWith("tool_input.") === true;
      const isOther = otherTool !== null && tool === null && otherTool !== "bash" && isArgument;
      return { known: isOther ? "other tool" : "field" };
    }
    case "USAGE_UNKNOWN_RUN": {
      const { run, session } = problem;
      if (run !== "") return { asked: session === null ? "run" : "run of session" };
      return { asked: session !== null ? "session" : problem.isConnected ? "connected" : "any" };
    }
    case "USAGE_AMBIGUOUS_RUN":
      return { many: problem.count ?? "Many" };
    case "PAYLOAD_MISSING": {
      const { event, file, why, tryThis = `hookctl payload ${event} | hookctl run ${event}` } = problem;
      return { where: file === undefined ? why : "file", tryThis };
    }
    case "PAYLOAD_TOO_LARGE":
      return { limit: problem.limitBytes / 1_048_576 };
    case "PAYLOAD_NOT_JSON":
    case "PAYLOAD_NOT_OBJECT":
      // A payload that cannot be read may not name its event; most hooks handle before_tool_call.
      return { event: problem.event ?? "before_tool_call" };
    case "PAYLOAD_FIELD_VALUE":
      return { allowed: problem.values.join(" or ") };
    case "PAYLOAD_AMBIGUOUS": {
      const [one = "", other = ""] = (problem.keys ?? []).map((key) => truncate(key, 60));
      const differ = `"${one}" and "${other}" mean the same and differ`;
      return { contradiction: problem.keys === null ? "one key occurs twice" : differ };
    }
    case "REPLY_NOT_JSON":
      return { excerpt: JSON.stringify(truncate(problem.text, 60)) };
    case "PACK_UNKNOWN_REVISION":
      return { add: shellQuote(truncate(problem.source, 200)) };
    case "PACK_MODIFIED":
      return { list: listNames(problem.files) };
    case "EXPORT_UNREACHABLE":
      return { wait: problem.waitMs === null ? "" : `, and asks to wait ${formatDuration(problem.waitMs)}` };
    case "EXPORT_REFUSED":
      return { variable: problem.signal.toUpperCase() };
    case "TRUST_STORE_NOT_READ": {
      const { path, cause } = problem;
      // The cause may already start with the path, and without HOME there is no path.
      return { where: path === "" || cause.startsWith("/") ? cause : `${path}: ${cause}` };
    }
    case "TRUST_STORE_MISSING":
      return { place: placeHint(problem.detail) };
    case "TRUST_UNSAFE_PLACE":
      return { unsafe: describeUnsafePaths(problem), command: fixCommand(problem) };
    case "PROTECTION_WEAKENED":
      return { lost: problem.changes.join("; ") };
    case "NOTHING_TO_TEST":
      return nothingToTest(problem);
    case "NOTHING_RECORDED":
      return {
        counted: pluralize(problem.files, "file"),
        next: problem.unread[0] ?? "Name files: hookctl replay --agents FILES",
      };
    case "AGENT_SETTINGS_NOT_PARSED":
      return { at: problem.line === null ? "" : `line ${problem.line}: ` };
    default:
      return isHookProblem(problem) ? hookFields(problem) : {};
  }
}

const isHookProblem = (problem: Problem): problem is HookProblem => problem.code.startsWith("HOOK_");

function nothingToTest(problem: Extract<HostProblem, { readonly code: "NOTHING_TO_TEST" }>) {
  if (problem.why === "off") return { found: "off" };
  if (problem.why === "empty") {
    const folder = problem.place === "." ? "this folder" : truncate(problem.place, 200);
    return { found: problem.place === "" ? "nothing" : "empty", folder };
  }
  const names = problem.hooks.map((name) => truncate(name, 80));
  return {
    found: problem.why,
    hooksAre: pluralize(names.length, "hook is", "hooks are"),
    list: listNames(names),
    them: names.length === 1 ? "it" : "them",
    names: quoteHookNames(names.slice(0, MAX_LISTED_NAMES)),
  };
}

function hookFields(problem: HookProblem): Readonly<Record<string, unknown>> {
  const { asked = "run" } = problem;
  const named = { asked, hook: asked === "run" ? problem.hook : `\`${problem.hook} ${asked}\`` };
  switch (problem.code) {
    case "HOOK_TIMED_OUT":
      return { ...named, limit: problem.byDeadline ? "deadline" : asked, children: childrenKilled(problem.ended) };
    case "HOOK_EXITED":
      return { ...named, cause: causeOf(problem), because: becauseOf(problem) ?? asked };
    case "HOOK_REFUSED_UNSAFE":
      return { ...named, unsafe: describeUnsafePaths(problem), command: fixCommand(problem) };
    case "HOOK_REFUSED_SANDBOX": {
      const isInstalled = !problem.cause.includes("bwrap is not installed");
      return { ...named, because: problem.settingsFile === null ? "grants" : isInstalled ? "other" : "not installed" };
    }
    case "HOOK_REFUSED_CHANGED": {
      const cure = problem.fix === undefined ? "approval" : "other";
      return { ...named, cure, list: problem.changes.join(", "), advice: ownWriting(problem.changes) };
    }
    case "HOOK_REFUSED_STORE": {
      const { cause } = problem;
      const isPlace = cause === NO_USABLE_HOME || cause.startsWith("/");
      return { ...named, because: isPlace ? "place" : "file", place: placeHint(cause) };
    }
    default:
      return named;
  }
}

const childrenKilled = (count: number): string =>
  count === 0 ? "" : count === 1 ? "; its child process was killed" : `; its ${count} child processes were killed`;

type Exited = Extract<HookProblem, { readonly code: "HOOK_EXITED" }>;

function causeOf({ exitCode, stderr, asked }: Exited): string {
  const crash = findCrash(stderr);
  if (crash !== null) return `, ${crashText({ ...crash, message: truncate(crash.message, 160) })}`;
  const asElsewhere =
    exitCode === 2 && asked === undefined ? " (other agents read exit 2 as a block; here it is a failure)" : "";
  return asElsewhere + lastLine(stderr);
}

/** Lines that follow an error's message: its stack, its fields and the version of Node. */
const BELOW_ERROR = /^(\s|$|[}\]]|Node\.js v)/;

function lastLine(stderr: string): string {
  const lines = stderr.trim().split("\n");
  const line = lines.findLast((one) => !BELOW_ERROR.test(one)) ?? lines.at(-1) ?? "";
  return line === "" ? "" : `, ${truncate(line, 160)}`;
}

/** Shells and `env` exit with this code if a command was not found. */
const COMMAND_NOT_FOUND = 127;
/** `$'\r': command not found`, `env: 'bash\r'`, or the character itself before a quote or a colon. */
const NAMES_A_CARRIAGE_RETURN = /\\r['’]|\r['’"]?:/;

function becauseOf({ exitCode, stderr }: Exited): string | null {
  if (NAMES_A_CARRIAGE_RETURN.test(stderr)) return "crlf";
  return exitCode === COMMAND_NOT_FOUND ? "not found" : null;
}

/** A hook that writes to one of its approved files would be a changed hook after every run. */
const ownWriting = (changes: readonly string[]): string =>
  changes.some((change) => /^the (?:helper|file) /.test(change))
    ? " A hook should write its own files to .kodelet/state."
    : "";
