import type { Candidate, Source } from "../../protocol/hook.ts";

const FROM_PROJECT: ReadonlySet<Source> = new Set(["project", "project-plugin", "explicit"]);

/** True if the author of the project chose the hook, and not the user. */
export const isFromProject = ({ source, entry, settings }: Pick<Candidate, "source" | "entry" | "settings">): boolean =>
  FROM_PROJECT.has(source) || entry?.scope === "project" || settings !== undefined;

/** True if the hook runs only after the user has approved it. */
export const needsApproval = (candidate: Pick<Candidate, "source" | "entry" | "settings">): boolean =>
  isFromProject(candidate) || candidate.entry?.isAsked === true;
