/** What `test --json` prints, as far as tests look at it. */
export interface TestJson {
  readonly schema: string;
  readonly hooks: readonly TestedHookJson[];
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly skipped_hooks: readonly { readonly name: string; readonly reason: string; readonly hint: string }[];
}

interface TestedHookJson {
  readonly name: string;
  readonly path: string;
  readonly passed: boolean;
  readonly checks: readonly {
    readonly name: string;
    readonly passed: boolean;
    readonly message: string | null;
    readonly duration_ms: number;
  }[];
  readonly left_out: readonly { readonly name: string; readonly reason: string }[];
}

export const parseTestJson = ({ stdout }: { readonly stdout: string }): TestJson => JSON.parse(stdout) as TestJson;
