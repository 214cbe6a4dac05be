import { basename } from "node:path";
import { type CommandResult, print } from "../cli/command-result.ts";
import type { CommandLine } from "../cli/command-table.ts";
import { requirePerson, requireYes } from "../cli/prompt/require-person.ts";
import { notYourHook } from "../cli/review/pending-approvals.ts";
import {
  denyHooks,
  forgetApprovals,
  forgetDecisions,
  type HookPaths,
  missingUserHooks,
  storedApprovals,
} from "../cli/review/stored-decisions.ts";
import { fullHookName, matchesHookArgument } from "../discover/candidate-names.ts";
import { createRunContext } from "../engine/create-run-context.ts";
import { findAllCandidates } from "../engine/hooks/candidates.ts";
import type { Host } from "../engine/host.ts";
import { settingsItems } from "../engine/settings/project-settings.ts";
import { isInside } from "../fs/paths.ts";
import type { Approvals } from "../protocol/approval.ts";
import { isMachine } from "../protocol/hook.ts";
import { fail, unwrap } from "../protocol/result.ts";
import { pluralize } from "../protocol/text/count.ts";
import { warningLine } from "../report/problem-text.ts";
import { PLAIN_STYLE } from "../report/text-style.ts";
import { deniedText, forgottenText, untrustJson } from "../report/trust/approvals-text.ts";
import { approvalFor, isDenied } from "../trust/decide/approval-key.ts";
import { forgetKnownHooks } from "../trust/store/earlier-calls.ts";

/** Forgets approvals; with `--deny` stores denials, which win over any approval. */
export async function untrust({ args, options }: CommandLine<"untrust">, host: Host): Promise<CommandResult> {
  const [isDenial, isAll] = [options.deny, args.length === 0];
  const wrong = { code: "USAGE_WRONG_WORDS", detail: "--deny: missing argument NAME." } as const;
  if (isDenial && isAll) return fail({ ...wrong, tryThis: "hookctl untrust --deny NAME" });
  await requirePerson(host);
  const { context } = unwrap(await createRunContext(options, host, false));
  const approvals = storedApprovals(context);
  const { folders, rootDir } = context.scopes;
  const approvedHere = Object.values(approvals.approved).filter(({ project }) => folders.includes(project));
  const choosable = findAllCandidates(context).candidates.filter((candidate) => !isMachine(candidate));
  const candidates = [...settingsItems(context, approvals), ...choosable];
  // An existing hook is listed with its current name.
  const present = new Set(candidates.map(({ path }) => path));
  const missing = approvedHere.filter(({ path }) => !present.has(path));
  const missingOfUser = missingUserHooks(context);
  const known = [...candidates, ...missing, ...deniedIn(rootDir, approvals), ...missingOfUser];
  const names = known.map(({ name }) => name);
  const words = args.map((word) => fullHookName(word, names));
  const isNamedBy = (word: string) => (hook: HookPaths) => matchesHookArgument(word, hook, context.cwd);
  const unknown = words.find((word) => !known.some(isNamedBy(word)));
  if (unknown !== undefined) return fail(notYourHook(unknown, names, context));
  if (isAll && approvedHere.length > 0 && !options.yes) await confirm(approvedHere.length, host);
  const chosen = isAll ? approvedHere : known.filter((hook) => words.some((word) => isNamedBy(word)(hook)));
  const edited = await (isDenial ? denyHooks : isAll ? forgetApprovals : forgetDecisions)(chosen, context);
  const chosenPaths = new Set(chosen.map(({ path }) => path));
  const gone = missingOfUser.map(({ path }) => path).filter((path) => chosenPaths.has(path));
  forgetKnownHooks(gone, context);
  const isStored = (hook: HookPaths): boolean => approvalFor(hook, approvals) !== null || isDenied(hook, approvals);
  const changed = edited.filter((hook) => isDenial || isStored(hook) || gone.includes(hook.path));
  const others = edited.filter((hook) => !changed.includes(hook));
  if (!isDenial && context.settings.projectHooks === "allow" && edited.some(({ source }) => source !== "user")) {
    const text =
      "your settings allow every hook of a project (project_hooks), so it still runs: hookctl untrust --deny NAME";
    host.err(warningLine(text, PLAIN_STYLE));
  }
  if (options.json) return print(`${untrustJson(isDenial ? "denied" : "forgotten", changed)}\n`, host);
  return print(isDenial ? deniedText(changed) : forgottenText(changed, others), host);
}

async function confirm(count: number, host: Host): Promise<void> {
  const intro = `${pluralize(count, "approval")} of this project would be removed; denials stay.\n`;
  const choices = { yes: "these hooks need approval again", no: "change nothing" };
  const detail = "Nothing was removed: without names, untrust asks first, but there is no terminal.";
  const otherwise = { code: "USAGE_WRONG_WORDS", detail, tryThis: "hookctl untrust --yes" } as const;
  const terminal = host.isStdinTerminal() ? await host.openTerminal() : null;
  await requireYes(terminal, { intro, question: "Remove them?", choices }, otherwise);
}

/** A denial stays when its file is deleted, and can still be lifted. */
const deniedIn = (rootDir: string, { denied }: Approvals): readonly HookPaths[] =>
  Object.keys(denied)
    .filter((path) => isInside(rootDir, path))
    .map((path) => ({ name: basename(path), path, realPath: path, source: "project" }));
