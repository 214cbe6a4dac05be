import { pathExists } from "../../../src/fs/paths.ts";
import { firstBytes } from "../../../src/fs/read-file.ts";
import { encodingFault, formatFault, interpreterFault, isExecutable } from "../../../src/process/outcome-problem.ts";
import { type Hook, isTrustRefusal } from "../../../src/protocol/hook.ts";
import { quoteHookName, shellQuote } from "../../../src/protocol/text/shell-quote.ts";
import { type Finding, failedCheck, passedCheck, problemCheck } from "../test-report.ts";

interface FileCheckInput {
  readonly hook: Hook;
  /** Other files that have the hook's name. */
  readonly namesakes: readonly string[];
  /** The PATH in which `env` searches for an interpreter. */
  readonly searchPath: string;
}

/** A check of the file that starts no process. */
export interface FileCheck {
  readonly name: string;
  readonly check: (scene: FileCheckInput) => Finding;
  /** True if it also applies to a hook declared in a settings file, which has no file of its own. */
  readonly isForDeclared?: true;
}

export const FILE_CHECKS: readonly FileCheck[] = [
  {
    name: "may be executed",
    check: ({ hook: { name, path } }) => {
      if (isExecutable(path)) return passedCheck();
      return pathExists(path)
        ? failedCheck("you have no permission to execute it", `chmod +x ${shellQuote(path)}`)
        : failedCheck("it does not exist", `If this is intended: hookctl untrust ${quoteHookName(name)}`);
    },
  },
  {
    name: "only its owner can change it",
    isForDeclared: true,
    check: ({ hook: { refusal } }) =>
      refusal === null || !isTrustRefusal(refusal) ? passedCheck() : problemCheck(refusal),
  },
  {
    name: "has no CRLF and no byte order mark",
    check: ({ hook: { path } }) => {
      const fault = encodingFault(headOf(path), path);
      return fault === null ? passedCheck() : failedCheck(fault.cause, fault.fix);
    },
  },
  {
    name: "its interpreter exists",
    check: ({ hook: { path }, searchPath }) => {
      if (encodingFault(headOf(path), path) !== null) return passedCheck();
      const format = formatFault(path);
      if (format !== null) return failedCheck(`it cannot be executed: ${format.cause}`, format.fix);
      const cause = interpreterFault(path, () => searchPath);
      return cause === null ? passedCheck() : failedCheck(cause, `Install it, or correct the first line of ${path}`);
    },
  },
  {
    name: "has a unique name",
    isForDeclared: true,
    check: ({ hook: { shadows }, namesakes }) => {
      if (shadows !== null) return passedCheck(`it replaces ${shadows}, which never runs`);
      return passedCheck(namesakes.length === 0 ? null : `${namesakes.join(" and ")} has the same name`);
    },
  },
];

const headOf = (path: string): string => firstBytes(path, 256) ?? "";
