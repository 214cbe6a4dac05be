import { dirname, join, resolve } from "node:path";
import type { Evidence } from "../../protocol/approval.ts";
import type { Candidate } from "../../protocol/hook.ts";
import type { HookProblem, HostProblem } from "../../protocol/problem.ts";
import { shellQuote } from "../../protocol/text/shell-quote.ts";
import { combineUnsafePaths, listUnsafePaths } from "../../protocol/unsafe-path.ts";
import { EVIDENCE_INCOMPLETE } from "../evidence/evidence.ts";

type At = Pick<Candidate, "path">;

/** Names every path that must change before the hooks can be approved; null if none must. */
export function unsafeLocationProblem(problems: readonly HookProblem[]): HostProblem | null {
  const other = problems.find(({ code }) => code !== "HOOK_REFUSED_UNSAFE");
  if (other !== undefined) {
    return unsafePlaceProblem(other.path, "is a link that leaves the project", "Copy the file into the project.");
  }
  const unsafe = combineUnsafePaths(
    problems.flatMap((problem) => (problem.code === "HOOK_REFUSED_UNSAFE" ? listUnsafePaths(problem) : [])),
  );
  return unsafe === null ? null : { code: "TRUST_UNSAFE_PLACE", ...unsafe, fix: null };
}

export const changedMeanwhileProblem = ({ path }: At): HostProblem =>
  unsafePlaceProblem(path, "changed while it was being read", "Read it again, then run the same command again.");

export function incompleteEvidenceProblem({ path }: At): HostProblem {
  const fix = `Remove files that no hook needs: ls -laR ${shellQuote(dirname(path))}`;
  return unsafePlaceProblem(path, `cannot be approved: ${EVIDENCE_INCOMPLETE}`, fix);
}

/** An approval of an unreadable file would never match, so the hook would be blocked as changed. Null if all can be read. */
export function unreadableFileProblem(
  { path, realPath, sha256, helpers, files }: At & Evidence,
  projectDir: string,
): HostProblem | null {
  const [file, helper] = [files, helpers].map((hashes) => Object.keys(hashes).find((name) => hashes[name] === ""));
  if (file !== undefined) {
    const fix = `Create it, or remove it from "files". Expected here: ls -ld ${shellQuote(resolve(projectDir, file))}`;
    return unsafePlaceProblem(path, `names ${file} in "files", but that file cannot be read`, fix);
  }
  if (helper === undefined && sha256 !== null) return null;
  const place = helper === undefined ? realPath : join(dirname(path), helper);
  return unsafePlaceProblem(place, "cannot be read", `Make it readable for your user: ls -ld ${shellQuote(place)}`);
}

const unsafePlaceProblem = (place: string, cause: string, fix: string | null = null): HostProblem => ({
  code: "TRUST_UNSAFE_PLACE",
  place,
  cause,
  fix,
});
