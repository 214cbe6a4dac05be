import { accessSync, constants, existsSync, lstatSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { payloadLogOf } from "../../../src/audit/payload-log.ts";
import { exportCursorFile } from "../../../src/audit/remove-log.ts";
import { lacksExecuteBit } from "../../../src/discover/identify.ts";
import type { Scopes } from "../../../src/discover/scopes.ts";
import type { CreatedContext } from "../../../src/engine/create-run-context.ts";
import { findAllCandidates } from "../../../src/engine/hooks/candidates.ts";
import { withMissingCommands } from "../../../src/engine/hooks/missing-command.ts";
import { type HookSet, resolveHooks } from "../../../src/engine/hooks/resolve-hooks.ts";
import type { Host } from "../../../src/engine/host.ts";
import type { RunContext } from "../../../src/engine/run-context.ts";
import { placeClosedToUsers } from "../../../src/fs/machine-folder.ts";
import { NOT_REGULAR } from "../../../src/fs/read-file.ts";
import { isNative } from "../../../src/process/own-program.ts";
import { broken, type Checkup, doubtful, fine } from "../../../src/protocol/doctor-check.ts";
import { errnoCode } from "../../../src/protocol/errno.ts";
import {
  type Hook,
  isFromProject,
  isMachine,
  isTrustRefusal,
  SKIP_REASONS,
  type SkippedFile,
  type SkipReason,
} from "../../../src/protocol/hook.ts";
import { turnOnHint } from "../../../src/protocol/pause.ts";
import { isLostGuard, type Problem } from "../../../src/protocol/problem.ts";
import { explain } from "../../../src/protocol/problem-messages/explain.ts";
import { ok } from "../../../src/protocol/result.ts";
import { pluralize } from "../../../src/protocol/text/count.ts";
import { quoteHookName, shellQuote } from "../../../src/protocol/text/shell-quote.ts";
import { listNames } from "../../../src/protocol/text/text.ts";
import { placeHint } from "../../../src/protocol/unsafe-path.ts";
import { warningText } from "../../../src/protocol/warning.ts";
import { readLockFile } from "../../packs/lock.ts";
import { type PackState, packStateIn } from "../../packs/place-pack.ts";
import { COMPILE_CACHE_FOLDER, ensureCompileCache } from "../install/compile-cache.ts";
import { findNative, type NativeProgram } from "../install/native-program.ts";

/** The checks of hookctl itself: Node, settings, hooks, approvals, audit log and compile cache. */
export async function hookctlChecks({ context, loaded }: CreatedContext, host: Host): Promise<readonly Checkup[]> {
  const gathered = await resolveHooks(findAllCandidates(context), context, null);
  const hookSet = { ...gathered, hooks: withMissingCommands(gathered.hooks, context) };
  return [
    ...(isNative() ? [] : [nodeCheck(process.versions.node)]),
    ...settingsChecks(loaded),
    ...machineChecks(context, gathered.hooks),
    ...hooksChecks(hookSet, context),
    ...packChecks(context.scopes),
    trustCheck(context),
    recordCheck(context),
    ...(await exportChecks(context)),
    speedCheck(await ensureCompileCache(host), await findNative(host)),
    ...sandboxChecks(gathered.hooks),
  ];
}

function nodeCheck(version: string): Checkup {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const isEnough = major > 20 || (major === 20 && minor >= 19);
  return isEnough
    ? fine("node", `node ${version}`)
    : broken("node", `node ${version}`, "hookctl needs 20.19 or newer.");
}

/** Which form of hookctl is the fastest here, and why it is not the native one. */
function speedCheck(isKept: boolean, native: NativeProgram): Checkup {
  if ("path" in native) return fine("speed", "native executable works");
  if (isKept) return { ...fine("speed", "compile cache works"), hint: `No native executable: ${native.absence}.` };
  return doubtful(
    "speed",
    "no compile cache for this version of Node: each call takes about 20 % longer",
    `As a user who may write to ${COMPILE_CACHE_FOLDER}, run once: hookctl doctor`,
  );
}

function settingsChecks({ problems, partialProblems, warnings }: CreatedContext["loaded"]): readonly Checkup[] {
  const faults = [...problems, ...partialProblems].map((problem) => explained("settings", problem, "fail"));
  const doubts = warnings
    .filter(({ code }) => code !== "MACHINE_REFUSED" && code !== "SETTINGS_NOT_READ" && code !== "ENTRY_NOT_USED")
    .map((warning) => doubtful("settings", warningText(warning), null));
  return faults.length + doubts.length === 0 ? [fine("settings", "settings valid")] : [...faults, ...doubts];
}

/** Reports the administrator's settings, and whether they are valid. */
function machineChecks({ machine, userId }: RunContext, hooks: readonly Hook[]): readonly Checkup[] {
  if (machine === null) return [];
  const { path, cause, isParsed } = machine;
  if (cause !== null) return [broken("machine", `${path} does not count: ${cause}`, machineCure(path))];
  const count = hooks.filter(isMachine).length;
  const own = fine("machine", `${path}: ${pluralize(count, "hook")} that nobody else can take away`);
  const closed = placeClosedToUsers(path);
  if (closed !== null) {
    const detail = `not every user may read ${closed}: for the others the calls that it could block are blocked`;
    return [own, doubtful("machine", detail, machineCure(path))];
  }
  if (!isParsed || userId === 0) return [own];
  const slow = "its settings are parsed in each call, which takes five times as long";
  return [own, doubtful("machine speed", slow, "As root, run once: hookctl doctor")];
}

const machineCure = (path: string): string =>
  `As root, repair the file, or: chown -R root ${shellQuote(path)} && chmod -R a+rX,go-w ${shellQuote(path)}`;

function hooksChecks({ hooks, skipped, warnings }: HookSet, { options }: RunContext): readonly Checkup[] {
  if (!options.mayStart) {
    return [doubtful("hooks", "all hooks are switched off (HOOKCTL_NO_HOOKS or --no-hooks)", null)];
  }
  const on = hooks.filter(({ state }) => state !== "disabled");
  const count = on.filter(({ state }) => state === "ready").length;
  const isAllLost = count === 0 && on.length + skipped.length > 0;
  const guards = on.filter(({ kind }) => kind === "guard").length;
  const found = [
    ...(guards === 0 ? [] : [pluralize(guards, "built-in guard")]),
    ...(count > guards || guards === 0 ? [pluralize(count - guards, "hook")] : []),
  ].join(" and ");
  const isNothingOn = on.length + skipped.length === 0;
  const off = pluralize(hooks.length - on.length, "hook");
  const words = isNothingOn ? (hooks.length === 0 ? "no hooks yet" : `no hook is on, ${off} off`) : `${found} found`;
  const answering =
    isAllLost || (isNothingOn && hooks.length > 0)
      ? doubtful("hooks", words, "List them: hookctl list --all")
      : fine("hooks", words);
  const doubts = warnings
    .filter(({ code }) => code !== "TRUST_STORE_UNUSABLE")
    .map((warning) => {
      const cure = warning.code === "HOOK_PAUSED" ? turnOnHint(warning, warning.hook) : null;
      return doubtful("hooks", warningText(warning), cure);
    });
  return [
    answering,
    ...on.flatMap(refusalCheck),
    ...hooks.flatMap(offByNameCheck),
    ...skippedChecks(hooks, skipped),
    ...doubts,
  ];
}

/** Skipped files that look like hooks, except those that another check reports. */
function skippedChecks(hooks: readonly Hook[], skipped: readonly SkippedFile[]): readonly Checkup[] {
  const reported = new Set(hooks.map(({ path }) => path));
  return skipped
    .filter(({ path, reason }) => MISTAKEN.includes(reason) && !reported.has(path))
    .map((skip) => {
      const cure = lacksExecuteBit(skip) ? `chmod +x ${shellQuote(skip.path)}` : null;
      return doubtful("hook", `${skip.name} is skipped: ${skip.detail}`, cure);
    });
}

const MISTAKEN: readonly SkipReason[] = [
  "not_executable",
  "not_regular",
  "broken_link",
  "link_loop",
  "unknown_format",
  "unreadable",
  "too_many",
  "shadowed",
  "not_identified",
];

/** Reports whether there is a sandbox, if hooks request one. Hooks that require it are reported individually. */
function sandboxChecks(hooks: readonly Hook[]): readonly Checkup[] {
  const wanting = hooks.filter(({ sandbox, state }) => sandbox !== undefined && state !== "disabled");
  const [first] = wanting;
  if (first?.sandbox === undefined) return [];
  const names = listNames(wanting.map(({ name }) => name));
  const { backend } = first.sandbox;
  return backend === null
    ? [doubtful("sandbox", `there is none for ${names}`, INSTALL_SANDBOX)]
    : [fine("sandbox", `${backend} works, for ${names}`)];
}

const INSTALL_SANDBOX =
  process.platform === "linux" ? "Install bubblewrap, for example: sudo apt-get install bubblewrap" : null;

/** A warning for a hook that is not approved, which may be intended; a failure for an approved hook that is lost. */
function refusalCheck(hook: Hook): readonly Checkup[] {
  const { refusal, lost } = hook;
  if (refusal === null) return [];
  if (lost !== undefined) return [broken("hook", explain(refusal).summary, lost.fix)];
  const isMeant = isTrustRefusal(refusal) && !isLostGuard(refusal) && !isUnsafeOwn(hook);
  return [explained("hook", refusal, isMeant ? "warn" : "fail")];
}

/** A user hook that others could change does not run, which is never intended. */
const isUnsafeOwn = (hook: Hook): boolean => hook.trust === "unsafe" && !isFromProject(hook);

/** Only the user knows whether a disabled hook is intended. */
function offByNameCheck({ name, path, disabledReason }: Hook): readonly Checkup[] {
  if (disabledReason !== SKIP_REASONS.disabled) return [];
  const on = path.replace(/\.disable$/, "");
  return [doubtful("hook", `${name} is ${disabledReason}`, `To enable it: mv ${shellQuote(path)} ${shellQuote(on)}`)];
}

function explained(name: string, problem: Problem, status: "warn" | "fail"): Checkup {
  const { summary, hint } = explain(problem);
  return { name, status, detail: summary, hint };
}

function trustCheck(context: RunContext): Checkup {
  if (context.trustFile === null) {
    const cause = context.trustFileProblem?.cause ?? "";
    return broken("trust store", `there is none: ${cause}`, placeHint(cause));
  }
  const approvals = context.trustStore.approvals();
  if (!approvals.ok) {
    const hint = "Repair the file, or start a new one: hookctl trust moves the broken file aside.";
    return broken("trust store", `${context.trustFile} cannot be used: ${approvals.error}`, hint);
  }
  const cause = whyNotWritable(context.trustFile);
  if (cause === null) return fine("trust", "trust store usable");
  return broken(
    "trust store",
    `${context.trustFile} cannot be written: ${cause}`,
    "Hooks cannot be approved until it is writable.",
  );
}

function recordCheck(context: RunContext): Checkup {
  const file = context.auditFile;
  if (context.settings.record === "off") return doubtful("record", "switched off by your settings", null);
  if (file === null) {
    return doubtful("record", "there is no private folder for it", placeHint(context.trustFileProblem?.cause ?? ""));
  }
  for (const log of context.settings.record === "payloads" ? [file, payloadLogOf(file)] : [file]) {
    const cause = whyNotWritable(log) ?? (isOtherThanFile(log) ? NOT_REGULAR : null);
    if (cause !== null)
      return broken("record", `${log} cannot be written: ${cause}`, "Hooks still run, but runs are not recorded.");
  }
  return fine("record", "audit log writable");
}

/** A link is reported: logs are not written through one. */
const isOtherThanFile = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isFile() === false;

/** Checks the file, or the nearest existing folder above it, without writing. */
function whyNotWritable(file: string): string | null {
  let place = file;
  while (!existsSync(place) && place !== dirname(place)) place = dirname(place);
  try {
    if (place !== file && !statSync(place).isDirectory()) return `${place} is no folder`;
    accessSync(place, constants.W_OK);
    return isFull(place) ? "ENOSPC" : null;
  } catch (error) {
    return errnoCode(error) ?? "unknown";
  }
}

/** True if its disk has no room left. Some systems count no blocks. */
function isFull(place: string): boolean {
  const { blocks, bavail, bfree } = statfsSync(place);
  // What is reserved for root is not available to others.
  return blocks > 0 && (process.getuid?.() === 0 ? bfree : bavail) === 0;
}

type PackScopes = Pick<Scopes, "projectDirs" | "homeDir">;

/** Compares each pack with its lock file; nothing where no packs were added. */
function packChecks({ projectDirs, homeDir }: PackScopes): readonly Checkup[] {
  const own = homeDir === null ? [] : checksIn(homeDir, " --scope user");
  return [...projectDirs.flatMap((folder) => checksIn(folder, "")), ...own];
}

function checksIn(root: string, scope: string): readonly Checkup[] {
  const lock = readLockFile(root);
  if (!lock.ok) {
    const { summary, hint } = explain(lock.error);
    return [broken("packs", summary, hint)];
  }
  return [...lock.value].map(([name, locked]) => {
    const state = packStateIn(root, name, locked);
    return state.kind === "as-locked" ? fine("packs", `${name} is as it was added`) : changedCheck(name, state, scope);
  });
}

function changedCheck(name: string, state: Exclude<PackState, { readonly kind: "as-locked" }>, scope: string): Checkup {
  const files = listNames(state.files);
  return state.kind === "missing"
    ? broken("packs", `files of ${name} are missing: ${files}`, `Restore them: hookctl add${scope}`)
    : broken(
        "packs",
        `${name} was changed since it was added: ${files}`,
        `To discard the changes: hookctl update ${quoteHookName(name)} --force${scope}`,
      );
}

/** Reports the result of the last export; empty if there was none. */
async function exportChecks({ auditFile, settings }: RunContext): Promise<readonly Checkup[]> {
  const { readCursor } = await import("../../insight/export/cursor.ts");
  const path = auditFile === null ? null : exportCursorFile(auditFile);
  const read = path === null ? ok(null) : readCursor(path);
  if (!read.ok) return [broken("export", `${path} cannot be used: ${read.error}`, "Run: hookctl export")];
  const cursor = read.value;
  if (cursor === null) {
    const start = "Run it as a service: hookctl export --follow";
    return settings.exportTo === null
      ? []
      : [doubtful("export", "a collector is set, but nothing was exported yet", start)];
  }
  const { problem, lost, gaps, rejected, lastRun } = cursor;
  const lacks = [
    ...(problem === null ? [] : [problem.text]),
    ...(lost > 0 ? [`${pluralize(lost, "line was", "lines were")} removed before the export`] : []),
    ...(gaps > 0 ? ["files of the audit log were removed by another program"] : []),
    ...(rejected > 0 ? [`the collector rejected ${pluralize(rejected, "item")}`] : []),
  ];
  return lacks.length === 0
    ? [fine("export", `exported up to ${lastRun ?? "now"}`)]
    : lacks.map((text) => doubtful("export", text, problem === null ? null : "Try again: hookctl export"));
}
