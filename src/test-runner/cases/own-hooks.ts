import { type Candidate, isFromProject } from "../../protocol/hook.ts";
import type { TestCase } from "./test-case.ts";

/**
 * Nobody approves a file of cases. With the files that it brings, a hook of the user's could be made to run what they
 * name (`git status` runs programs of a repository's settings), so it starts only hooks of others, which are approved.
 */
export const mayStart = (
  { isFromOthers, isFromPack }: Pick<TestCase, "isFromOthers" | "isFromPack">,
  hook: Pick<Candidate, "source" | "entry">,
): boolean => !isFromOthers || isFromProject(hook) || (isFromPack && hook.source === "user-plugin");
