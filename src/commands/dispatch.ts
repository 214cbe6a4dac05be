import type { World } from "../world.ts";
import type { RawLine } from "./flag-table.ts";
import { readListFlags } from "./list-flags.ts";
import { run } from "./run.ts";
import { readRunFlags } from "./run-flags.ts";
import { refuse } from "./start.ts";

/** The verbs on the hot path. */
export type HotLine = RawLine & { readonly verb: "run" | "list" | "bridge" };

/** Carries out a line that either parser took apart. */
export async function dispatch(line: HotLine, world: World): Promise<number> {
  if (line.verb === "list") {
    const { list } = await import("./list.ts");
    const flags = readListFlags(line);
    return flags.ok ? list(flags.value, world) : refuse(flags.error, world);
  }
  if (line.verb === "bridge") {
    const { bridge } = await import("./bridge.ts");
    return bridge(line, world);
  }
  const flags = readRunFlags(line, world);
  if (!flags.ok) return refuse(flags.error, world);
  if (!flags.value.dryRun) return run(flags.value, world);
  const { plan } = await import("./plan.ts");
  return plan(flags.value, world);
}
