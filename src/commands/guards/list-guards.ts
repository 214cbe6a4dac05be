import { type CommandResult, print } from "../../cli/command-result.ts";
import type { CommandLine } from "../../cli/command-table.ts";
import { stdoutStyle } from "../../cli/stream-style.ts";
import { createRunContext } from "../../engine/create-run-context.ts";
import { offReason } from "../../engine/hooks/paused-hooks.ts";
import { GUARDS } from "../../guards/guards.ts";
import type { Host } from "../../host.ts";
import { fail } from "../../protocol/result.ts";
import { type GuardState, guardsJson, guardsText } from "../../report/guards-text.ts";

/** `hookctl guards`: the built-in guards with their state. */
export async function listGuards({ options }: CommandLine<"guards">, host: Host): Promise<CommandResult> {
  const started = await createRunContext(options, host, false);
  if (!started.ok) return started;
  const { context, loaded } = started.value;
  const [problem] = loaded.problems;
  if (problem !== undefined) return fail(problem);
  const states = Object.values(GUARDS).map(({ name, about, rules }): GuardState => {
    const on = context.settings.guards.find((guard) => guard.name === name) ?? null;
    return { name, about, rules, on, paused: on === null ? null : (offReason(on, context)?.reason ?? null) };
  });
  if (options.json) return print(`${guardsJson(states)}\n`, host);
  return print(guardsText(states, await stdoutStyle(options, host)), host);
}
