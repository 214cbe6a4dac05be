import { type Entry, textIn } from "../audit/read.ts";
import { EXIT } from "../protocol/exit-code.ts";
import { rawJson, writeJson } from "../protocol/json/write.ts";
import type { UsageProblem } from "../protocol/problem.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import { logText } from "../report/log-text.ts";
import type { World } from "../world.ts";
import type { RawLine } from "./flag-table.ts";
import { readEvent, readFlags, textFlag } from "./flags.ts";
import { latest, loggedRun, loggedShells, runsIn } from "./logged.ts";
import { createRunContext, print, refuse } from "./start.ts";
import { styleFor } from "./style-for.ts";

const DEFAULT_COUNT = 20;
const MOST = 10_000;

/** `hookctl log`: the latest runs of the record, newest last. Reads, and starts nothing. */
export async function log(line: RawLine, world: World): Promise<number> {
  const flags = readFlags(line);
  if (!flags.ok) return refuse(flags.error, world);
  const count = readCount(textFlag(line.flags, "--last"));
  if (!count.ok) return refuse(count.error, world);
  const isWanted = readFilter(line);
  if (!isWanted.ok) return refuse(isWanted.error, world);
  const started = await createRunContext(flags.value, world, false);
  if (!started.ok) return refuse(started.error, world);

  const file = started.value.context.auditFile;
  const entries = file === null ? [] : latest(file, count.value, isWanted.value);
  if (flags.value.json) {
    const all = entries.map(({ raw }) => rawJson(raw));
    return print(`${writeJson({ schema: "hookctl.log/1", entries: all })}\n`, world);
  }
  if (entries.length === 0) return tellNothing(flags.value.quiet, world);
  const runs = runsIn(entries).map((entry) => loggedRun(entry, world.nowMs()));
  return print(logText(runs, loggedShells(entries), await styleFor(flags.value, world)), world);
}

function tellNothing(isQuiet: boolean, world: World): number {
  if (!isQuiet) world.err("• Nothing of this kind is recorded. A run in which a hook had its turn leaves a line.\n");
  return EXIT.goOn;
}

function readCount(text: string | null): Result<number, UsageProblem> {
  if (text === null) return ok(DEFAULT_COUNT);
  const count = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= MOST) return ok(count);
  const detail = `it is a whole number from 1 to ${MOST}`;
  return fail({ code: "USAGE_BAD_VALUE", flag: "--last", value: text, detail });
}

function readFilter({ flags }: RawLine): Result<(entry: Entry) => boolean, UsageProblem> {
  const [name, session] = [textFlag(flags, "--event"), textFlag(flags, "--session")];
  const event = name === null ? ok(null) : readEvent(name);
  if (!event.ok) return event;
  return ok(
    (entry) =>
      (event.value === null || textIn(entry, "event") === event.value) &&
      (session === null || textIn(entry, "session") === session),
  );
}
