import { everythingFound } from "../engine/everything-found.ts";
import type { Ground } from "../engine/ground.ts";
import { gatherHooks } from "../engine/roster.ts";
import { type HookNeeds, NO_NEEDS, needsOf } from "../install/hook-needs.ts";
import { closeInheritedBeforeFirstStart } from "../process/descriptors.ts";
import type { World } from "../world.ts";
import { type Flags, isSwitchedOff } from "./flags.ts";
import { start } from "./start.ts";

/** What the hooks of this project and of the user want registered. Settings that cannot be used name no hooks. */
export async function hookNeedsHere(flags: Flags, world: World): Promise<HookNeeds> {
  const started = await start(flags, world, !isSwitchedOff(flags, world));
  return started.ok ? needsOn(started.value.ground) : NO_NEEDS;
}

export async function needsOn(ground: Ground): Promise<HookNeeds> {
  closeInheritedBeforeFirstStart();
  return needsOf((await gatherHooks(everythingFound(ground), ground, null)).hooks);
}
