import { userFileIn } from "../../../../src/config/load-settings.ts";
import type { RunContext } from "../../../../src/engine/run-context.ts";
import { errnoCode } from "../../../../src/protocol/errno.ts";
import type { HostProblem } from "../../../../src/protocol/problem.ts";
import { droppedGuards, forgetDropped } from "../../../../src/trust/store/last-known-guards.ts";

/** A guard that the user's settings had, and that no command of hookctl removed. */
export interface DroppedGuard {
  readonly file: string;
  readonly name: string;
}

export function droppedIn({ plan, trustFile, userId }: RunContext): readonly DroppedGuard[] {
  const user = userFileIn(plan);
  if (user?.file == null || trustFile === null) return [];
  const { file } = user;
  return droppedGuards(user, trustFile, userId).map((name) => ({ file, name }));
}

/** `~/.kodelet/hooks.json: git is no longer on` */
export const droppedTexts = (context: RunContext): readonly string[] =>
  droppedIn(context).map(({ file, name }) => `${file}: ${name} is no longer on`);

/** The approvals beside which guards are recorded. */
export type GuardStore = Pick<RunContext, "trustFile" | "userId">;

/** Forgets guards that a person removed on purpose. */
export function acceptDropped(dropped: readonly DroppedGuard[], { trustFile, userId }: GuardStore): HostProblem | null {
  if (trustFile === null) return null;
  try {
    forgetDropped(dropped, trustFile, userId);
    return null;
  } catch (error) {
    return { code: "FILE_NOT_WRITTEN", path: trustFile, cause: errnoCode(error) ?? String(error) };
  }
}
