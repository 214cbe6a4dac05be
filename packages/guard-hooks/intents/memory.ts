import type { RunContext } from "../../../src/engine/run-context.ts";
import { unrepeatable } from "../../../src/fs/disk.ts";
import { stringOf } from "../../../src/protocol/json/read.ts";
import type { Payload } from "../../../src/protocol/payload/payload.ts";
import type { ReplaceValues } from "../../../src/redact/redact-secrets.ts";
import type { GuardPlace } from "../guard-place.ts";
import { intentsFolder, shortHash } from "./intents.ts";

/** What a guard needs to remember a call, and to find those before it. */
export interface CallMemory {
  /** The folder of the project in hookctl's state. */
  readonly folder: string;
  readonly nowMs: number;
  readonly session: string;
  /** The same for each event of one call; of one run if the agent gives calls no id. */
  readonly call: string;
  /** The function that removes the values of secrets from what is stored. */
  readonly values: () => ReplaceValues | null;
}

/** A call of which something is remembered. */
export interface RememberedCall {
  readonly payload: Payload;
  readonly place: GuardPlace;
  readonly memory: CallMemory;
}

/** The memory of a run; null if it has no private folder. */
export function memoryOf(payload: Payload, context: RunContext, place: GuardPlace): CallMemory | null {
  const { sessionsDir, nowMs, runId } = context;
  if (sessionsDir === null) return null;
  const id = payload.members.get("tool_user_id");
  const call = id?.kind === "string" ? stringOf(id) : "";
  return {
    get folder() {
      // What is remembered ends without a change on the disk.
      unrepeatable.count++;
      return intentsFolder(sessionsDir, place.project);
    },
    nowMs,
    session: payload.session,
    get call() {
      return call === "" ? runId : shortHash(`${payload.session}\n${call}`);
    },
    values: () => place.valuesOf(payload.session),
  };
}
