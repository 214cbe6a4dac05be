/**
 * The arguments of a tool call. The named ones have these types wherever agents send them; every other is unknown. With a
 * `match` on `tool_name`, `defineHook` gives the arguments of that tool.
 */
export interface ToolInput {
  /** Of shells. */
  readonly command?: string;
  readonly description?: string;
  /** Of tools that read, write or edit a file. */
  readonly file_path?: string;
  readonly path?: string;
  readonly content?: string;
  readonly old_string?: string;
  readonly new_string?: string;
  /** Of tools that search. */
  readonly pattern?: string;
  readonly query?: string;
  readonly url?: string;
  readonly [argument: string]: unknown;
}

export interface ModelResponse {
  readonly text?: string;
  readonly usage?: TokenUsage;
  readonly [field: string]: unknown;
}

export interface TokenUsage {
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  readonly [count: string]: unknown;
}
