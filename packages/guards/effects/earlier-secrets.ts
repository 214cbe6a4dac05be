/** Secrets that the agent may know when a call sends something. */
export interface EarlierSecrets {
  /** The files and variables with secrets that were read in this session. */
  readonly names: readonly string[];
  /** True if the call carries the value of a secret of this machine. */
  readonly isValueSent: boolean;
  /** The tool of the agent or of an MCP server that sends; null for the shell. */
  readonly tool: { readonly name: string; readonly hasBody: boolean } | null;
}
