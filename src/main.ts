import { withNpxHints } from "./cli/npx-hints.ts";
import { faultDetail, reportProblem } from "./cli/output.ts";
import { parseCommandLine } from "./cli/parse.ts";
import { dispatch } from "./commands/dispatch.ts";
import type { Host } from "./host.ts";
import { EXIT } from "./protocol/exit-code.ts";
import { escapeControls } from "./protocol/text.ts";

export { createHost } from "./host.ts";

/** The entry of the program: parses the command line and executes its command. Returns the exit code. */
export async function main(outside: Host): Promise<number> {
  const host = withNpxHints(outside);
  if (host.platform === "win32") return reportProblem({ code: "PLATFORM_UNSUPPORTED", platform: "Windows" }, host);
  try {
    const line = parseCommandLine(host.argv);
    if (!line.ok) return mustBlock(host.argv, await reportProblem(line.error, host));
    if (line.value.command !== "help" && line.value.command !== "version") return await dispatch(line.value, host);
    const { helpText, versionText } = await import("./cli/help.ts");
    host.out(line.value.command === "help" ? helpText(line.value.topic) : versionText());
    return EXIT.ok;
  } catch (error) {
    return fault(error, host);
  }
}

/** A registered bridge that must block when hookctl fails blocks also when its command line cannot be read. */
const mustBlock = (argv: readonly string[], exitCode: number): number =>
  argv.includes("bridge") && argv.includes("--fail-closed") ? EXIT.blocked : exitCode;

/** A fault of our own: never a stack trace for the user, never an exit code that lets the caller go on. */
export async function fault(error: unknown, host: Host): Promise<number> {
  const detail = faultDetail(error);
  try {
    return await reportProblem({ code: "INTERNAL_FAULT", detail }, host);
  } catch {
    // Not even the words could be loaded: the same trouble, such as too many open files, that brought us here.
    host.err(`✖ Internal error in hookctl: ${escapeControls(detail)} (INTERNAL_FAULT)\n`);
    return EXIT.fault;
  }
}
