export { OUTSIDE } from "./agent-calls.ts";
export { type CagePlace, MADE, placeOf } from "./cage-places.ts";
export { type EffectiveCage, effectiveCage } from "./cage-settings.ts";
export { agentAbove, processKey, writeShells } from "./cage-shell.ts";
export { REGISTRIES } from "./host-list.ts";
export { filesOfPrograms, filesOfTool, isRefused, type ReachedFile } from "./judge-files.ts";
export {
  CAGE_SHELLS,
  type Cage,
  cageFolder,
  cageOf,
  findCage,
  makeSharedTemp,
  prepareCage,
  startError,
} from "./prepare-cage.ts";
export { takeRefusals } from "./session-network.ts";
export { noteBefore, undoChanges } from "./undo-changes.ts";
