import type { NotReady } from "../../test-runner/test-report.ts";

/** What is checked of a project as a whole, in this order. */
export const PROJECT_CHECKS = ["settings are valid", "every hook can start", "every guard can block"] as const;
export type ProjectCheck = (typeof PROJECT_CHECKS)[number];

/** Something that keeps hooks from working as they are meant to, found without running one. */
export interface ProjectFault extends Omit<NotReady, "code"> {
  readonly check: ProjectCheck;
  /** In the file of `path`, from 1; null: not known. */
  readonly line: number | null;
  /** True if a person may want it so: it is shown, and fails nothing. */
  readonly isNote?: true;
}
