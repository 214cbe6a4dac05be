import { formatFault, interpreterFault, isExecutable } from "../discover/classify.ts";
import { firstBytes } from "../fs/first-bytes.ts";
import { shellQuote } from "../protocol/command-line.ts";
import { explain } from "../protocol/explain.ts";
import { type Hook, isTrustRefusal } from "../protocol/hook.ts";
import { type Finding, failedCheck, passedCheck } from "./test-report.ts";

export interface FileCheckInput {
  readonly hook: Hook;
  /** Other files that have the hook's name. */
  readonly namesakes: readonly string[];
  /** Where `env` looks for an interpreter. */
  readonly searchPath: string;
}

/** A look at the file that starts nothing. */
export interface FileCheck {
  readonly name: string;
  readonly about: string;
  readonly check: (scene: FileCheckInput) => Finding;
  /** Also of a hook that a settings file declares: it is no file of its own. */
  readonly isForDeclared?: true;
}

export const FILE_CHECKS: readonly FileCheck[] = [
  {
    name: "may be executed",
    about: "the file is there, is no broken link, and has its execute bit; of a declared hook what its command starts",
    check: ({ hook: { path } }) =>
      isExecutable(path) ? passedCheck() : failedCheck("you may not execute it", `chmod +x ${shellQuote(path)}`),
  },
  {
    name: "only its owner can change it",
    about: "mode and owner of the file and of each folder above it (docs/trust.md)",
    isForDeclared: true,
    check: ({ hook: { refusal } }) => {
      if (refusal === null || !isTrustRefusal(refusal)) return passedCheck();
      const { summary, hint } = explain(refusal);
      return failedCheck(summary, hint);
    },
  },
  {
    name: "its first line has no carriage return",
    about: "a CR before the line break becomes part of the interpreter's name",
    check: ({ hook: { path } }) =>
      /^#![^\n]*\r(\n|$)/.test(headOf(path))
        ? failedCheck(
            "its first line ends with CRLF",
            `Write it with Unix line ends: sed -i 's/\\r$//' ${shellQuote(path)}`,
          )
        : passedCheck(),
  },
  {
    name: "its interpreter is there",
    about: "what stands behind `#!`, or behind `env`, exists; a file without `#!` is a binary program",
    check: missingInterpreter,
  },
  {
    name: "has its name to itself",
    about: "tells which other file has the same name, and which of the two is asked",
    isForDeclared: true,
    check: ({ hook: { shadows }, namesakes }) => {
      if (shadows !== null) return passedCheck(`it hides ${shadows}, which is not asked`);
      return passedCheck(namesakes.length === 0 ? null : `${namesakes.join(" and ")} has the same name`);
    },
  },
];

function missingInterpreter({ hook: { path }, searchPath }: FileCheckInput): Finding {
  const format = formatFault(path);
  if (format !== null)
    return failedCheck(`it is not a program: ${format}`, "Start a script with a line such as #!/bin/sh");
  const cause = interpreterFault(path, () => searchPath);
  return cause === null ? passedCheck() : failedCheck(cause, `Install it, or correct the first line of ${path}`);
}

const headOf = (path: string): string => firstBytes(path, 256) ?? "";
