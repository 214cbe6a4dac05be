import { itemsOf, membersOf, readJson, stringOf } from "../contract/json.ts";
import { jsonText } from "../contract/json-text.ts";
import type { SessionFile } from "./file.ts";
import { attributed, type Inbox, type Message, wakes } from "./inbox.ts";

/** How often in a row hooks have opened a turn, and with what. */
export interface Valve {
  readonly turns: number;
  /** The latest texts that went out as prompts: when one comes back, no person has spoken. */
  readonly issued: readonly string[];
}

const VALVE_DEPTH = 4;
const MOST_ISSUED = 50;

export const VALVE: SessionFile<Valve> = {
  name: "valve",
  empty: { turns: 0, issued: [] },
  read: (text) => {
    const read = readJson(text, VALVE_DEPTH);
    const members = read.ok && read.value.kind === "object" ? membersOf(read.value) : new Map<string, never>();
    const turns = Number(members.get("turns")?.raw);
    const issued = members.get("issued");
    const texts = issued?.kind === "array" ? itemsOf(issued) : null;
    if (!Number.isSafeInteger(turns) || turns < 0 || !texts?.every(({ kind }) => kind === "string")) return null;
    return { turns, issued: texts.map(stringOf) };
  },
  write: ({ turns, issued }) => (turns === 0 && issued.length === 0 ? null : jsonText({ turns, issued })),
};

/** What the hooks of one run want the agent to go on with. */
export interface Sent {
  readonly followUps: readonly Message[];
  readonly pushes: readonly Message[];
}

export interface Turned {
  readonly valve: Valve;
  readonly inbox: Inbox;
  /** Hooks wanted one turn more than they may open: all of it waits for the next turn, and nothing wakes. */
  readonly isOver: boolean;
}

/**
 * What one run does to the inbox and the valve. Follow-ups open a turn; so does a push that wakes, unless the inbox
 * woke already: what is drained together is one turn.
 */
export function turned(before: { readonly valve: Valve; readonly inbox: Inbox }, sent: Sent, limit: number): Turned {
  const { valve, inbox } = before;
  // Follow-ups are taken up at once and the inbox when it is drained: those may be two turns.
  const turns = (sent.followUps.length > 0 ? 1 : 0) + (wakes(sent.pushes) && !wakes(inbox) ? 1 : 0);
  if (limit > 0 && turns > 0 && valve.turns + turns > limit) {
    const waiting = [...sent.followUps, ...sent.pushes].map((message) => ({ ...message, wake: false }));
    return { valve, inbox: [...inbox, ...waiting], isOver: true };
  }
  const prompts = [...sent.followUps.map(({ text }) => text), ...sent.pushes.map(attributed)];
  const issued = turns > 0 || wakes(inbox) ? [...valve.issued, ...prompts].slice(-MOST_ISSUED) : valve.issued;
  return {
    valve: { turns: valve.turns + turns, issued },
    inbox: [...inbox, ...sent.pushes],
    isOver: false,
  };
}

/** Has a person spoken? An empty prompt, or one that hooks have issued, is a turn that hooks drive. */
export function isSpoken({ issued }: Valve, prompt: string): boolean {
  const text = prompt.trim();
  return text !== "" && !issued.some((one) => one.trim() === text);
}
