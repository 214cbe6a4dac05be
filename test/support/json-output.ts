/** What `run --json` prints, as far as tests look at it. */
export interface RunJson {
  readonly schema: string;
  readonly run_id: string;
  readonly event: string;
  readonly decision: string;
  readonly reason: string | null;
  readonly decided_by: string | null;
  readonly rule?: string;
  readonly result: Readonly<Record<string, unknown>>;
  readonly hooks: readonly HookJson[];
  readonly warnings: readonly string[];
  readonly duration_ms: number;
}

export interface HookJson {
  readonly name: string;
  readonly outcome: string;
  readonly failure?: { readonly code: string; readonly message: string; readonly hint: string };
  readonly why?: string;
  readonly exit_code: number | null;
  readonly signal: string | null;
  readonly duration_ms: number;
  readonly stderr: string;
  readonly sandbox: string | null;
  readonly added?: Readonly<Record<string, unknown>>;
}

/** What `list --json` prints. */
export interface ListJson {
  readonly schema: string;
  readonly hooks: readonly (Readonly<Record<string, unknown>> & { readonly name: string })[];
  readonly skipped: readonly { readonly path: string; readonly name: string; readonly reason: string }[];
  readonly searched: readonly string[];
  readonly warnings: readonly string[];
}

export const parseRunJson = ({ stdout }: { readonly stdout: string }): RunJson => JSON.parse(stdout) as RunJson;
export const parseListJson = ({ stdout }: { readonly stdout: string }): ListJson => JSON.parse(stdout) as ListJson;

/** Hook name -> outcome, in the order of the chain. */
export const outcomes = (run: RunJson): readonly (readonly [string, string])[] =>
  run.hooks.map(({ name, outcome }) => [name, outcome]);

export const namesOf = (list: ListJson): readonly string[] => list.hooks.map(({ name }) => name);
