export { afterShellCall, beforeShellCall, refusedPaths } from "./agent-calls.ts";
export type { CagePlace } from "./cage-places.ts";
export { effectiveCage } from "./cage-settings.ts";
export { agentAbove, processKey, writeShells } from "./cage-shell.ts";
export { CAGE_SHELLS, type Cage, cageFolder, cageOf, findCage, makeSharedTemp, prepareCage } from "./prepare-cage.ts";
