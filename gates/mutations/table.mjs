// Deliberate faults, each with the promise that it breaks and the tests that should notice.

/**
 * @typedef {object} Mutation
 * @property {string} id
 * @property {string} promise what does not hold any more
 * @property {string} file its path in the repository
 * @property {string} text stands in the file; the first occurrence is replaced
 * @property {string} replacement
 * @property {readonly string[]} tests paths of test files or folders that are run first
 */

const TRUST = [
  "test/trust/snapshots",
  "test/trust/decide",
  "test/trust/files",
  "test/trust/owner",
  "test/trust/store",
  "test/trust/approvals",
  "test/trust/links",
  "test/trust/unsafe",
  "test/trust/attacks",
];
const WORKTREES = ["test/trust/worktrees"];
const CHAIN = ["test/chain", "test/cli/failed-guards"];
const RESPONSES = ["test/dialects", "test/chain", "test/invoke/invoke-hook", "test/invoke/return-value"];
const PROCESS = ["test/process"];
const BRIDGE = [
  "test/engine/together",
  "packages/connect/test/bridge",
  "packages/agents/test/answers",
  "packages/agents/test/raised",
];
const HONEST = ["test/gates/truth"];
const RUN = [
  "test/cli/failed-guards",
  "test/commands/run-decisions",
  "test/commands/run-failures",
  "test/commands/run-settings",
  "test/config/overrides",
  "test/config/project-limits",
];

/** @type {(id: string, promise: string, where: readonly [string, string, string], tests: readonly string[]) => Mutation} */
const one = (id, promise, [file, text, replacement], tests) => ({ id, promise, file, text, replacement, tests });

