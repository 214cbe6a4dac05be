import { describe, expect, test } from "vitest";
import { runInProcess } from "../support/in-process.ts";
import { hasScript, hookctl, runOnTerminal, type TerminalOutput } from "../support/on-terminal.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const FILE = "project/.kodelet/hooks.json";
const PAYLOAD = '{"conv_id":"s1","response":"done"}';
const PUSH = `printf '%s' '{"push_when":true,"wake":true,"message":"m"}'`;

const ENTRIES: { scheme: string; entry: (place: Workspace) => object }[] = [
  { scheme: "shell_exec", entry: ({ dir }) => ({ shell_exec: `: > ${dir}/ran`, sandbox: "off" }) },
  { scheme: "shell_push", entry: ({ dir }) => ({ shell_push: `: > ${dir}/ran; ${PUSH}`, sandbox: "off" }) },
  { scheme: "template_push", entry: () => ({ template_push: { message: "m" } }) },
];

/** A clone with one entry that nobody has approved. */
async function clone(entry: (place: Workspace) => object): Promise<Workspace> {
  const place = await workspace();
  await place.write(FILE, JSON.stringify({ hooks: [{ on: "turn_end", name: "notes", ...entry(place) }] }));
  await place.write("project/payload.json", PAYLOAD);
  return place;
}

/** What became of the entry in the run that `record` tells last. */
async function outcome(place: Workspace): Promise<string> {
  const log = (await place.read("home/.local/state/hookctl/audit.jsonl")) ?? "";
  const runs = log.split("\n").filter((line) => line.includes('"hooks":'));
  return (JSON.parse(runs.at(-1) ?? "{}") as { hooks: { outcome: string }[] }).hooks[0]?.outcome ?? "";
}

const run = (place: Workspace, flags = "") => runInProcess(place, `run turn_end -q ${flags}`, { stdin: PAYLOAD });
const approved = async (place: Workspace): Promise<number> =>
  JSON.parse((await runInProcess(place, "trust --list --json")).stdout).entries.length;

/** `run --ask` on a terminal of its own. */
const answered = (place: Workspace, keys: readonly string[]): Promise<TerminalOutput> =>
  runOnTerminal(place, `${hookctl} run turn_end --ask < payload.json > out.json 2> err.txt`, keys);

describe.each(ENTRIES)("an entry of a project with $scheme", ({ scheme, entry }) => {
  test("is refused where nobody can be asked, and the point goes on", async () => {
    await using place = await clone(entry);
    for (const flags of ["", "--ask"]) {
      expect(await run(place, flags)).toMatchObject({
        code: 0,
        stdout: expect.stringContaining("notes is not approved"),
      });
      expect(await outcome(place)).toBe("refused");
    }
    expect(await place.read("ran")).toBeNull();
  });

  test("runs without a question once it is approved, and for one call with --trust", async () => {
    await using place = await clone(entry);
    await run(place, "--trust");
    expect(await outcome(place)).toBe("continue");
    expect(await approved(place)).toBe(0);
    await runInProcess(place, "trust --yes");
    expect(await run(place)).toMatchObject({ stderr: "", code: 0 });
    expect(await outcome(place)).toBe("continue");
    const shells = (await runInProcess(place, "log --last 1")).stdout
      .split("\n")
      .filter((line) => line.startsWith("  "));
    expect(shells).toEqual(scheme === "template_push" ? [] : [expect.stringContaining(`${scheme}: `)]);
  });

  const answers: { keys: readonly string[]; title: string; becomes: string; kept: number }[] = [
    { keys: ["a\n"], title: "always runs it and is kept", becomes: "continue", kept: 1 },
    { keys: ["y\n"], title: "yes runs it this once", becomes: "continue", kept: 0 },
    { keys: ["n\n"], title: "no does not run it", becomes: "refused", kept: 0 },
    { keys: ["\n", "n\n"], title: "an empty answer asks again", becomes: "refused", kept: 0 },
  ];
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
});

test("a digest of the project in HOOKCTL_TRUST stands for the question, where nobody can be asked", async () => {
  await using place = await clone(() => ({ shell_exec: ":", sandbox: "off" }));
  const digest = (await runInProcess(place, "trust --digest")).stdout.trim();
  await runInProcess(place, "run turn_end -q", { stdin: PAYLOAD, env: { HOOKCTL_TRUST: digest } });
  expect(await outcome(place)).toBe("continue");
});

test("an approval is kept in trust.json, or in the file that HOOKCTL_TRUST_STORE names", async () => {
  await using place = await clone(() => ({ shell_exec: ":", sandbox: "off" }));
  const env = { HOOKCTL_TRUST_STORE: "DIR/elsewhere.json" };
  expect(await runInProcess(place, "trust --yes", { env })).toMatchObject({ code: 0 });
  expect(await place.read("elsewhere.json")).toContain("notes");
  expect(await place.read("home/.local/state/hookctl/trust.json")).toBeNull();
  await runInProcess(place, "trust --yes");
  expect(await place.read("home/.local/state/hookctl/trust.json")).toContain("notes");
});

test("a script that the command names is covered by the approval: an edit asks again", async () => {
  await using place = await clone(() => ({ shell_push: "sh scripts/next.sh", sandbox: "off" }));
  await place.write("project/.kodelet/scripts/next.sh", PUSH);
  await runInProcess(place, "trust --yes");
  await run(place);
  expect(await outcome(place)).toBe("continue");
  await place.write("project/.kodelet/scripts/next.sh", ":");
  expect(await run(place)).toMatchObject({ code: 0, stdout: expect.stringContaining("changed since you approved it") });
  expect(await outcome(place)).toBe("refused");
});
