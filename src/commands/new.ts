import { EXIT } from "../contract/problem.ts";
import type { World } from "../world.ts";
import type { RawLine } from "./flag-table.ts";

export async function newHook(line: RawLine, world: World): Promise<number> {
  world.err(`${line.verb}\n`);
  return EXIT.fault;
}
