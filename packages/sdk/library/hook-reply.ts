/** A reply in any dialect, as returned by a hook. Every key is optional, and null changes nothing. */
export interface HookReply {
  /** True blocks the event, if it can be blocked. */
  readonly blocked?: boolean | null;
  readonly reason?: string | null;
  /** The changed input, for an event before the action. */
  readonly input?: unknown;
  /** The changed output, for an event after the action. */
  readonly output?: unknown;
  /** The new text of the user's message. */
  readonly message?: string | null;
  readonly follow_up_messages?: string | readonly string[] | null;
  /** Context for the model's next step; truncated to 8 KiB. */
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
  /** Stored in the audit log; has no effect on the decision. */
  readonly metadata?: Readonly<Record<string, unknown>> | null;
  /** The decisions of Base Coat and AgentHook. */
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
  /** AgentHook's new value, used with `action`. */
  readonly value?: unknown;
  readonly Reject?: string | null;
  readonly Transform?: unknown;
  readonly Replace?: unknown;
}

/** A message for the agent's inbox. */
export interface PushDirective {
  readonly message: string;
  /** False: the message waits for the next turn. */
  readonly wake?: boolean;
  readonly push_when?: boolean;
  /** The session to send it to. Default: that of the payload. */
  readonly session?: string;
}

/** The return value of a hook: a reply, AgentHook's bare `"Continue"`, or nothing. */
// biome-ignore lint/suspicious/noConfusingVoidType: a function that only observes returns nothing, and must be accepted.
export type HookAnswer = HookReply | "Continue" | null | undefined | void;
