import type { Host } from "../../../src/engine/host.ts";
import type { RunContext } from "../../../src/engine/run-context.ts";
import { disk } from "../../../src/fs/disk.ts";
import { blockFormat, type NativeEvent } from "../../agents/agent.ts";
import type { SealFinding } from "../install/seal/check-seal.ts";
import { droppedTexts } from "../install/seal/dropped-guards.ts";
import {
  checkKey,
  checksFile,
  fileMark,
  isCurrent,
  readChecks,
  type SealPlace,
  sealFile,
  sealPlace,
} from "../install/seal/seal-store.ts";
import type { AgentCall, BridgeOptions } from "./agent-call.ts";

/**
 * Finds out whether the agent's settings were weakened since a person sealed them. Without a seal one file is examined; with
 * a seal each of the files is, and they are read only after a change.
 */
export async function findWeakening(
  { row }: Pick<AgentCall, "row">,
  { agent }: BridgeOptions,
  context: RunContext,
  host: Host,
): Promise<SealFinding | null> {
  const { trustFile } = context;
  if (trustFile === null) return null;
  const seal = fileMark(sealFile(trustFile));
  // Checks without a seal: it was removed.
  if (seal === "" && !disk.existsSync(checksFile(trustFile))) return null;
  const place = sealPlaceIn(context);
  const canBlock = isBlockedOnce(row) && blockFormat(row.answers) !== undefined;
  const dropped = droppedTexts(context);
  const known = readChecks(trustFile, context.userId)[checkKey(agent.name, place.projectDirs[0] ?? "")];
  if (known !== undefined && isCurrent(known, seal, dropped)) {
    const { open, blocked } = known;
    if (open.length === 0) return null;
    if (!canBlock || open.every((change) => blocked.includes(change)))
      return { isBlocked: false, changes: open, isRestored: false };
  }
  const { checkSeal } = await import("../install/seal/check-seal.ts");
  const mayRestore = context.settings.restore === "at_once";
  const prevents = row.raises.some(({ event }) => event !== "after_tool_call");
  return checkSeal({ agent: agent.name, place, canBlock, prevents, dropped, mayRestore }, host);
}

export const sealPlaceIn = (context: RunContext): SealPlace => sealPlace(context.scopes, context);

/**
 * A prompt is blocked too: a session that begins with a lost entry asks nobody before its first tool call, and an agent may
 * ignore a block after it. The end of a turn is not blocked for this.
 */
const isBlockedOnce = ({ raises }: NativeEvent): boolean => raises.some(({ event }) => BLOCKED_ONCE.includes(event));
const BLOCKED_ONCE: readonly string[] = ["before_tool_call", "after_tool_call", "user_message_send"];
