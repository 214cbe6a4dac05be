import type { Workspace } from "../../../../test/support/workspace.ts";
import { createHooks, type Hooks, type HooksOptions } from "../../index.ts";

/** The library in a workspace: its own home, project and environment. */
export const hooksIn = (place: Workspace, options: HooksOptions = {}): Hooks =>
  createHooks({ cwd: place.project, home: place.home, env: place.env, ...options });

export const TOOL = { tool_name: "bash", tool_input: { command: "ls" } };

/** Hook name -> outcome, in the order of the chain. */
export const outcomes = (run: { readonly hooks: readonly { name: string; outcome: string }[] }): readonly string[] =>
  run.hooks.map(({ name, outcome }) => `${name} ${outcome}`);
