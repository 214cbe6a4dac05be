import { faultDetail, reportProblem } from "./cli/command-result.ts";
import { withNpxHints } from "./cli/npx-hints.ts";
import { parseCommandLine } from "./cli/parse.ts";
import { dispatch } from "./commands/dispatch.ts";
import type { Host } from "./host.ts";
import { EXIT } from "./protocol/exit-code.ts";
import { escapeControls } from "./protocol/text/text.ts";

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

/** A registered fail-closed bridge also blocks when its command line is wrong. */
const mustBlock = (argv: readonly string[], exitCode: number): number =>
  argv.includes("bridge") && argv.includes("--fail-closed") ? EXIT.blocked : exitCode;

/** Reports a fault in hookctl without a stack trace, and with an exit code that no caller takes for success. */
export async function fault(error: unknown, host: Host): Promise<number> {
  const detail = faultDetail(error);
  try {
    return await reportProblem({ code: "INTERNAL_FAULT", detail }, host);
  } catch {
    // The messages could not be loaded either, for example because of too many open files.
    host.err(`✖ Internal error in hookctl: ${escapeControls(detail)} (INTERNAL_FAULT)\n`);
    return EXIT.fault;
  }
}
