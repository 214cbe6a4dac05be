import type { ExportProblem, ServeProblem } from "./problem-messages/export-and-serve.ts";
import type { HookProblem, ReplyProblem } from "./problem-messages/hook.ts";
import type { HostProblem } from "./problem-messages/host.ts";
import type { PackProblem } from "./problem-messages/pack.ts";
import type { CaseProblem, ConfigProblem } from "./problem-messages/settings.ts";
import type { PayloadProblem, UsageProblem } from "./problem-messages/usage.ts";

export type { ProblemHook } from "./problem-messages/hook.ts";
export type {
  CaseProblem,
  ConfigProblem,
  ExportProblem,
  HookProblem,
  HostProblem,
  PackProblem,
  PayloadProblem,
  ReplyProblem,
  ServeProblem,
  UsageProblem,
};

/** Everything that can go wrong, as a closed union: each member is derived from the row with its words. */
export type Problem =
  | UsageProblem
  | PayloadProblem
  | HookProblem
  | ReplyProblem
  | ConfigProblem
  | CaseProblem
  | PackProblem
  | ExportProblem
  | ServeProblem
  | HostProblem;
export type ProblemCode = Problem["code"];

/** What happened and where (`summary`), and what to type next (`hint`). Names are unescaped: each report escapes them for its output. */
export interface Explanation {
  readonly summary: string;
  readonly hint: string;
}

/** The arguments of a tool call contradict each other. */
export type AmbiguousCall = Extract<PayloadProblem, { readonly code: "PAYLOAD_AMBIGUOUS" }>;

/** An invalid field of a payload. */
export type FieldError = WithoutField<Extract<PayloadProblem, { readonly field: string }>>;
type WithoutField<P> = P extends unknown ? Omit<P, "field" | "event"> : never;

/**
 * True if an approved hook may not run now. That blocks every event that can be blocked, even if the hook is fail-open.
 */
export const isLostGuard = ({ code }: Pick<Problem, "code">): boolean =>
  code === "HOOK_REFUSED_CHANGED" || code === "HOOK_REFUSED_STORE";
