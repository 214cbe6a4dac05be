import { type CommandResult, print } from "../../../../src/cli/command-result.ts";
import type { CommandLine } from "../../../../src/cli/command-table.ts";
import { stdoutStyle } from "../../../../src/cli/stream-style.ts";
import { createCheckedContext } from "../../../../src/engine/create-run-context.ts";
import { offReason } from "../../../../src/engine/hooks/select-hooks.ts";
import type { Host } from "../../../../src/engine/host.ts";
import { unwrap } from "../../../../src/protocol/result.ts";
import { warningLines } from "../../../../src/report/warning-lines.ts";
import { guardPlace } from "../../../guard-hooks/guard-place.ts";
import { allUnknownRules } from "../../../guard-hooks/rule-checks.ts";
import { EXAMPLES } from "../../../guards/examples.ts";
import { GUARDS } from "../../../guards/guards.ts";
import { withAddedRules } from "../../../guards/rules/added-rules.ts";
import { cageState } from "../../doctor/cage-state.ts";
import { ruleStates } from "../../report/guard-rules-text.ts";
import { type GuardState, guardsJson, guardsText } from "../../report/guards-text.ts";
import { guardsNamed } from "./switches-named.ts";

/** `hookctl guards [NAME…]`: the built-in guards with their state; of those named also the rules and examples. */
export async function listGuards({ args, options }: CommandLine<"guards">, host: Host): Promise<CommandResult> {
  const { context } = unwrap(await createCheckedContext(options, host, false));
  const named = unwrap(guardsNamed(args));
  const { guards } = guardPlace(context);
  host.err(warningLines(await allUnknownRules(context)));
  const shown = Object.values(GUARDS).filter(({ name }) => named.length === 0 || named.includes(name));
  const states = shown.map((guard): GuardState => {
    const { name, about } = guard;
    const on = guards.find((one) => one.name === name) ?? null;
    const paused = on === null ? null : (offReason(on, context)?.reason ?? null);
    const examples = named.length > 0 ? EXAMPLES[name] : null;
    return { name, about, rules: ruleStates(withAddedRules(guard, on?.added), on), examples, on, paused };
  });
  if (options.json) return print(`${guardsJson(states)}\n`, host);
  const paths = { cwd: host.cwd, homeDir: context.scopes.homeDir };
  const style = await stdoutStyle(options, host);
  const cage = named.length > 0 ? null : cageState(context, host);
  const view = { paths, hasRules: named.length > 0, isFull: options.verbosity > 0, cage: cage?.mode ?? null };
  return print(guardsText(states, view, style), host);
}
