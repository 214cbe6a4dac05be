import { ownValue } from "./own-value.ts";
import type { Problem, ProblemCode } from "./problem.ts";

/** The exit code of a problem, by its code or its code's prefix. 77 means that an approval is missing. */
export function exitCodeOf(problem: Problem): number {
  const { code } = problem;
  if (code === "NOTHING_TO_TEST")
    return problem.why === "unapproved" || problem.why === "refused" ? EXIT.notApproved : EXIT.usage;
  return OWN_EXITS[code] ?? FAMILY_EXITS.find(([family]) => code.startsWith(family))?.[1] ?? EXIT.fault;
}

export const EXIT = {
  ok: 0,
  checkFailed: 1,
  blocked: 2,
  usage: 64,
  badPayload: 65,
  fault: 70,
  outputLost: 74,
  recursion: 75,
  notApproved: 77,
  badConfig: 78,
} as const;

/** The end of a complete answer of `bridge --proof`, which a fail-closed registration checks. It proves no identity. */
export const PROOF = "hookctl-answered";

const SIGNAL_NUMBERS: Readonly<Record<string, number>> = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 };

export const TERMINATION_SIGNALS = ["SIGHUP", "SIGINT", "SIGTERM"] as const;

/** 129, 130 or 143, as a shell reports a program that was killed by a signal. */
export const signalExitCode = (signal: string): number => 128 + (ownValue(SIGNAL_NUMBERS, signal) ?? 0);

const OWN_EXITS: Partial<Readonly<Record<ProblemCode, number>>> = {
  PAYLOAD_MISSING: EXIT.usage,
  PLATFORM_UNSUPPORTED: EXIT.usage,
  BASE_NOT_READ: EXIT.usage,
  LOG_NOT_READ: EXIT.outputLost,
  NOTHING_RECORDED: EXIT.usage,
  STATE_NOT_NUMBER: EXIT.checkFailed,
  PACK_BAD_SOURCE: EXIT.usage,
  PACK_BAD_NAME: EXIT.usage,
  PACK_UNKNOWN: EXIT.usage,
  PACK_NOT_APPROVED: EXIT.notApproved,
  PACK_LOCK_INVALID: EXIT.badConfig,
  OUTPUT_LOST: EXIT.outputLost,
  REPORT_NOT_WRITTEN: EXIT.outputLost,
  FILE_NOT_WRITTEN: EXIT.outputLost,
  SESSION_NOT_USABLE: EXIT.outputLost,
  EXPORT_NOT_CONFIGURED: EXIT.badConfig,
  EXPORT_BAD_VALUE: EXIT.badConfig,
  EXPORT_CURSOR_INVALID: EXIT.badConfig,
  EXPORT_CURSOR_NOT_WRITTEN: EXIT.outputLost,
  RECURSION: EXIT.recursion,
};

const FAMILY_EXITS: readonly (readonly [family: string, exitCode: number])[] = [
  ["USAGE_", EXIT.usage],
  ["PROJECT_", EXIT.usage],
  ["PAYLOAD_", EXIT.badPayload],
  ["CONFIG_", EXIT.badConfig],
  ["CASE_", EXIT.checkFailed],
  ["PACK_", EXIT.checkFailed],
  ["EXPORT_", EXIT.checkFailed],
  ["SERVE_", EXIT.fault],
  ["AGENT_", EXIT.badConfig],
  ["TRUST_", EXIT.notApproved],
  ["HOOK_REFUSED_", EXIT.notApproved],
];
