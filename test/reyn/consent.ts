import { expect, test } from "vitest";
import { runInProcess } from "../support/in-process.ts";
import { hasScript, hookctl, runOnTerminal, type TerminalOutput } from "../support/on-terminal.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const FILE = "project/.kodelet/hooks.json";
export const PAYLOAD = '{"conv_id":"s1","response":"done"}';
export const PUSH = `printf '%s' '{"push_when":true,"wake":true,"message":"m"}'`;

interface Entry {
  readonly scheme: string;
  readonly entry: (place: Workspace) => object;
}

/** An entry of each kind, which leaves `ran` behind. */
export const ENTRIES: readonly Entry[] = [
  { scheme: "shell_exec", entry: ({ dir }) => ({ shell_exec: `: > ${dir}/ran`, sandbox: "off" }) },
  { scheme: "shell_push", entry: ({ dir }) => ({ shell_push: `: > ${dir}/ran; ${PUSH}`, sandbox: "off" }) },
  { scheme: "template_push", entry: () => ({ template_push: { message: "m" } }) },
];

/** A clone with one entry that nobody has approved. */
export async function clone(entry: (place: Workspace) => object): Promise<Workspace> {
  const place = await workspace();
  await place.write(FILE, JSON.stringify({ hooks: [{ on: "turn_end", name: "notes", ...entry(place) }] }));
  await place.write("project/payload.json", PAYLOAD);
  return place;
}

/** What became of the entry in the run that `record` tells last. */
export async function outcome(place: Workspace): Promise<string> {
  const log = (await place.read("home/.local/state/hookctl/audit.jsonl")) ?? "";
  const runs = log.split("\n").filter((line) => line.includes('"hooks":'));
  return (JSON.parse(runs.at(-1) ?? "{}") as { hooks: { outcome: string }[] }).hooks[0]?.outcome ?? "";
}

export const run = (place: Workspace, flags = "") =>
  runInProcess(place, `run turn_end -q ${flags}`, { stdin: PAYLOAD });
export const approved = async (place: Workspace): Promise<number> =>
  JSON.parse((await runInProcess(place, "trust --list --json")).stdout).entries.length;

/** `run --ask` on a terminal of its own. */
const answered = (place: Workspace, keys: readonly string[]): Promise<TerminalOutput> =>
  runOnTerminal(place, `${hookctl} run turn_end --ask < payload.json > out.json 2> err.txt`, keys);

interface Answer {
  readonly keys: readonly string[];
  readonly title: string;
  readonly becomes: string;
  readonly kept: number;
}

export const ANSWERS: readonly Answer[] = [
  { keys: ["a\n"], title: "always runs it and is kept", becomes: "continue", kept: 1 },
  { keys: ["y\n"], title: "yes runs it this once", becomes: "continue", kept: 0 },
  { keys: ["n\n"], title: "no does not run it", becomes: "refused", kept: 0 },
  { keys: ["\n", "n\n"], title: "an empty answer asks again", becomes: "refused", kept: 0 },
];

export function testAnswers({ scheme, entry }: Entry, answers: readonly Answer[]): void {
  test.skipIf(!hasScript).each(answers)("asked on the terminal (needs script of util-linux): $title", async (row) => {
    await using place = await clone(entry);
    const { shown, code } = await answered(place, row.keys);
    expect(code).toBe(0);
    for (const words of ["notes", scheme, "[a]lways [y]es [n]o"]) expect(shown).toContain(words);
    expect(await outcome(place)).toBe(row.becomes);
    expect(await approved(place)).toBe(row.kept);
    await run(place);
    expect(await outcome(place)).toBe(row.kept === 1 ? "continue" : "refused");
  });
}
