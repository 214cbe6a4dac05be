import type { CommandResult } from "../../../src/cli/command-result.ts";
import type { CommandLine } from "../../../src/cli/command-table.ts";
import type { Host } from "../../../src/engine/host.ts";
import { testOnce } from "./test-once.ts";

/** Tests hooks once, or with `--watch` again whenever a file is saved. */
export async function test(line: CommandLine<"test">, host: Host): Promise<CommandResult> {
  if (!line.options.isWatching) return testOnce(line, host);
  const { watchTests } = await import("./test-watch.ts");
  return watchTests(line, host);
}
