import type { Approval, Ledger } from "../contract/approval.ts";
import type { Candidate } from "../contract/hook.ts";
import { clipped } from "../contract/json-text.ts";
import { nearest } from "../contract/nearest.ts";
import { EXIT } from "../contract/problem.ts";
import { whyNoStore } from "../runtime/approve.ts";
import { everythingFound } from "../runtime/everything-found.ts";
import type { Ground } from "../runtime/ground.ts";
import { ledgerOf } from "../runtime/standing.ts";
import { changeLedger } from "../trust/change-store.ts";
import type { World } from "../world.ts";
import type { RawLine } from "./flag-table.ts";
import { readFlags } from "./flags.ts";
import { print, refuse, start } from "./start.ts";

type Place = Pick<Approval, "name" | "path" | "realPath">;

/** Forgets approvals, or with `--deny` writes a denial that goes before any approval (SPEC 4). */
export async function untrust(line: RawLine, world: World): Promise<number> {
  const flags = readFlags(line);
  if (!flags.ok) return refuse(flags.error, world);
  const isDenial = line.flags["--deny"] === true;
  if (isDenial && line.words.length === 0) {
    const tryThis = "hookctl untrust --deny NAME";
    return refuse({ code: "USAGE_WRONG_WORDS", detail: "--deny needs a name.", tryThis }, world);
  }
  const started = await start(flags.value, world, false);
  if (!started.ok) return refuse(started.error, world);
  const { ground } = started.value;
  const ledger = ledgerOf(ground);
  const approved = ledger.ok ? Object.values(ledger.value.approvals) : [];
  const own = approved.filter(({ project }) => project === ground.scopes.projectDir);
  const places: readonly Place[] = [...everythingFound(ground).candidates, ...own];
  const names = places.map(({ name }) => name);
  const unknown = line.words.find((name) => !names.includes(name));
  if (unknown !== undefined) {
    return refuse({ code: "USAGE_UNKNOWN_HOOK", name: unknown, nearest: nearest(unknown, names) }, world);
  }
  const named = line.words.length === 0 ? own : places.filter(({ name }) => line.words.includes(name));
  return isDenial ? deny(named, ground, world) : forget(named, ground, world);
}

/** Writes denials. They are by path: whatever lies there later is denied as well. */
export async function deny(places: readonly (Place | Candidate)[], ground: Ground, world: World): Promise<number> {
  const since = new Date(ground.nowMs).toISOString();
  const paths = places.map(({ path }): [string, string] => [path, since]);
  return change(places, ground, world, "✖ Denied", (ledger) => ({
    approvals: without(ledger.approvals, places),
    denials: { ...ledger.denials, ...Object.fromEntries(paths) },
  }));
}

const forget = (places: readonly Place[], ground: Ground, world: World): Promise<number> =>
  change(places, ground, world, "✔ Forgot", ({ approvals, denials }) => ({
    approvals: without(approvals, places),
    denials: without(denials, places),
  }));

async function change(
  places: readonly Place[],
  ground: Ground,
  world: World,
  words: string,
  edit: (ledger: Ledger) => Ledger,
): Promise<number> {
  const { trustFile, userId } = ground;
  if (places.length === 0) return EXIT.goOn;
  if (trustFile === null) return refuse({ code: "TRUST_STORE_MISSING", detail: whyNoStore(ground) }, world);
  const changed = await changeLedger(trustFile, edit, { userId, nowMs: world.nowMs });
  if (!changed.ok) {
    return refuse({ code: "TRUST_STORE_NOT_WRITTEN", path: trustFile, cause: changed.error }, world);
  }
  const names = [...new Set(places.map(({ name }) => name))];
  return print(names.map((name) => `${words} ${clipped(name, 80)}\n`).join(""), world);
}

function without<T>(entries: Readonly<Record<string, T>>, places: readonly Place[]): Record<string, T> {
  const gone = new Set(places.flatMap(({ path, realPath }) => [path, realPath]));
  return Object.fromEntries(Object.entries(entries).filter(([path]) => !gone.has(path)));
}
