import type { Match } from "./hook-kind.ts";
import type { SandboxSetting } from "./sandbox.ts";

export interface Override {
  readonly enabled?: boolean;
  readonly priority?: number;
  readonly fail_open?: boolean;
  readonly observe?: boolean;
  readonly timeout?: number;
  readonly match?: Match;
  /** In bytes. */
  readonly output_limit?: number;
  readonly background?: boolean;
  readonly sandbox?: SandboxSetting;
  readonly required?: boolean;
}
