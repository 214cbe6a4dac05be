import { spawn } from "node:child_process";
import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { readApprovals } from "../../src/trust/store/trust-store.ts";
import { runMain } from "../support/in-process.ts";
import { printResponse } from "../support/shell.ts";
import { AS_PERSON, type Workspace, workspace } from "../support/workspace.ts";

const userId = process.getuid?.() ?? -1;
const TOGETHER = 20;
const KILLS = 8;

const storeOf = ({ home }: Workspace): string => join(home, ".local/state/hookctl/trust.json");

test("twenty that approve at once lose nothing", async () => {
  await using place = await workspace();
  const names = Array.from({ length: TOGETHER }, (_, index) => `hook-${String(index).padStart(2, "0")}`);
  for (const name of names) await place.hook(name, printResponse({}), { scope: "project" });
  const result = await Promise.all(names.map((name) => runMain(place, ["trust", name])));
  expect(result.map(({ code }) => code)).toEqual(names.map(() => 0));
  const approvals = readApprovals(storeOf(place), userId);
  expect(
    approvals.ok &&
      Object.values(approvals.value.approved)
        .map(({ name }) => name)
        .sort(),
  ).toEqual(names);
  const beside = (await readdir(dirname(storeOf(place)))).sort();
  expect(beside).toEqual(["approved", "trust.json"]);
});

test("a KILL at any point leaves a store that parses and holds what was acknowledged", async () => {
  await using place = await workspace();
  const acknowledged: string[] = [];
  const [program = "", ...words] = AS_PERSON;
  for (let round = 0; round < KILLS; round++) {
    const name = `hook-${round}`;
    await place.hook(name, printResponse({}), { scope: "project" });
    const child = spawn(program, [...words, "trust", name], { cwd: place.project, env: place.env });
    const closed = new Promise<number | null>((settle) => child.on("close", settle));
    setTimeout(() => child.kill("SIGKILL"), 60 + round * 15);
    if ((await closed) === 0) acknowledged.push(name);
    const approvals = readApprovals(storeOf(place), userId);
    expect(approvals).toMatchObject({ ok: true });
    const names = approvals.ok ? Object.values(approvals.value.approved).map((one) => one.name) : [];
    expect(names).toEqual(expect.arrayContaining(acknowledged));
  }
});
