import { findAllCandidates } from "../engine/hooks/find-all.ts";
import { resolveHooks } from "../engine/hooks/resolve-hooks.ts";
import type { RunContext } from "../engine/run-context.ts";
import { type HookRequirements, NO_REQUIREMENTS, requirementsOf } from "../install/hook-needs.ts";
import { closeInheritedOnFirstStart } from "../process/descriptors.ts";
import type { World } from "../world.ts";
import { type Flags, isSwitchedOff } from "./flags.ts";
import { createRunContext } from "./start.ts";

/** What the hooks of this project and of the user want registered. Settings that cannot be used name no hooks. */
export async function hookRequirementsFor(flags: Flags, world: World): Promise<HookRequirements> {
  const started = await createRunContext(flags, world, !isSwitchedOff(flags, world));
  return started.ok ? hookRequirementsIn(started.value.context) : NO_REQUIREMENTS;
}

export async function hookRequirementsIn(context: RunContext): Promise<HookRequirements> {
  closeInheritedOnFirstStart();
  return requirementsOf((await resolveHooks(findAllCandidates(context), context, null)).hooks);
}
