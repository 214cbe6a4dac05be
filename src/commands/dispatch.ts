import type { HotLine } from "../cli/hot-parse.ts";
import { readListOptions } from "../cli/list-options.ts";
import { refuse } from "../cli/output.ts";
import { readRunOptions } from "../cli/run-options.ts";
import type { Host } from "../host.ts";
import { run } from "./run/run.ts";

/** Carries out a line that either parser took apart. */
export async function dispatch(line: HotLine, host: Host): Promise<number> {
  if (line.command === "list") {
    const { list } = await import("./list.ts");
    const options = readListOptions(line);
    return options.ok ? list(options.value, host) : refuse(options.error, host);
  }
  if (line.command === "bridge") {
    const { bridge } = await import("./bridge.ts");
    return bridge(line, host);
  }
  const options = readRunOptions(line, host);
  if (!options.ok) return refuse(options.error, host);
  if (!options.value.dryRun) return run(options.value, host);
  const { dryRun } = await import("./run/dry-run.ts");
  return dryRun(options.value, host);
}
