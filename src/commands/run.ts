import { concerns, isMeantElsewhere } from "../contract/hook.ts";
import { writeJson } from "../contract/json-text.ts";
import { PAYLOAD_LIMIT_BYTES, type Payload, readPayload } from "../contract/payload.ts";
import { signalExitCode } from "../contract/problem.ts";
import { noAction } from "../dialects/no-action.ts";
import { type Found, findCandidates } from "../discover/find.ts";
import { closeInheritedBeforeFirstStart } from "../process/descriptors.ts";
import { DEPTH_LIMIT, depthOf, foldersFor, type Ground } from "../runtime/ground.ts";
import type { LoadedSettings } from "../settings/load-settings.ts";
import { readStore } from "../trust/store.ts";
import type { World } from "../world.ts";
import { payloadInput } from "./read-payload.ts";
import type { RunFlags } from "./run-flags.ts";
import { print, refuse, start } from "./start.ts";

/**
 * One payload through the chain: the result on stdout, the story on stderr, 2 when it must not go on (SPEC 2).
 * What only hooks need is loaded when there are some; a call without hooks ends here.
 */
export async function run(flags: RunFlags, world: World): Promise<number> {
  if (flags.isOff) return answerUnasked(flags, world);
  const depth = depthOf(world.env);
  if (depth >= DEPTH_LIMIT) return refuse({ code: "RECURSION", depth }, world);
  const text = await payloadInput(flags, world);
  if (!text.ok) return typeof text.error === "string" ? signalExitCode(text.error) : refuse(text.error, world);
  const payload = readPayload(flags.event, text.value, world.cwd, await envelopeReader(text.value));
  if (!payload.ok) return refuse(payload.error, world);
  const started = await start(flags, world, true);
  if (!started.ok) return refuse(started.error, world);

  const { loaded } = started.value;
  const found = findCandidates(foldersFor(started.value.ground));
  const ground = flags.ask ? await askedGround(found, flags, started.value.ground, world) : started.value.ground;
  const isEmpty = found.candidates.length === 0 && !isKnownToTrust(ground);
  if (isEmpty && isPlain(flags) && hasNothingToTell(found.warnings, ground, loaded)) {
    return printNoAction(flags, world);
  }
  closeInheritedBeforeFirstStart();
  const { gatherHooks } = await import("../runtime/roster.ts");
  const roster = await gatherHooks(found, ground, flags.event);
  if (
    roster.hooks.every((hook) => !concerns(hook, flags.event) || isMeantElsewhere(hook, flags.event)) &&
    flags.only === null &&
    isPlain(flags) &&
    hasNothingToTell(roster.warnings, ground, loaded)
  ) {
    return printNoAction(flags, world);
  }
  const { runHooks } = await import("./run-hooks.ts");
  return runHooks({ payload: payload.value, roster, flags, world, loaded, ground });
}

/** What nobody has approved is asked about before anything is started. */
async function askedGround(found: Found, flags: RunFlags, ground: Ground, world: World): Promise<Ground> {
  return (await import("./ask-first.ts")).askFirst(found, flags.event, ground, world);
}

/** May something have been approved in this project? Its hooks may be gone, and a guard must not vanish unseen. */
function isKnownToTrust({ trustFile, userId }: Ground): boolean {
  if (trustFile === null) return false;
  const text = readStore(trustFile, userId);
  return !text.ok || text.value?.includes('"project"') === true;
}

/** Another dialect's envelope is known by a key of its own; only a payload that has it pays for the dialects. */
async function envelopeReader(text: string) {
  return text.includes('"hook"') ? (await import("../dialects/dialects.ts")).fromEnvelope : undefined;
}

/** Nothing is started and the answer is "no action". What the caller still writes is read, so that it is not cut off. */
async function answerUnasked(flags: RunFlags, world: World): Promise<number> {
  if (!world.isStdinTerminal()) await world.readStdin(PAYLOAD_LIMIT_BYTES, flags.stdinTimeoutMs);
  if (isPlain(flags)) return printNoAction(flags, world);
  const payload: Payload = { event: flags.event, session: "", cwd: world.cwd, members: new Map() };
  const { tellNothing } = await import("./run-hooks.ts");
  return tellNothing(payload, flags, world);
}

/** The plain result of a run without hooks needs no record, no dialect and no words. */
const isPlain = (flags: RunFlags): boolean => !flags.json && flags.as === "kodelet";

function hasNothingToTell(warnings: readonly unknown[], { scopes, settings }: Ground, loaded: LoadedSettings): boolean {
  const isRequired = Object.values(settings.user.overrides).some((override) => override.required === true);
  return (
    warnings.length + loaded.warnings.length + loaded.problems.length === 0 && scopes.homeDir !== null && !isRequired
  );
}

const printNoAction = ({ event }: RunFlags, world: World): Promise<number> =>
  print(`${writeJson(noAction(event))}\n`, world);
