import { AGENT_NAMES, type AgentName } from "../../../src/protocol/agent-names.ts";
import type { EventName } from "../../../src/protocol/event.ts";
import { objectOf, spanOfRaw, type UncheckedObject } from "../../../src/protocol/json/read.ts";
import { tableOf } from "../../../src/protocol/json/table.ts";
import { jsonText, rawJson } from "../../../src/protocol/json/write.ts";
import { AGENTS } from "../agents.ts";
import { canonicalFields } from "../native-payload.ts";
import { readCodexEntry } from "./codex-transcript.ts";
import { type Transcript, type TranscriptCall, type TranscriptJson, transcriptFrom } from "./transcript.ts";
import rows from "./transcripts.json" with { type: "json" };

const ROWS = tableOf<Readonly<Record<AgentName, TranscriptJson>>>(rows);

const transcriptFor = (agent: AgentName): Transcript =>
  transcriptFrom(agent, ROWS[agent], agent === "codex" ? readCodexEntry : undefined);

/** Every agent by its name. */
export const TRANSCRIPTS = tableOf<Readonly<Record<AgentName, Transcript>>>(
  Object.fromEntries(AGENT_NAMES.map((agent) => [agent, transcriptFor(agent)])),
);

/** The agent that wrote an entry of a file named by the user; null if unknown. */
export const transcriptOf = (entry: UncheckedObject): Transcript | null =>
  Object.values(TRANSCRIPTS).find(({ isOwn }) => isOwn(entry)) ?? null;

/** A call with all its data in the file. */
export interface SessionCall extends TranscriptCall {
  readonly session: string;
  readonly cwd: string;
}

/** The payload that the bridge would have made of a call; null if the agent has no event for it. */
export function recordedPayload(
  { agent }: Pick<Transcript, "agent">,
  { id, input, isSubagent, ...call }: SessionCall,
): { readonly event: EventName; readonly payload: string } | null {
  const { call: template, events } = AGENTS[agent];
  const [raised] = events[template.event]?.raises ?? [];
  if (raised === undefined) return null;
  const payload = template.payload({
    ...call,
    input: rawJson(JSON.stringify(input ?? {})),
    id: id === "" ? undefined : id,
    subagent: isSubagent ? "subagent" : undefined,
  });
  const { members } = canonicalFields(AGENTS[agent], template.event, raised, spanOfRaw(jsonText(payload)));
  return { event: raised.event, payload: objectOf(members).raw };
}
