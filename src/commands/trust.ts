import type { Approval } from "../contract/approval.ts";
import { EXIT, signalExitCode } from "../contract/problem.ts";
import { readIdentity } from "../discover/read-identity.ts";
import { type ApprovedRow, deniedText, type KnownRow, trustedJson, trustedText } from "../report/ledger-text.ts";
import { problemText } from "../report/problem-text.ts";
import { PLAIN } from "../report/style.ts";
import { reviewText } from "../report/trust-text.ts";
import { approveReviewed } from "../runtime/approve.ts";
import { type Reviewed, review } from "../runtime/review.ts";
import type { World } from "../world.ts";
import { listApprovals, pruneApprovals } from "./approvals.ts";
import type { RawLine } from "./flag-table.ts";
import { readFlags } from "./flags.ts";
import { candidatesOf, pendingHooks, viewOf, type Waiting } from "./pending.ts";
import { type Look, printDigest, showPending } from "./pending-shown.ts";
import { print, refuse, start } from "./start.ts";
import { typedChoice } from "./typed-choice.ts";
import { deny } from "./untrust.ts";

const CHOICES = ["yes", "no", "deny", "quit"] as const;
const MODES = ["--list", "--show", "--digest", "--prune", "--yes"] as const;

interface TrustCall extends Look {
  readonly world: World;
}

/** Shows what waits for approval and approves it: by name, all with `--yes`, one by one on a terminal (SPEC 4). */
export async function trust(line: RawLine, world: World): Promise<number> {
  const flags = readFlags(line);
  if (!flags.ok) return refuse(flags.error, world);
  const modes = MODES.filter((mode) => line.flags[mode] === true);
  if (modes.length > 1) return refuseWords(`${modes.join(" and ")} cannot go together.`, "hookctl trust --help", world);
  const started = await start({ ...flags.value, trust: false }, world, false);
  if (!started.ok) return refuse(started.error, world);
  const { json: isJson } = flags.value;
  if (modes[0] === "--list") return listApprovals(started.value.ground, isJson, world);
  if (modes[0] === "--prune") return pruneApprovals(started.value.ground, isJson, world);

  const found = pendingHooks(started.value.ground, line.words);
  if (!found.ok) return refuse(found.error, world);
  const pending = found.value;
  const call = { world, isJson, pending, hooks: line.words.length > 0 ? pending.named : pending.waiting };
  if (modes[0] === "--digest") return printDigest(call, world);
  if (modes[0] === "--show") return showPending(call, world);
  // A name is typed by somebody who has read the file; on a terminal it is shown and asked all the same.
  const isAsking = modes[0] !== "--yes" && (line.words.length === 0 || world.isStdinTerminal());
  return isAsking ? askForEach(call) : approveAll(call);
}

async function approveAll(call: TrustCall): Promise<number> {
  const { pending, hooks, world } = call;
  const reviewed = review(candidatesOf(hooks), pending.ground);
  if (!reviewed.ok) return refuse(reviewed.error, world);
  for (const one of hooks) world.err(reviewText(viewOf(one, candidatesOf(hooks), pending.ground), PLAIN));
  return keep(call, reviewed.value);
}

async function askForEach(call: TrustCall): Promise<number> {
  const { world, pending, hooks } = call;
  const terminal = world.isStdinTerminal() ? await world.openTerminal() : null;
  if (terminal === null) {
    return refuseWords(
      "trust asks on a terminal, and there is none.",
      "hookctl trust --yes, or: hookctl trust NAME",
      world,
    );
  }
  // Taken down before it is shown: the yes is for what was on the screen.
  const reviewed = review(candidatesOf(hooks), pending.ground);
  if (!reviewed.ok) {
    terminal.close();
    return refuse(reviewed.error, world);
  }
  const answers = new Map<Waiting["candidate"], (typeof CHOICES)[number] | null>();
  for (const one of hooks) {
    // On the terminal itself: stderr may lead elsewhere, and nobody should say yes to what they cannot see.
    const shown = reviewText(viewOf(one, candidatesOf(hooks), pending.ground), PLAIN);
    const answer = (await terminal.ask(`\n${shown}Approve it? [y]es, [n]o, [d]eny for good, [q]uit: `)) ?? "quit";
    answers.set(one.candidate, typedChoice(answer, CHOICES));
    if (answers.get(one.candidate) === "quit") break;
  }
  terminal.close();
  const signal = world.interrupt.raised();
  if (signal !== null) return signalExitCode(signal);
  const denied = hooks.filter(({ candidate }) => answers.get(candidate) === "deny");
  const written = await deny(candidatesOf(denied), pending.ground, world);
  if (!written.ok) return refuse(written.error, world);
  const agreed = reviewed.value.filter(({ candidate }) => answers.get(candidate) === "yes");
  return keep(call, agreed, written.value);
}

async function keep(
  { pending, hooks, world, isJson }: TrustCall,
  reviewed: readonly Reviewed[],
  denied: readonly KnownRow[] = [],
): Promise<number> {
  const approved = await approveReviewed(reviewed, pending.ground);
  // The denials of this call are kept all the same.
  if (!approved.ok) {
    world.err(deniedText(denied));
    return refuse(approved.error, world);
  }
  const hadToDecide = hooks.length + pending.refused.length > 0;
  const told = { approved: approved.value.map(rowOf), denied, hadToDecide };
  const code = await print(isJson ? `${trustedJson(told)}\n` : trustedText(told), world);
  for (const problem of pending.refused) world.err(problemText(problem, PLAIN));
  return code === EXIT.goOn && pending.refused.length > 0 ? EXIT.notApproved : code;
}

function rowOf({ name, path, sha256, said }: Approval): ApprovedRow {
  const identity = said === null ? null : readIdentity({ name, path }, said);
  return { name, path, sha256, events: identity?.ok ? identity.value.events : null };
}

const refuseWords = (detail: string, tryThis: string, world: World): Promise<number> =>
  refuse({ code: "USAGE_WRONG_WORDS", detail, tryThis }, world);
