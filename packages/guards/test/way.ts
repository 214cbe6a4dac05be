import { join } from "node:path";
import type { Workspace } from "../../../test/support/workspace.ts";
import type { Call, Calling, Effect } from "./calls.ts";

/**
 * The guard that a way is tried on, fail-closed each time: `project` is an approved file, `declared` an approved entry
 * of the project's settings, `user` a file of the user and `rule` a rule in the user's settings.
 */
export type GuardKind = "project" | "declared" | "user" | "rule";

/** One way to make a guard inert. */
export interface Way {
  readonly title: string;
  readonly on: readonly GuardKind[];
  /** What is done to the folders after the guard was seen to block. */
  readonly act?: (place: Workspace, kind: GuardKind) => Promise<unknown>;
  /** How the caller calls afterwards. */
  readonly calling?: (place: Workspace) => Calling;
  /** Where a block is more than the issue demands: what is enough, and why. */
  readonly enough?: { readonly why: string; readonly at: readonly Call["kind"][]; readonly effect: Effect };
  /** Calls of another kind say nothing about this way. */
  readonly only?: readonly Call["kind"][];
  /** The calls come one after the other: they would take from each other what the machine is short of. */
  readonly isAlone?: boolean;
  /** Why it cannot be tried here; null: it can. */
  readonly skip?: string | null;
}

export const FILES: readonly GuardKind[] = ["project", "user"];
export const ALL: readonly GuardKind[] = ["project", "declared", "user", "rule"];
export const OF_PROJECT: readonly GuardKind[] = ["project", "declared"];
export const OF_USER: readonly GuardKind[] = ["user", "rule"];

export const ALLOWING = `#!/bin/sh
if [ "$1" = hook ]; then echo before_tool_call; exit 0; fi
echo '{"blocked":false}'
`;

export const guardFile = (place: Workspace, kind: GuardKind): string =>
  join(kind === "user" ? place.home : place.project, ".kodelet", "hooks", "guard");
