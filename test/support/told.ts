/** What `run --json` prints, as far as tests look at it. */
export interface ToldRun {
  readonly schema: string;
  readonly run_id: string;
  readonly event: string;
  readonly decision: string;
  readonly reason: string | null;
  readonly decided_by: string | null;
  readonly result: Readonly<Record<string, unknown>>;
  readonly hooks: readonly ToldHook[];
  readonly warnings: readonly string[];
  readonly duration_ms: number;
}

export interface ToldHook {
  readonly name: string;
  readonly outcome: string;
  readonly failure?: { readonly code: string; readonly message: string; readonly hint: string };
  readonly why?: string;
  readonly exit_code: number | null;
  readonly signal: string | null;
  readonly duration_ms: number;
  readonly stderr: string;
  readonly sandbox: string | null;
}

/** What `list --json` prints. */
export interface ToldList {
  readonly schema: string;
  readonly hooks: readonly (Readonly<Record<string, unknown>> & { readonly name: string })[];
  readonly skipped: readonly { readonly path: string; readonly name: string; readonly reason: string }[];
  readonly searched: readonly string[];
  readonly warnings: readonly string[];
}

export const toldRun = ({ stdout }: { readonly stdout: string }): ToldRun => JSON.parse(stdout) as ToldRun;
export const toldList = ({ stdout }: { readonly stdout: string }): ToldList => JSON.parse(stdout) as ToldList;

/** Hook name -> outcome, in the order of the chain. */
export const outcomes = (run: ToldRun): readonly (readonly [string, string])[] =>
  run.hooks.map(({ name, outcome }) => [name, outcome]);

export const namesOf = (list: ToldList): readonly string[] => list.hooks.map(({ name }) => name);