/** @type {readonly Mutation[]} */
export const MUTATIONS = [
  // Approvals.
  one(
    "T01",
    "a denied hook is not started",
    ["src/trust/decide/decide-trust.ts", "if (isDenied(candidate, approvals)) {", "if (false) {"],
    TRUST,
  ),
  one(
    "T02",
    "a hook that others may write is refused",
    [
      "src/trust/decide/decide-trust.ts",
      "if (unsafe !== null) return",
      "if (unsafe !== null && approval !== null) return",
    ],
    TRUST,
  ),
  one(
    "T03",
    "an approved hook in an unsafe place is missed",
    ["src/trust/decide/decide-trust.ts", "if (approval === null) return unsafe;", "return unsafe;"],
    TRUST,
  ),
  one(
    "T04",
    "a store that cannot be read approves nothing, also with --trust",
    [
      "src/trust/decide/decide-trust.ts",
      "if (!context.approvals.ok) {",
      "if (!context.approvals.ok && !context.isTrustedForOneCall) {",
    ],
    TRUST,
  ),
  one(
    "T05",
    "a changed hook is not started",
    ["src/trust/decide/decide-trust.ts", "if (changes.length === 0) return", "if (changes.length <= 1) return"],
    TRUST,
  ),
  one(
    "T06",
    "a worktree's hook that differs is not approved",
    [
      "src/trust/decide/decide-trust.ts",
      "return compare(candidate, here, context).changes.length === 0 ? here : null;",
      "return here;",
    ],
    WORKTREES,
  ),
  one(
    "T07",
    "a link that leaves the project is refused",
    ["src/trust/decide/decide-trust.ts", "if (fromProject && leavesProject(candidate)) {", "if (false) {"],
    TRUST,
  ),
  one(
    "T08",
    "the way to a link's target is walked",
    ["src/trust/decide/decide-trust.ts", "return realPath === path ? unsafe :", "return true ? unsafe :"],
    TRUST,
  ),
  one(
    "T09",
    "mode is part of an approval",
    ["src/trust/evidence/evidence.ts", "decisiveBits(approved) === decisiveBits(now)", "true"],
    TRUST,
  ),
  one(
    "T10",
    "owner is part of an approval",
    ["src/trust/evidence/evidence.ts", "approved.owner === now.owner", "true"],
    TRUST,
  ),
  one(
    "T11",
    "the real path is part of an approval",
    ["src/trust/evidence/evidence.ts", "approved.realPath === now.realPath", "true"],
    TRUST,
  ),
  one(
    "T12",
    "content that cannot be read is a change",
    [
      "src/trust/evidence/evidence.ts",
      "approved.sha256 !== null && approved.sha256 === now.sha256",
      "approved.sha256 === now.sha256",
    ],
    TRUST,
  ),
  one(
    "T13",
    "a store of another user is not read",
    ["src/trust/store/trust-store.ts", "if (stats.uid !== userId && stats.uid !== 0)", "if (false)"],
    TRUST,
  ),
  one(
    "T14",
    "a store that others may write is not read",
    ["src/trust/store/trust-store.ts", "if (writableByOthers(userId)(stats))", "if (false)"],
    TRUST,
  ),
  one(
    "T15",
    "a store of another version is not read",
    ["src/trust/store/trust-store.ts", "value.version !== STORE_VERSION", "false"],
    TRUST,
  ),
  one(
    "T16",
    "a store changes under its lock",
    [
      "src/trust/store/trust-store.ts",
      'if (!lock.isOurs()) throw new Error("another process took its lock over");',
      "",
    ],
    TRUST,
  ),
  one(
    "T17",
    "a broken store is set aside, not thrown away",
    ["src/trust/store/trust-store.ts", "if (!before.ok) renameSync", "if (false) renameSync"],
    TRUST,
  ),
  one(
    "T18",
    "a worktree is one only when the repository names it",
    [
      "src/fs/git.ts",
      'if (back === "" || realPathOrNull(resolve(own, back)) !== realPathOrNull(link)) return null;',
      "",
    ],
    WORKTREES,
  ),
  one(
    "T19",
    "a folder above the hook counts",
    [
      "src/trust/decide/ownership.ts",
      "both(unsafeItself(file, stamp, rule), unsafeFolders(dirname(file), root))",
      "unsafeItself(file, stamp, rule)",
    ],
    TRUST,
  ),
  one(
    "T20",
    "a sticky folder is safe, another one is not",
    ["src/trust/decide/ownership.ts", "const isSticky = (stats.mode & STICKY) !== 0;", "const isSticky = true;"],
    TRUST,
  ),
  one(
    "T21",
    "an approved hook is looked at again right before each start",
    [
      "src/engine/trust-statuses.ts",
      "if (before.status.approval !== null) return recheckApproved(before.candidate, trustContext, context);",
      "if (before.standing.approval !== null) return null;",
    ],
    TRUST,
  ),
  one(
    "T22",
    "a digest approves for what was read, up to the start",
    ["src/engine/trust-statuses.ts", "return isCovered && digestOf() !== expected", "return isCovered && false"],
    TRUST,
  ),
  one(
    "T23",
    "what is kept of a hook is what was hashed",
    ["src/trust/store/approved-snapshots.ts", " && sha256Of(content) === hash", ""],
    TRUST,
  ),
  one(
    "T24",
    "a closed guard that is gone is missed",
    ["src/engine/hooks/missing-hooks.ts", "!present.has(approval.path)", "present.has(approval.path)"],
    TRUST,
  ),
  one(
    "T25",
    "a project may not hide a closed or required guard",
    [
      "src/engine/hooks/select-hooks.ts",
      "if (hider === undefined || isKept) return false;",
      "if (hider === undefined) return false;",
    ],
    [
      ...TRUST,
      "test/discover",
      "test/commands/run-decisions",
      "test/commands/run-failures",
      "test/commands/run-settings",
    ],
  ),
  one(
    "T26",
    "only a hook that may run hides another",
    [
      "src/engine/hooks/select-hooks.ts",
      'isFromProject(hook) && hook.state === "ready";',
      'isFromProject(hook) && hook.state !== "disabled";',
    ],
    [
      ...TRUST,
      "test/discover",
      "test/commands/run-decisions",
      "test/commands/run-failures",
      "test/commands/run-settings",
    ],
  ),
  one(
    "T27",
    "a required guard that is missing blocks",
    ["src/engine/hooks/missing-hooks.ts", "...missingIn(user, canSatisfy)", "...[]"],
    RUN,
  ),
  one(
    "T28",
    "a required guard that nobody approved blocks",
    ["src/engine/hooks/apply-settings.ts", "if (override.required === true) return false;", ""],
    RUN,
  ),
  one(
    "T29",
    "fail_open: false of the user closes a hook that nobody approved",
    [
      "src/engine/hooks/apply-settings.ts",
      "return above.fail_open !== false && settings.onUntrusted",
      "return settings.onUntrusted",
    ],
    RUN,
  ),
  one(
    "T30",
    "a guard that must not fail open is closed when it cannot say so",
    ["src/engine/hooks/apply-settings.ts", ": !isUnidentifiedGuard;", ": true;"],
    [...RUN, "test/trust/unsafe", "test/trust/unreadable"],
  ),
  // The chain.
  one(
    "C01",
    "a fail-closed guard that failed blocks",
    ["src/chain/advance.ts", "if (hook.failOpen && !isStarved(hook, problem)) return state;", "return state;"],
    CHAIN,
  ),
  one(
    "C02",
    "a guard that was lost blocks, open or not",
    ["src/chain/advance.ts", "if (isLostGuard(problem) && EVENT_ROWS", "if (false && EVENT_ROWS"],
    CHAIN,
  ),
  one(
    "C03",
    "a guard that timed out blocks when it fails closed",
    [
      "src/chain/advance.ts",
      "if (hook.failOpen && !isStarved(hook, problem)) return state;",
      'if ((hook.failOpen && !isStarved(hook, problem)) || problem.code === "HOOK_TIMED_OUT") return state;',
    ],
    CHAIN,
  ),
  one(
    "C04",
    "a guard that cannot be started blocks when it fails closed",
    [
      "src/chain/advance.ts",
      "if (hook.failOpen && !isStarved(hook, problem)) return state;",
      'if ((hook.failOpen && !isStarved(hook, problem)) || problem.code === "HOOK_NOT_STARTED") return state;',
    ],
    CHAIN,
  ),
  one(
    "C05",
    "a guard that the deadline cut off blocks when it fails closed",
    [
      "src/chain/advance.ts",
      "if (hook.failOpen && !isStarved(hook, problem)) return state;",
      'if ((hook.failOpen && !isStarved(hook, problem)) || problem.code === "HOOK_DEADLINE_PASSED") return state;',
    ],
    CHAIN,
  ),
  one(
    "C06",
    "a block drops the changes before it",
    ["src/chain/advance.ts", "payload: isBlocked ? first : kept.payload", "payload: kept.payload"],
    CHAIN,
  ),
  one(
    "C07",
    "a block outranks a question",
    [
      "src/chain/advance.ts",
      'if (state.status === "blocked") {',
      'if (state.status === "blocked" && state.ask === null) {',
    ],
    CHAIN,
  ),
  one(
    "C08",
    "observers decide nothing",
    ["src/chain/advance.ts", 'if (hook.observe) return withStep(state, turn, { outcome: "observed" });', ""],
    CHAIN,
  ),
  one(
    "C09",
    "a hook after the deadline is not started",
    ["src/invoke/invoke-hook.ts", "if (remainingMs(context.deadline) <= 0 && !isAtOnce(hook))", "if (false)"],
    [...CHAIN, "test/invoke/invoke-hook"],
  ),
  one(
    "C10",
    "a hook is looked at right before its start",
    ["src/invoke/invoke-hook.ts", "if (refusal !== null) return notInvoked(refusal, true);", ""],
    ["test/invoke/invoke-hook", ...TRUST],
  ),
  // Responses.
  one(
    "D01",
    "a response that cannot be read is a failure",
    [
      "src/dialects/response/read-response.ts",
      "if (!hasEffect(reply)) return fail({ ...at, ...doubtful.fault });",
      "if (!hasEffect(reply)) return ok(ignored(unread));",
    ],
    RESPONSES,
  ),
  one(
    "D02",
    "exit 2 of a claude hook blocks",
    ["src/dialects/claude.ts", "if (exitCode === 2) {", "if (exitCode === 22) {"],
    [...RESPONSES, "packages/agents/test/claude-hooks"],
  ),
  one(
    "D03",
    "decision: deny blocks",
    ["src/dialects/kodelet.ts", 'deny: () => ({ decision: "block" })', 'deny: () => ({ decision: "ask" })'],
    RESPONSES,
  ),
  one(
    "D04",
    "a readable block counts whatever the exit code",
    [
      "src/invoke/hook-result.ts",
      'if (decision !== "block" && decision !== "ask") return fail(problem);',
      "return fail(problem);",
    ],
    [...RESPONSES, "test/cli/guards-kept", "test/cli/composition"],
  ),
  one(
    "D05",
    "a redactor may return what it was given",
    ["src/invoke/hook-result.ts", "Math.max(LEAST_OUTPUT_BYTES, 4 * Buffer.byteLength(payload))", "LEAST_OUTPUT_BYTES"],
    [...RESPONSES, "test/examples/agenthook", "test/invoke"],
  ),
  // Processes.
  one(
    "P02",
    "a hook gets TERM first",
    ["src/process/run-process.ts", 'graceMs > 0 ? "SIGTERM" : "SIGKILL"', '"SIGKILL"'],
    PROCESS,
  ),
  one(
    "P03",
    "a hook that prints too much is ended",
    ["src/process/run-process.ts", "if (output.stdout.isOver()) terminate(", "if (false) terminate("],
    PROCESS,
  ),
  one(
    "P04",
    "a hook has a process group of its own",
    ["src/process/spawn-child.ts", "detached: true,", "detached: false,"],
    PROCESS,
  ),
  one(
    "P05",
    "loader variables do not reach hooks",
    [
      "src/process/filter-environment.ts",
      "return filtered(caller, (name) => !isLoader(name) && !isOwn(name));",
      "return filtered(caller, (name) => !isOwn(name));",
    ],
    PROCESS,
  ),
  one(
    "P06",
    "GCONV_PATH does not reach hooks",
    ["src/process/filter-environment.ts", '  "GCONV_PATH",\n', ""],
    PROCESS,
  ),
  one(
    "P07",
    "a project's hook sees the allow-list alone",
    [
      "src/process/filter-environment.ts",
      "filtered(caller, (name) => isAllowedVariable(name, envAllow)),",
      "filtered(caller, () => true),",
    ],
    PROCESS,
  ),
  one(
    "P08",
    "rotation moves only the file that was too large",
    ["src/audit/append.ts", "if (statSync(file).ino !== fstatSync(descriptor).ino) return;", ""],
    ["test/audit"],
  ),
  one(
    "P09",
    "a dead holder's lock is dropped after a second look",
    ["src/fs/lock.ts", "if (ownerOf(file) === owner) remove(file);", "remove(file);"],
    ["test/fs", "test/session"],
  ),
  one(
    "P10",
    "a lock is taken over only from the dead",
    ["src/fs/lock.ts", "place === processSpace() && !isRunning(Number(number), start)", "place === processSpace()"],
    ["test/fs", "test/session"],
  ),
  // The bridge.
  one(
    "B01",
    "bridge ignores HOOKCTL_DEADLINE",
    ["src/cli/agent-variables.ts", '"HOOKCTL_TIMEOUT", "HOOKCTL_DEADLINE"]', '"HOOKCTL_TIMEOUT"]'],
    BRIDGE,
  ),
  one(
    "B02",
    "bridge ignores HOOKCTL_TRUST",
    ["src/cli/agent-variables.ts", '"HOOKCTL_SKIP", "HOOKCTL_TRUST", ', '"HOOKCTL_SKIP", '],
    BRIDGE,
  ),
  one(
    "B03",
    "--fail-closed blocks what cannot be read",
    [
      "packages/connect/bridge/trouble.ts",
      "if (isClosed && block !== undefined)\n    return printAnswer({ ...(isTold ? notify?.(reason) : {}), ...block(reason) }, true, host);",
      "",
    ],
    BRIDGE,
  ),
  one(
    "B04",
    "settings that cannot be loaded are a trouble",
    ["packages/connect/bridge/trouble.ts", "if (problem !== undefined) return problem;", ""],
    BRIDGE,
  ),
  one(
    "B05",
    "an answer that cannot be written and must arrive stops",
    [
      "packages/connect/bridge/trouble.ts",
      "return mustArrive && (writeError !== null || host.isStdoutNull()) ? EXIT.blocked : EXIT.ok;",
      "return EXIT.ok;",
    ],
    [...BRIDGE, "packages/connect/test/doctor"],
  ),
  one(
    "B06",
    "of several events the strictest answer decides",
    ["src/engine/run/run-event.ts", "strictness(other) > strictness(found) ? other : found", "found"],
    [...BRIDGE, "packages/connect/test/doctor"],
  ),
  one(
    "B07",
    "a payload that lacks something is a trouble of a closed line",
    [
      "packages/connect/bridge/agent-call.ts",
      "if (problems[0] !== undefined && (first === undefined || isDenied)) return fail(problems[0]);",
      "if (problems[0] !== undefined && first === undefined) return fail(problems[0]);",
    ],
    BRIDGE,
  ),
  // Statements: the gate `truth` holds them against what a native call does.
  one(
    "H01",
    "doctor exits with 1 when a check fails",
    [
      "packages/connect/commands/doctor.ts",
      'boolean => status === "fail";',
      'boolean => status === "fail" && status.length === 0;',
    ],
    HONEST,
  ),
  one(
    "H02",
    "status does not count a hook that is off",
    ["packages/connect/commands/status.ts", "!isRefused(hook) && hook.disabledReason === null", "!isRefused(hook)"],
    HONEST,
  ),
  one(
    "H03",
    "list --json says which hooks are off",
    ["src/report/list-json.ts", "enabled: hook.disabledReason === null,", "enabled: true,"],
    HONEST,
  ),
];
