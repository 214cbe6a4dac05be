import { warningText } from "../contract/warning.ts";
import { planJson, planText } from "../report/plan-text.ts";
import { PLAIN } from "../report/style.ts";
import { hooksFor } from "../runtime/answer.ts";
import { everythingFound } from "../runtime/everything-found.ts";
import { gatherHooks } from "../runtime/roster.ts";
import { unknownChoice } from "../runtime/unknown-choice.ts";
import type { World } from "../world.ts";
import type { RunFlags } from "./run-flags.ts";
import { print, refuse, start } from "./start.ts";

/** `run --dry-run`: what would be started, in which order. Starts nothing and needs no payload. */
export async function plan(flags: RunFlags, world: World): Promise<number> {
  const started = await start(flags, world, false);
  if (!started.ok) return refuse(started.error, world);
  const { ground, loaded } = started.value;
  const [problem] = loaded.problems;
  if (problem !== undefined) return refuse(problem, world);
  const roster = await gatherHooks(everythingFound(ground), ground, flags.event);
  const unknown = unknownChoice(flags, roster);
  if (unknown !== null) return refuse(unknown, world);
  const hooks = flags.isOff ? [] : hooksFor(flags.event, roster, ground);
  if (!flags.quiet)
    world.err(
      planText(flags.event, hooks, [...loaded.warnings, ...roster.warnings, ...roster.notices].map(warningText), PLAIN),
    );
  return print(`${planJson(hooks)}\n`, world);
}
