/** The reply of any dialect: what a hook returns. Every key may be left out, and null leaves things as they are. */
export interface HookReply {
  /** True stops the thing, where the event can be stopped. */
  readonly blocked?: boolean | null;
  readonly reason?: string | null;
  /** The new value of what the event is about, before it happens. */
  readonly input?: unknown;
  /** The new value, after it happened. */
  readonly output?: unknown;
  /** The new text of the user's message. */
  readonly message?: string | null;
  readonly follow_up_messages?: string | readonly string[] | null;
  /** For the model's next step; cut at 8 KiB. */
  readonly additional_context?: string | readonly string[] | null;
  readonly additional_context_mode?: "append" | "overwrite" | null;
  readonly pushes?: readonly PushDirective[] | null;
  /** Changes the session's values in one step: first `set`, then `delete`, then `increment`. */
  readonly state?: {
    readonly set?: Readonly<Record<string, unknown>> | null;
    readonly delete?: string | readonly string[] | null;
    readonly increment?: Readonly<Record<string, number>> | null;
  } | null;
  readonly system_message?: string | null;
  readonly decision?: "allow" | "ask" | "deny" | "approve" | "block" | null;
  readonly warnings?: string | readonly string[] | null;
  /** Kept in the record, decides nothing. */
  readonly metadata?: Readonly<Record<string, unknown>> | null;
  /** Base Coat's words, or AgentHook's. */
  readonly action?:
    | "passThrough"
    | "injectContext"
    | "block"
    | "modify"
    | "continue"
    | "transform"
    | "reject"
    | "replace"
    | null;
  readonly modifiedInput?: unknown;
  readonly modifiedOutput?: unknown;
  readonly additionalContext?: string | readonly string[] | null;
  readonly priority?: number | null;
  /** AgentHook's new value beside `action`. */
  readonly value?: unknown;
  readonly Reject?: string | null;
  readonly Transform?: unknown;
  readonly Replace?: unknown;
}

/** A message for the agent's inbox. */
export interface PushDirective {
  readonly message: string;
  /** False waits for the next turn. */
  readonly wake?: boolean;
  readonly push_when?: boolean;
  /** Another session than the payload's. */
  readonly session?: string;
}

/** What a hook may return: a reply, AgentHook's bare `"Continue"`, or nothing. */
// biome-ignore lint/suspicious/noConfusingVoidType: a function that only looks has no return at all, and must be taken.
export type HookAnswer = HookReply | "Continue" | null | undefined | void;
