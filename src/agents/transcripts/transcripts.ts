import type { UncheckedObject } from "../../protocol/json/read.ts";
import type { AgentName } from "../agent.ts";
import { claudeTranscript } from "./claude-transcript.ts";
import { codexTranscript } from "./codex-transcript.ts";
import { copilotTranscript } from "./copilot-transcript.ts";
import { cursorTranscript } from "./cursor-transcript.ts";
import { droidTranscript } from "./droid-transcript.ts";
import { geminiTranscript } from "./gemini-transcript.ts";
import { gooseTranscript } from "./goose-transcript.ts";
import { opencodeTranscript } from "./opencode-transcript.ts";
import { piTranscript } from "./pi-transcript.ts";
import { qwenTranscript } from "./qwen-transcript.ts";
import type { Transcript } from "./transcript.ts";

/** Every agent by its name. */
export const TRANSCRIPTS: Readonly<Record<AgentName, Transcript>> = {
  claude: claudeTranscript,
  codex: codexTranscript,
  gemini: geminiTranscript,
  copilot: copilotTranscript,
  cursor: cursorTranscript,
  qwen: qwenTranscript,
  droid: droidTranscript,
  goose: gooseTranscript,
  opencode: opencodeTranscript,
  pi: piTranscript,
};

/** The agent that wrote an entry of a file that somebody has named; null: none that is known. */
export const transcriptOf = (entry: UncheckedObject): Transcript | null =>
  Object.values(TRANSCRIPTS).find(({ isOwn }) => isOwn(entry)) ?? null;
