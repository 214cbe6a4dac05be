import { dispatch } from "./commands/dispatch.ts";
import { hotParse } from "./commands/hot-parse.ts";
import { faultDetail, refuse } from "./commands/start.ts";
import { EXIT } from "./protocol/exit-code.ts";
import { safeText } from "./protocol/text.ts";
import type { World } from "./world.ts";

export { worldOf } from "./world.ts";

/** The hot entry: `run`, `list` and `bridge` straight away, everything else through `cli.ts`. Gives the exit code. */
export async function main(world: World): Promise<number> {
  if (world.platform === "win32") return refuse({ code: "PLATFORM_UNSUPPORTED", platform: "Windows" }, world);
  try {
    const line = hotParse(world.argv);
    if (line !== null) return await dispatch(line, world);
    const { cli } = await import("./cli.ts");
    return await cli(world);
  } catch (error) {
    return fault(error, world);
  }
}

/** A fault of our own: never a stack trace for the user, never an exit code that lets the caller go on. */
export async function fault(error: unknown, world: World): Promise<number> {
  const detail = faultDetail(error);
  try {
    return await refuse({ code: "INTERNAL_FAULT", detail }, world);
  } catch {
    // Not even the words could be loaded: the same trouble, such as too many open files, that brought us here.
    world.err(`✖ This is a fault in hookctl: ${safeText(detail)} (INTERNAL_FAULT)\n`);
    return EXIT.fault;
  }
}
