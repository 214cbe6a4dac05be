/** What `test --json` prints, as far as tests look at it. */
export interface ToldTest {
  readonly schema: string;
  readonly hooks: readonly ToldExamined[];
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly skipped_hooks: readonly { readonly name: string; readonly reason: string; readonly hint: string }[];
}

interface ToldExamined {
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

export const toldTest = ({ stdout }: { readonly stdout: string }): ToldTest => JSON.parse(stdout) as ToldTest;
