import type { Problem } from "../contract/problem.ts";
import type { Agent, NativeEvent } from "../dialects/agents/agent.ts";
import { couldBlock } from "../runtime/could-block.ts";
import { everythingFound } from "../runtime/everything-found.ts";
import { DEPTH_LIMIT, depthOf } from "../runtime/ground.ts";
import { gatherHooks } from "../runtime/roster.ts";
import type { World } from "../world.ts";
import { startFor } from "./bridge-answer.ts";
import type { BridgeFlags } from "./bridge-flags.ts";
import { answerTrouble } from "./trouble.ts";

/** Who sent a payload that cannot be read. */
interface Unreadable {
  readonly agent: Agent;
  /** Null: nobody knows which event it is about, or the event is not known here. */
  readonly row: NativeEvent | null;
  /** The events that it may be about. */
  readonly rows: readonly NativeEvent[];
}

/** Blocks what a hook could have blocked, whether or not the line says `--fail-closed`; otherwise only tells. */
export async function answerUnreadable(
  problem: Problem,
  about: Unreadable,
  flags: BridgeFlags,
  world: World,
): Promise<number> {
  const isPerson = problem.code === "PAYLOAD_MISSING" && problem.why === "terminal";
  const isClosed = flags.failClosed || (!isPerson && (await isGuarded(about, flags, world)));
  return answerTrouble(problem, { row: about.row, isClosed }, world);
}

async function isGuarded({ agent, rows }: Unreadable, flags: BridgeFlags, world: World): Promise<boolean> {
  const deniable = rows.filter(({ answers }) => answers.deny !== undefined);
  const [row] = deniable;
  if (row === undefined) return false;
  if (depthOf(world.env) >= DEPTH_LIMIT) return true;
  const started = await startFor({ agent, row }, flags, world);
  if (!started.ok) return false;
  const { ground } = started.value;
  const found = everythingFound(ground);
  for (const event of new Set(deniable.flatMap(({ raises }) => raises.map((raised) => raised.event)))) {
    if (couldBlock(event, await gatherHooks(found, ground, event), ground)) return true;
  }
  return false;
}
