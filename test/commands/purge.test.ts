import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { scanLog } from "../../src/audit/read.ts";
import { fakeTerminal } from "../support/fake-terminal.ts";
import { type InProcessOptions, runInProcess } from "../support/in-process.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const FOLDER = "home/.local/state/hookctl";
const NOW = Date.UTC(2026, 2, 20, 12);
const DAY = 86_400_000;

const line = (days: number, schema = "hookctl.record/1"): string =>
  JSON.stringify({ schema, time: new Date(NOW - days * DAY).toISOString(), run_id: `R${days}`, event: "e", hooks: [] });
const rotated = (days: number): string => {
  const stamp = new Date(NOW - days * DAY).toISOString().replaceAll(":", "-");
  return `${FOLDER}/audit.${stamp}.1.jsonl`;
};

/** Runs of 9, 5 (put aside 5 days ago), 4 and 1 days ago, and two payloads. */
async function setUp(): Promise<Workspace> {
  const place = await workspace();
  await place.write(rotated(5), `${line(9)}\n${line(5)}\n`, 0o600);
  await place.write(`${FOLDER}/audit.jsonl`, `${line(4)}\n${line(1)}\n`, 0o600);
  const payloads = [4, 1].map((days) => `${line(days, "hookctl.payload/1")}\n`).join("");
  await place.write(`${FOLDER}/payloads.jsonl`, payloads, 0o600);
  return place;
}

const call = (place: Workspace, args: string, { host, ...options }: InProcessOptions = {}) =>
  runInProcess(place, `log --purge ${args}`, { ...options, host: { nowMs: () => NOW, ...host } });
const runs = (place: Workspace): string[] =>
  [...scanLog(join(place.dir, FOLDER, "audit.jsonl"), {})].map(({ line: one }) =>
    one.kind === "run" ? one.runId : one.kind,
  );
const says = (answer: string | null) => ({ openTerminal: async () => fakeTerminal(async () => answer) });

test.each(["--before 1d", "--all", "--payloads", "--yes"])("log %s without --purge is an error", async (args) => {
  await using place = await setUp();
  const result = await runInProcess(place, `log ${args}`);
  expect(result).toMatchObject({ stdout: "", stderr: expect.stringContaining("needs --purge"), code: 64 });
});

describe("log --purge", () => {
  test("removes what is older, erases lines in place, and is recorded", async () => {
    await using place = await setUp();
    const before = await stat(join(place.dir, FOLDER, "audit.jsonl"));
    const result = await call(place, "--before 3d --yes");
    expect(result).toEqual({
      stdout: "Removed 1 whole file, and erased 2 lines in files that stay.\n",
      stderr: "",
      code: 0,
    });
    expect(runs(place)).toEqual(["R1", "purge"]);
    const text = (await place.read(`${FOLDER}/audit.jsonl`)) ?? "";
    expect(text).not.toContain("R4");
    expect(text.indexOf(line(1))).toBe(line(4).length + 1);
    expect((await stat(join(place.dir, FOLDER, "audit.jsonl"))).ino).toBe(before.ino);
    expect(await place.read(`${FOLDER}/payloads.jsonl`)).not.toContain("R4");
    const [purged] = [...scanLog(join(place.dir, FOLDER, "audit.jsonl"), {})].slice(-1);
    expect(purged?.line).toMatchObject({
      kind: "purge",
      before: "2026-03-17T12:00:00.000Z",
      logs: ["audit", "payloads"],
    });
  });

  test("--payloads leaves the audit log alone, and --all removes all of it", async () => {
    await using place = await setUp();
    expect(await call(place, "--all --payloads --yes --json")).toEqual({
      stdout: '{"schema":"hookctl.purge/1","before":null,"logs":["payloads"],"files":1,"lines":0}\n',
      stderr: "",
      code: 0,
    });
    expect(runs(place)).toEqual(["R9", "R5", "R4", "R1", "purge"]);
    await call(place, "--all --yes");
    expect(runs(place)).toEqual(["purge"]);
    expect(await readdir(join(place.dir, FOLDER))).toEqual(["audit.jsonl"]);
  });

  test("alone it removes what the user's limits no longer allow", async () => {
    await using place = await setUp();
    await place.write("home/.kodelet/hooks.json", '{"settings":{"record_days":2}}');
    await call(place, "--yes");
    expect(runs(place)).toEqual(["R1", "purge"]);
  });

  test("asks on the terminal", async () => {
    await using place = await setUp();
    expect(await call(place, "--all", { host: says("yes") })).toMatchObject({ stderr: "", code: 0 });
    expect(runs(place)).toEqual(["purge"]);
  });

  test("is shown by log", async () => {
    await using place = await setUp();
    await call(place, "--all --yes");
    const shown = await runInProcess(place, "log", { host: { nowMs: () => NOW } });
    expect(shown.stdout).toContain("all runs removed (audit, payloads), by");
  });

  const refusals: { title: string; args: string; options?: InProcessOptions; code: number; found: string }[] = [
    { title: "a no", args: "--all", options: { host: says("no") }, code: 77, found: "TRUST_NOT_CONFIRMED" },
    { title: "no terminal", args: "--all", options: { host: says(null) }, code: 77, found: "TRUST_NOT_CONFIRMED" },
    {
      title: "an agent above, even with --yes",
      args: "--all --yes",
      options: { env: { CLAUDECODE: "1" }, host: says("yes") },
      code: 77,
      found: "TRUST_NEEDS_PERSON",
    },
    { title: "--all with --before", args: "--all --before 1d --yes", code: 64, found: "cannot be combined" },
    { title: "a project, which it does not know", args: "--all --project . --yes", code: 64, found: "--project" },
    { title: "a hook, which it does not know", args: "--all --hook git --yes", code: 64, found: "--hook" },
    { title: "a time that is none", args: "--before x --yes", code: 64, found: "--before" },
  ];
  test.each(refusals)("$title removes nothing", async ({ args, options, code, found }) => {
    await using place = await setUp();
    const result = await call(place, args, options);
    expect(result).toMatchObject({ stdout: "", stderr: expect.stringContaining(found), code });
    expect(runs(place)).toEqual(["R9", "R5", "R4", "R1"]);
    expect(await place.read(`${FOLDER}/payloads.jsonl`)).toContain("R4");
  });
});
