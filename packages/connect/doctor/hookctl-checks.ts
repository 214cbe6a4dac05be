import { accessSync, constants, existsSync, lstatSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { payloadLogOf } from "../../../src/audit/payload-log.ts";
import { exportCursorFile } from "../../../src/audit/remove-log.ts";
import { lacksExecuteBit } from "../../../src/discover/identify.ts";
import type { CreatedContext } from "../../../src/engine/create-run-context.ts";
import { findAllCandidates } from "../../../src/engine/hooks/candidates.ts";
import { withMissingCommands } from "../../../src/engine/hooks/missing-command.ts";
import { type HookSet, resolveHooks } from "../../../src/engine/hooks/resolve-hooks.ts";
import type { Host } from "../../../src/engine/host.ts";
import { placeClosedToUsers } from "../../../src/fs/machine-folder.ts";
import { firstBytes, NOT_REGULAR } from "../../../src/fs/read-file.ts";
import type { Checkup } from "../../../src/protocol/doctor-check.ts";
import { errnoCode } from "../../../src/protocol/errno.ts";
import { type Hook, isFromProject, isMachine, isTrustRefusal, SKIP_REASONS } from "../../../src/protocol/hook.ts";
import { turnOnHint } from "../../../src/protocol/pause.ts";
import { isLostGuard, type Problem } from "../../../src/protocol/problem.ts";
import { explain } from "../../../src/protocol/problem-messages/explain.ts";
import { ok } from "../../../src/protocol/result.ts";
import { pluralize } from "../../../src/protocol/text/count.ts";
import { quoteHookName, shellQuote } from "../../../src/protocol/text/shell-quote.ts";
import { listNames } from "../../../src/protocol/text/text.ts";
import { placeHint } from "../../../src/protocol/unsafe-path.ts";
import { warningText } from "../../../src/protocol/warning.ts";
import { misspeltEvent } from "../../../src/report/trust/program-summary.ts";
import { allExampleFaults, allUnknownRules } from "../../guard-hooks/rule-checks.ts";
import { readLockFile } from "../../packs/lock.ts";
import { packStateIn } from "../../packs/place-pack.ts";
import { COMPILE_CACHE_FOLDER, ensureCompileCache } from "../install/compile-cache.ts";
import { rootCommand } from "../report/agent-command.ts";
import { serversOf } from "../resident/resident-notes.ts";
import { cageFindings, cageState } from "./cage-state.ts";
import { mistakenFiles } from "./cannot-run.ts";
import { broken, type Check, doubtful, type Finding, type Findings, fine, runChecks } from "./check.ts";

interface Facts extends CreatedContext {
  readonly host: Host;
  readonly hookSet: HookSet;
}

/** The checks of hookctl itself, in the order of their lines. */
const CHECKS: readonly Check<Facts>[] = [
  { name: "node", find: nodeFinding },
  { name: "settings", find: settingsFindings },
  { name: "machine", find: machineFindings },
  { name: "guards", find: guardFindings },
  { name: "hooks", find: countFindings },
  { name: "hook", find: hookFindings },
  { name: "hooks", find: hookWarnings },
  { name: "packs", find: packFindings },
  { name: "trust store", find: trustFinding },
  { name: "record", find: recordFinding },
  { name: "export", find: exportFindings },
  { name: "speed", find: speedFinding },
  { name: "server", find: serverFinding },
  { name: "sandbox", find: sandboxFindings },
  { name: "cage", find: cageFinding },
];

export async function hookctlChecks(created: CreatedContext, host: Host): Promise<readonly Checkup[]> {
  const { context } = created;
  const found = await resolveHooks(findAllCandidates(context), context, null);
  const hookSet = { ...found, hooks: withMissingCommands(found.hooks, context) };
  return runChecks(CHECKS, { ...created, host, hookSet });
}

function nodeFinding(): Finding {
  const { node } = process.versions;
  const [major = 0, minor = 0] = node.split(".").map(Number);
  const isEnough = major > 20 || (major === 20 && minor >= 19);
  return isEnough ? fine(`node ${node}`) : broken(`node ${node}`, "hookctl needs 20.19 or newer.");
}

async function speedFinding({ host }: Facts): Promise<Finding> {
  if (await ensureCompileCache(host)) return fine("compile cache works");
  return doubtful(
    "no compile cache for this version of Node: each call takes about 20 % longer",
    `As a user who may write to ${COMPILE_CACHE_FOLDER}, run once: hookctl doctor`,
  );
}

function serverFinding({ context }: Facts): Findings {
  return serversOf(context.scopes.homeDir).length === 0 ? [] : fine("a server answers agents' calls");
}

/** Warnings about settings that other checks report. */
const REPORTED_ELSEWHERE: readonly string[] = ["MACHINE_REFUSED", "SETTINGS_NOT_READ", "ENTRY_NOT_USED"];

function settingsFindings({ loaded: { problems, partialProblems, warnings } }: Facts): readonly Finding[] {
  const findings = [
    ...[...problems, ...partialProblems].map((problem) => explained(problem, "fail")),
    ...warnings
      .filter(({ code }) => !REPORTED_ELSEWHERE.includes(code))
      .map((warning) => doubtful(warningText(warning))),
  ];
  return findings.length === 0 ? [fine("settings valid")] : findings;
}

/** The administrator's settings, and whether they are valid. */
function machineFindings({ context: { machine, userId }, hookSet: { hooks } }: Facts): Findings {
  if (machine === null) return [];
  const { path, cause, isParsed } = machine;
  const quoted = shellQuote(path);
  const cure = `As root, repair the file, or: chown -R root ${quoted} && chmod -R a+rX,go-w ${quoted}`;
  if (cause !== null) return broken(`${path} is not trusted: ${cause}`, cure);
  const names = [...new Set(hooks.filter(isMachine).map(({ name }) => name))];
  const found = fine(names.length === 0 ? `${path}: no hooks` : `${path} turns on for every user: ${listNames(names)}`);
  const closed = placeClosedToUsers(path);
  if (closed !== null) {
    const detail = `not every user may read ${closed}: calls of the others that it could block are blocked`;
    return [found, doubtful(detail, cure)];
  }
  if (!isParsed || userId === 0) return found;
  const slow = "its settings are parsed in each call, which takes five times as long";
  return [found, { ...doubtful(slow, `Run once: ${rootCommand("hookctl doctor")}`), name: "machine speed" }];
}

/** Names in the settings that no rule has, and examples of added rules that do not hold. */
async function guardFindings({ context }: Facts): Promise<Findings> {
  const unknown = await allUnknownRules(context);
  const faults = await allExampleFaults(context);
  return [
    ...unknown.map((warning) => broken(warningText(warning), "Correct the name in the settings.")),
    ...faults.map(({ file, rule, detail }) =>
      broken(`${rule} in ${file}: ${detail}`, "Correct the forms of the rule, or the example."),
    ),
  ];
}

function countFindings({ hookSet: { hooks, skipped }, context }: Facts): Finding {
  if (!context.options.mayStart) return doubtful("all hooks are disabled (HOOKCTL_NO_HOOKS or --no-hooks)");
  const enabled = hooks.filter(isEnabled);
  const count = enabled.filter(({ state }) => state === "ready").length;
  const guards = enabled.filter(({ kind }) => kind === "guard").length;
  const isNoneEnabled = enabled.length + skipped.length === 0;
  const found = [
    ...(guards === 0 ? [] : [pluralize(guards, "built-in guard")]),
    ...(count > guards || guards === 0 ? [pluralize(count - guards, "hook")] : []),
  ].join(" and ");
  if (isNoneEnabled && hooks.length === 0) return fine("no hooks yet");
  if (!isNoneEnabled && count > 0) return fine(`${found} found`);
  const off = pluralize(hooks.length - enabled.length, "hook");
  return doubtful(isNoneEnabled ? `no hook is on, ${off} off` : `${found} found`, "List them: hookctl list --all");
}

const isEnabled = ({ state }: Hook): boolean => state !== "disabled";

/** Hooks that do not run, and skipped files that look like hooks. */
function hookFindings({ hookSet: { hooks, skipped }, context }: Facts): readonly Finding[] {
  if (!context.options.mayStart) return [];
  return [
    ...hooks.filter(isEnabled).flatMap((hook) => refusalFinding(hook, context)),
    ...hooks.flatMap(disabledByName),
    ...mistakenFiles({ hooks, skipped }).map((skip) => {
      const cure = lacksExecuteBit(skip) ? `chmod +x ${shellQuote(skip.path)}` : null;
      return doubtful(`${skip.name} is skipped: ${skip.detail}`, cure);
    }),
  ];
}

/** A warning for a hook that is not approved, which may be intended; a failure for an approved hook that is lost. */
function refusalFinding(hook: Hook, { env }: Facts["context"]): readonly Finding[] {
  const { refusal, lost, trust } = hook;
  if (refusal === null) return [];
  if (lost !== undefined) return [broken(explain(refusal).summary, lost.fix)];
  // To give them to root would take the project away from its user.
  if (refusal.code === "HOOK_REFUSED_UNSAFE" && env.SUDO_UID !== undefined)
    return [doubtful(explain(refusal).summary, "Run doctor without sudo, as the user whose project this is.")];
  // A user hook that others could change does not run, which is never intended.
  const isUnsafe = trust === "unsafe" && !isFromProject(hook);
  const isIntended = isTrustRefusal(refusal) && !isLostGuard(refusal) && !isUnsafe;
  const finding = explained(refusal, isIntended ? "warn" : "fail");
  const misspelt = misspeltEvent(firstBytes(hook.path, 256 * 1024) ?? "");
  // The second reason why it is not called.
  return [misspelt === null ? finding : { ...finding, detail: `${finding.detail}. It ${misspelt}` }];
}

/** Only the user knows whether a disabled hook is intended. */
function disabledByName({ name, path, disabledReason }: Hook): readonly Finding[] {
  if (disabledReason !== SKIP_REASONS.disabled) return [];
  const enabled = path.replace(/\.disable$/, "");
  return [doubtful(`${name} is ${disabledReason}`, `To enable it: mv ${shellQuote(path)} ${shellQuote(enabled)}`)];
}

function hookWarnings({ hookSet: { warnings }, context }: Facts): readonly Finding[] {
  if (!context.options.mayStart) return [];
  return warnings
    .filter(({ code }) => code !== "TRUST_STORE_UNUSABLE")
    .map((warning) =>
      doubtful(warningText(warning), warning.code === "HOOK_PAUSED" ? turnOnHint(warning, warning.hook) : null),
    );
}

/** Whether there is a sandbox, if hooks request one. Hooks that require it are reported individually. */
function sandboxFindings({ hookSet: { hooks } }: Facts): Findings {
  const requesting = hooks.filter((hook) => hook.sandbox !== undefined && isEnabled(hook));
  const [first] = requesting;
  if (first?.sandbox === undefined) return [];
  const names = listNames(requesting.map(({ name }) => name));
  const { backend } = first.sandbox;
  if (backend !== null) return fine(`${backend} works, for ${names}`);
  const cure = "Install bubblewrap, for example: sudo apt-get install bubblewrap";
  return doubtful(`there is none for ${names}`, process.platform === "linux" ? cure : null);
}

async function cageFinding({ context, host }: Facts): Promise<Findings> {
  const state = cageState(context, host);
  if (state === null) return [];
  const { findCage } = await import("../../cage/index.ts");
  const backend = await findCage(context);
  return cageFindings(state, backend.ok ? null : backend.error);
}

function explained(problem: Problem, status: "warn" | "fail"): Finding {
  const { summary, hint } = explain(problem);
  return { status, detail: summary, hint };
}

function trustFinding({ context: { trustFile, trustFileProblem, trustStore } }: Facts): Finding {
  if (trustFile === null) {
    const cause = trustFileProblem?.cause ?? "";
    return broken(`there is none: ${cause}`, placeHint(cause));
  }
  const approvals = trustStore.approvals();
  if (!approvals.ok) {
    const hint = "Repair the file, or start a new one: hookctl trust moves the broken file aside.";
    return broken(`${trustFile} cannot be used: ${approvals.error}`, hint);
  }
  const cause = whyNotWritable(trustFile);
  return cause === null
    ? { ...fine("trust store usable"), name: "trust" }
    : broken(`${trustFile} cannot be written: ${cause}`, "Hooks cannot be approved until it is writable.");
}

function recordFinding({ context: { auditFile, settings, trustFileProblem } }: Facts): Finding {
  const { record } = settings;
  if (record === "off") return doubtful("disabled in your settings");
  if (auditFile === null) {
    return doubtful("there is no private folder for it", placeHint(trustFileProblem?.cause ?? ""));
  }
  for (const log of record === "payloads" ? [auditFile, payloadLogOf(auditFile)] : [auditFile]) {
    const cause = whyNotWritable(log) ?? (isOtherThanFile(log) ? NOT_REGULAR : null);
    if (cause !== null) {
      return broken(`${log} cannot be written: ${cause}`, "Hooks still run, but runs are not recorded.");
    }
  }
  return fine("audit log writable");
}

/** A link is reported, because logs are not written through links. */
const isOtherThanFile = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isFile() === false;

/** Checks the file, or the nearest existing folder above it, without writing. */
function whyNotWritable(file: string): string | null {
  let path = file;
  while (!existsSync(path) && path !== dirname(path)) path = dirname(path);
  try {
    if (path !== file && !statSync(path).isDirectory()) return `${path} is not a folder`;
    accessSync(path, constants.W_OK);
    const { blocks, bavail, bfree } = statfsSync(path);
    // Some systems report no blocks. The part that is reserved for root is not available to others.
    const isFull = blocks > 0 && (process.getuid?.() === 0 ? bfree : bavail) === 0;
    return isFull ? "ENOSPC" : null;
  } catch (error) {
    return errnoCode(error) ?? "unknown";
  }
}

/** Compares each pack with its lock file; no findings without packs. */
function packFindings({ context: { scopes } }: Facts): readonly Finding[] {
  const user = scopes.homeDir === null ? [] : packsIn(scopes.homeDir, " --scope user");
  return [...scopes.projectDirs.flatMap((folder) => packsIn(folder, "")), ...user];
}

function packsIn(root: string, scope: string): readonly Finding[] {
  const lock = readLockFile(root);
  if (!lock.ok) return [explained(lock.error, "fail")];
  return [...lock.value].map(([name, locked]) => {
    const state = packStateIn(root, name, locked);
    if (state.kind === "as-locked") return fine(`${name} is unchanged`);
    const files = listNames(state.files);
    if (state.kind === "missing")
      return broken(`files of ${name} are missing: ${files}`, `Restore them: hookctl add${scope}`);
    const cure = `To discard the changes: hookctl update ${quoteHookName(name)} --force${scope}`;
    return broken(`${name} has changed since it was added: ${files}`, cure);
  });
}

/** The result of the last export. */
async function exportFindings({ context: { auditFile, settings } }: Facts): Promise<Findings> {
  const { readCursor } = await import("../../insight/export/cursor.ts");
  const path = auditFile === null ? null : exportCursorFile(auditFile);
  const read = path === null ? ok(null) : readCursor(path);
  if (!read.ok) return broken(`${path} cannot be used: ${read.error}`, "Run: hookctl export");
  if (read.value === null) {
    const start = "Run it as a service: hookctl export --follow";
    return settings.exportTo === null ? [] : [doubtful("a collector is set, but nothing has been exported yet", start)];
  }
  const { problem, lost, gaps, rejected, lastRun } = read.value;
  const faults = [
    ...(problem === null ? [] : [problem.text]),
    ...(lost > 0 ? [`${pluralize(lost, "line was", "lines were")} removed before the export`] : []),
    ...(gaps > 0 ? ["files of the audit log were removed by another program"] : []),
    ...(rejected > 0 ? [`the collector rejected ${pluralize(rejected, "item")}`] : []),
  ];
  if (faults.length === 0) return fine(`exported up to ${lastRun ?? "now"}`);
  return faults.map((text) => doubtful(text, problem === null ? null : "Try again: hookctl export"));
}
