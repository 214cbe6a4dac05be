import type { WriteRoot } from "../../../src/fs/write-check.ts";
import type { AgentName } from "../../../src/protocol/agent-names.ts";
import type { GuardName } from "../../../src/protocol/guard-settings.ts";
import type { JsonObject, JsonSpan } from "../../../src/protocol/json/read.ts";
import type { Payload } from "../../../src/protocol/payload/payload.ts";
import type { Verdict } from "../../../src/protocol/verdict.ts";
import type { AnswerContext } from "../../agents/native-answer.ts";
import type { Invocation } from "../scratch/invoke-in-scratch.ts";
import type { CheckResult } from "../test-report.ts";
import type { ExpectedValues } from "./case-schema.ts";

/** The subject of a case. `rule`: a hook that is a rule of the settings; `chain`: all hooks and guards together. */
export type CaseSubject =
  | { readonly kind: "hook" | "rule"; readonly name: string }
  | { readonly kind: "guard"; readonly name: GuardName }
  | { readonly kind: "chain" };

/** The expected result of a hook for one payload. A case with a table is one for each row. */
export interface TestCase {
  readonly file: string;
  /** The first line of the case, or of its row, in the file, from 1. */
  readonly line: number;
  /** False for a file of the user. */
  readonly isFromOthers: boolean;
  /** True for a file of a pack or plugin of the user's, which names only hooks of this pack. */
  readonly isFromPack: boolean;
  readonly name: string;
  readonly subject: CaseSubject;
  /** The event's name in any dialect; null for the first event that the hook handles. */
  readonly event: string | null;
  /** Fields that replace those of the event's sample, as raw JSON. */
  readonly payload: JsonObject;
  /** The payload's agent: its fields override the agent's sample, and it is parsed as the bridge does. */
  readonly agent: AgentName | null;
  /** The agents for which a case that stops a tool call is repeated, as a call of each. */
  readonly replayedAs: readonly AgentName[];
  /** Set in such a repetition: the agent that makes the tool call. */
  readonly replay?: AgentName;
  readonly env: Readonly<Record<string, string>>;
  /** Text files in the scratch project, by their paths in it. */
  readonly files: Readonly<Record<string, string>>;
  /** The session's shared values before, as raw JSON. */
  readonly state: JsonObject;
  /** The expected result, of which only some fields are checked, and the same as raw JSON; null: its snapshot. */
  readonly expected: { readonly values: ExpectedValues; readonly written: JsonObject } | null;
  readonly snapshot: {
    readonly stored: JsonSpan | null;
    /** Where `--update` may replace it; null if it is not replaced. */
    readonly updatedIn: WriteRoot | null;
  };
}

/** The payload of a case, and the agent's call from which it was read; null if the case is in no agent's format. */
export interface CasePayload {
  readonly payload: Payload;
  readonly sent: (AnswerContext & { readonly tool: string }) | null;
}

/** The payload, the response of each hook, and the result of the chain. */
export interface CaseRun extends CasePayload {
  readonly invocations: readonly Invocation[];
  readonly verdict: Verdict;
  /** The session's values afterwards. */
  readonly state: JsonSpan;
  readonly snapshot: JsonSpan;
}

export interface CaseResult extends CheckResult {
  readonly wasCutShort: boolean;
  /** `null` if the case has no valid payload, or its files cannot be written. */
  readonly run: CaseRun | null;
}
