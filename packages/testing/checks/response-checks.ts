import type { Decision } from "../../../src/protocol/hook-response.ts";
import { type Warning, warningText } from "../../../src/protocol/warning.ts";
import type { Invocation } from "../scratch/invoke-in-scratch.ts";
import { type Finding, failedCheck, passedCheck, problemCheck } from "../test-report.ts";
import { SAMPLE_CHECK, UNKNOWN_FIELDS_CHECK } from "./payload-checks.ts";

/** The checks of all responses of a hook, by name; each returns null if it does not apply. */
export const RESPONSE_CHECKS: Readonly<Record<string, (answers: readonly Invocation[]) => Finding | null>> = {
  "prints one JSON object or nothing": checkOutputIsJson,
  "gives a reason when it blocks": (answers) => {
    if (!answers.some(({ result: { response } }) => response.ok)) return null;
    const mute = answers.find(
      ({ result: { response } }) => response.ok && isStop(response.value?.decision) && !response.value?.reason?.trim(),
    );
    if (mute === undefined) return passedCheck();
    const message = `it blocked without a reason${payloadNote(mute)}`;
    return failedCheck(message, 'Add a reason: {"blocked":true,"reason":"…"}', outputLines(mute));
  },
  "blocks with exit 0": (answers) => {
    if (!answers.some(hasExited)) return null;
    const lost = answers.find(isUnreadableBlock);
    if (lost === undefined) {
      const how = answers.flatMap(({ result: { failedWith = [] } }) => failedWith)[0];
      return passedCheck(how === undefined ? null : `its block applies, but it ended with ${how}`);
    }
    const how = lost.result.exitCode === null ? "" : ` and ended with exit ${lost.result.exitCode}`;
    const message = `it may have printed a block${how}, but its output cannot be read${payloadNote(lost)}`;
    return failedCheck(message, 'Print one JSON object and exit 0: {"blocked":true,"reason":"…"}', outputLines(lost));
  },
  "decides the same with unknown fields": checkSameDecision,
  "finishes within its timeout": (answers) => {
    const late = answers.find(({ result: { response } }) => !response.ok && response.error.code === "HOOK_TIMED_OUT");
    if (late === undefined) return passedCheck(warningIn(answers, "SLOW"));
    const message = `it exceeded its timeout (${late.checkName})`;
    return failedCheck(message, "Make the hook faster, or raise its timeout.");
  },
  "leaves no process behind": (answers) => {
    if (!answers.some(hasExited)) return null;
    const left = warningIn(answers, "LEFTOVERS_ENDED");
    const hint = "Wait for the processes that the hook starts, or declare background: true.";
    return left === null ? passedCheck() : failedCheck(left, hint);
  },
};

/** The words of the first warning with this code. */
function warningIn(answers: readonly Invocation[], wanted: Warning["code"]): string | null {
  const warning = answers.flatMap(({ result }) => result.warnings).find(({ code }) => code === wanted);
  return warning === undefined ? null : warningText(warning);
}

/** True if it ended on its own and not at a limit. */
const hasExited = ({ result }: Invocation): boolean => result.exitCode !== null || result.signal !== null;

const isStop = (decision: Decision | undefined): boolean => decision === "block" || decision === "ask";

/** A failed hook that may have tried to block. */
export function isUnreadableBlock({ result: { response, warnings } }: Invocation): boolean {
  if (response.ok || response.error.code.startsWith("REPLY_")) return false;
  return warnings.some(({ code }) => code === "BLOCK_LOST");
}

/** The output could be read in part, so only a block in it counts. */
const BROKEN: readonly Warning["code"][] = ["RESPONSE_BROKEN", "NOT_UTF8"];
const PURE = "Print one JSON object in UTF-8, and log to stderr.";

function checkOutputIsJson(answers: readonly Invocation[]): Finding | null {
  const readable = answers.filter(
    ({ result: { response } }) => response.ok || response.error.code.startsWith("REPLY_"),
  );
  if (readable.length === 0) return null;
  for (const answer of readable) {
    const { response } = answer.result;
    const broken = response.ok ? response.value?.warnings.find(({ code }) => BROKEN.includes(code)) : undefined;
    if (broken !== undefined)
      return failedCheck(`${warningText(broken)}${payloadNote(answer)}`, PURE, outputLines(answer));
    const problem = response.ok ? (response.value?.possibleBlock ?? null) : response.error;
    if (problem === null || !problem.code.startsWith("REPLY_")) continue;
    const finding = problemCheck(problem);
    const line = problem.code === "REPLY_NOT_JSON" ? problem.line : null;
    return { ...finding, message: `${finding.message}${payloadNote(answer)}`, excerpt: outputLines(answer, line) };
  }
  const warnings = readable.flatMap(({ result: { response } }): readonly Warning[] =>
    response.ok ? (response.value?.warnings ?? []) : [],
  );
  const words = [...new Set(warnings.filter(({ code }) => code !== "FROM_HOOK").map(warningText))];
  return passedCheck(words.length === 0 ? null : words.join("; "));
}

function checkSameDecision(answers: readonly Invocation[]): Finding | null {
  const [plain, extended] = [SAMPLE_CHECK, UNKNOWN_FIELDS_CHECK].map(
    (name) => answers.find(({ checkName }) => checkName === name)?.result.response,
  );
  if (!plain?.ok || !extended?.ok) return null;
  const [before, after] = [plain.value?.decision ?? "none", extended.value?.decision ?? "none"];
  if (before === after) return passedCheck();
  const words = (decision: Decision): string => (decision === "none" ? "allow" : decision);
  return failedCheck(
    `it decided ${words(before)} for the sample, but ${words(after)} with unknown fields`,
    "Read only the fields that you know and ignore the rest.",
  );
}

/** Which payload it was, where it was not the plain sample. */
const payloadNote = ({ checkName }: Invocation): string => (checkName === SAMPLE_CHECK ? "" : ` (${checkName})`);

const SHOWN_LINES = 4;

/** The lines of stdout around a fault, the faulty one marked. */
export function outputLines({ stdout }: Invocation, faulty: number | null = null): readonly string[] {
  if (stdout === "") return [];
  const lines = stdout.replace(/\n$/, "").split("\n");
  const first = Math.max(0, (faulty ?? 1) - 2);
  return lines
    .slice(first, first + SHOWN_LINES)
    .map((line, index) => `line ${first + index + 1}  ${line}${first + index + 1 === faulty ? "   ← not JSON" : ""}`);
}
