// The words of the hostile cases are neutral; this says them in hookctl's own. No other file here knows its JSON.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** @typedef {{ class: string, event?: string, hook_timeout_ms: number }} Case */
/** @typedef {{ code: number | null, signal: string | null, stdout: string, stderr: string }} CommandResult */
/** @typedef {{ name: string, outcome: string, failure?: { code: string } }} HookJson */
/**
 * @typedef {object} Classified
 * @property {string} decision
 * @property {string} exit_class
 * @property {readonly { name: string, status: string, kind: string | null }[]} hooks
 * @property {readonly string[]} [active]
 * @property {readonly string[]} [passed]
 * @property {readonly string[]} [failed]
 */
/** @typedef {{ name: string, events: readonly string[], trust: string, enabled: boolean }} ListedHook */

const bin = fileURLToPath(new URL("../../bin/hookctl.js", import.meta.url));
/** The words that start hookctl; HOOKCTL_BIN: another program to test in its place. */
export const HOOKCTL = process.env.HOOKCTL_BIN === undefined ? [process.execPath, bin] : [process.env.HOOKCTL_BIN];

/** @param {string} name list, run or test @param {Case} c */
export function command(name, c) {
  const commands = {
    list: ["list", "--json"],
    run: ["run", c.event ?? "", "--json", "--timeout", `${c.hook_timeout_ms}ms`],
    test: ["test", "--json", "--timeout", `${c.hook_timeout_ms}ms`, "./.kodelet/hooks"],
  }[name];
  const [file = "", ...words] = HOOKCTL;
  return { file, args: [...words, ...(commands ?? [name])] };
}

const personScript = fileURLToPath(new URL("../../tools/as-person.cjs", import.meta.url));

/** A person approves. @param {{ repo: string, env: NodeJS.ProcessEnv }} ctx */
export function trust({ repo, env }) {
  const [file = "", ...words] = HOOKCTL.length === 1 ? HOOKCTL : [process.execPath, personScript, bin];
  spawnSync(file, [...words, "trust", "--yes"], { cwd: repo, env });
}

/** @param {{ home: string }} ctx */
export const auditFile = ({ home }) => join(home, ".local", "state", "hookctl", "audit.jsonl");

/** @param {string} name @param {CommandResult} result @returns {Classified} */
export function classify(name, result) {
  const exit_class = exitClass(result);
  const output = objectIn(result.stdout);
  if (output === null) return { decision: "none", exit_class, hooks: [], active: [], passed: [], failed: [] };
  if (name === "test") return { decision: "none", exit_class, hooks: [], ...testedNames(output.hooks) };
  if (name === "list") return { decision: "none", exit_class, hooks: [], active: activeNames(output.hooks) };
  return { decision: decisionOf(output), exit_class, hooks: output.hooks.map(statusOf) };
}

/** @param {CommandResult} ended */
function exitClass({ code, signal }) {
  if (signal !== null || [129, 130, 143].includes(code ?? 0)) return "signal";
  return { 0: "ok", 1: "test-failed", 2: "blocked", 64: "usage" }[code ?? -1] ?? "fault";
}

/** @param {string} stdout */
function objectIn(stdout) {
  try {
    const value = JSON.parse(stdout);
    return Array.isArray(value?.hooks) ? value : null;
  } catch {
    return null;
  }
}

/** @param {readonly ListedHook[]} hooks */
const activeNames = (hooks) =>
  hooks.filter((hook) => hook.trust === "trusted" && hook.enabled && hook.events.length > 0).map(({ name }) => name);

/** @param {readonly { name: string, passed: boolean }[]} hooks */
const testedNames = (hooks) => ({
  passed: hooks.filter(({ passed }) => passed).map(({ name }) => name),
  failed: hooks.filter(({ passed }) => !passed).map(({ name }) => name),
});

/** @param {{ decision: string, hooks: readonly HookJson[] }} output */
function decisionOf({ decision, hooks }) {
  if (decision !== "continue") return "block";
  return hooks.some(({ outcome }) => outcome === "modify" || outcome === "replace") ? "modify" : "pass";
}

const STATUS = { continue: "pass", observed: "pass", replace: "modify", failed: "error" };

/** @param {HookJson} hook */
function statusOf({ name, outcome, failure }) {
  const status = STATUS[/** @type {keyof typeof STATUS} */ (outcome)] ?? outcome;
  return { name, status, kind: failure === undefined ? null : kindOf(failure.code) };
}

/** @type {Readonly<Record<string, string>>} */
const KINDS = {
  HOOK_TIMED_OUT: "timeout",
  HOOK_TOO_MUCH_OUTPUT: "output_limit",
  HOOK_EXITED: "exit_code",
  HOOK_SIGNALLED: "signal",
  HOOK_NOT_STARTED: "exec_failed",
  HOOK_BAD_FORMAT: "not_executable_format",
  HOOK_UNKNOWN_TYPE: "invalid_output",
  HOOK_BAD_ANSWER: "invalid_output",
};

/** @param {string} code */
const kindOf = (code) => (code.startsWith("REPLY_") ? "invalid_output" : (KINDS[code] ?? code));
