import { PLAIN, type Style } from "../report/style.ts";
import type { World } from "../world.ts";
import type { Flags } from "./flags.ts";

/** How the answer on stdout is dressed: colour for a terminal, or where it was asked for. */
export async function styleFor(flags: Flags, world: World): Promise<Style> {
  const { env } = world;
  const isWanted =
    flags.color === "always" ||
    (flags.color === "auto" && (env.FORCE_COLOR ?? "0") !== "0") ||
    (flags.color === "auto" && env.NO_COLOR === undefined && env.TERM !== "dumb" && world.isStdoutTerminal());
  if (!isWanted) return PLAIN;
  const { colours } = await import("../report/colour.ts");
  return colours();
}
