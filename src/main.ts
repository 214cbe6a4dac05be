import { hotParse } from "./cli/hot-parse.ts";
import { faultDetail, refuse } from "./cli/output.ts";
import { dispatch } from "./commands/dispatch.ts";
import type { Host } from "./host.ts";
import { EXIT } from "./protocol/exit-code.ts";
import { escapeControls } from "./protocol/text.ts";

export { createHost } from "./host.ts";

/** The hot entry: `run`, `list` and `bridge` straight away, everything else through `cli.ts`. Gives the exit code. */
export async function main(host: Host): Promise<number> {
  if (host.platform === "win32") return refuse({ code: "PLATFORM_UNSUPPORTED", platform: "Windows" }, host);
  try {
    const line = hotParse(host.argv);
    if (line !== null) return await dispatch(line, host);
    const { cli } = await import("./cli.ts");
    return await cli(host);
  } catch (error) {
    return fault(error, host);
  }
}

/** A fault of our own: never a stack trace for the user, never an exit code that lets the caller go on. */
export async function fault(error: unknown, host: Host): Promise<number> {
  const detail = faultDetail(error);
  try {
    return await refuse({ code: "INTERNAL_FAULT", detail }, host);
  } catch {
    // Not even the words could be loaded: the same trouble, such as too many open files, that brought us here.
    host.err(`✖ Internal error in hookctl: ${escapeControls(detail)} (INTERNAL_FAULT)\n`);
    return EXIT.fault;
  }
}
