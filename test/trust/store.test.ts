import { spawnSync } from "node:child_process";
import { lutimesSync } from "node:fs";
import { chmod, chown, mkdir, readdir, rm, stat, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Approval } from "../../src/protocol/approval.ts";
import { ok } from "../../src/protocol/result.ts";
import { changeApprovals, readApprovals } from "../../src/trust/store/trust-store.ts";
import { approveAll, outcomeOf } from "../support/approvals.ts";
import { makeFifo } from "../support/fifo.ts";
import { runInProcess } from "../support/in-process.ts";
import { printResponse } from "../support/shell.ts";
import { AS_PERSON, type Workspace, workspace } from "../support/workspace.ts";

const userId = process.getuid?.() ?? -1;
const isRoot = userId === 0;
const STRANGER = 54_321;

const storeOf = ({ home }: Workspace): string => join(home, ".local/state/hookctl/trust.json");

const approval = (name: string): Approval => ({
  name,
  path: `/p/.kodelet/hooks/${name}`,
  realPath: `/p/.kodelet/hooks/${name}`,
  sha256: "0".repeat(64),
  mode: 0o755,
  owner: userId,
  helpers: JSON.parse('{"__proto__":"1","lib.sh":"2"}'),
  files: { "rules.txt": "3" },
  source: "project",
  project: "/p",
  siblings: { "b.sh": "4" },
  said: '{"event":"before_tool_call"}',
  approvedAt: "2026-01-01T00:00:00.000Z",
});

const moment = { userId, nowMs: Date.now };

test("no store is no approvals; what is written is read back the same", async () => {
  await using place = await workspace();
  const file = storeOf(place);
  expect(readApprovals(file, userId)).toEqual(ok({ approved: {}, denied: {} }));
  const approvals = { approved: { "/p/a": approval("a") }, denied: { "/p/b\n": "2026-01-01T00:00:00.000Z" } };
  expect(await changeApprovals(file, () => approvals, moment)).toEqual(ok(approvals));
  expect(readApprovals(file, userId)).toMatchObject(ok(approvals));
});

test("the store is the user's alone, and nothing lies beside it when it is written", async () => {
  await using place = await workspace();
  await place.hook("guard", printResponse({}), { scope: "project" });
  await approveAll(place);
  const file = storeOf(place);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await stat(dirname(file))).mode & 0o777).toBe(0o700);
  expect((await stat(join(dirname(file), "approved"))).mode & 0o777).toBe(0o700);
});

const spoilt: {
  title: string;
  cause: string;
  /** What a person is told, where the way to the store is looked at before it. */
  told?: string;
  isSkipped?: boolean;
  spoil: (file: string, place: Workspace) => Promise<unknown>;
}[] = [
  { title: "cut off", cause: "it is not JSON", spoil: (file, place) => place.write(file, '{"version":1,', 0o600) },
  { title: "empty", cause: "it is not JSON", spoil: (file, place) => place.write(file, "", 0o600) },
  {
    title: "of another version",
    cause: "it was written by another version",
    spoil: (file, place) => place.write(file, '{"version":2,"approvals":{},"denials":{}}', 0o600),
  },
  {
    title: "of another shape",
    cause: "it was written by another version",
    spoil: (file, place) => place.write(file, '{"version":1,"approvals":{"/p":{"project":"/p"}},"denials":{}}', 0o600),
  },
  {
    title: "writable by others",
    cause: "it is writable by group or others",
    told: "DIR/home/.local/state/hookctl/trust.json is writable by group or others (fix: chmod go-w DIR/home/.local/state/hookctl/trust.json)",
    spoil: (file) => chmod(file, 0o602),
  },
  {
    title: "another user's (only root can give it away)",
    cause: `it belongs to another user (uid ${STRANGER})`,
    told: `DIR/home/.local/state/hookctl/trust.json belongs to another user (uid ${STRANGER})`,
    isSkipped: !isRoot,
    spoil: (file) => chown(file, STRANGER, STRANGER),
  },
  {
    title: "a pipe",
    cause: "it is not a regular file",
    spoil: async (file) => {
      await rm(file);
      makeFifo(file, "600");
    },
  },
  {
    title: "a folder",
    cause: "it is not a regular file",
    spoil: async (file) => {
      await rm(file);
      await mkdir(file);
    },
  },
  {
    title: "a link without an end",
    cause: "ELOOP",
    told: "DIR/home/.local/state/hookctl/trust.json is a link loop",
    spoil: async (file) => {
      await rm(file);
      await symlink(file, file);
    },
  },
];

describe("a store that cannot be used stops what depends on it", () => {
  for (const {
    title,
    cause,
    told = `DIR/home/.local/state/hookctl/trust.json: ${cause}`,
    isSkipped = false,
    spoil,
  } of spoilt) {
    test.skipIf(isSkipped)(`it is ${title}`, async () => {
      await using place = await workspace();
      await place.hook("guard", printResponse({}), { scope: "project" });
      await approveAll(place);
      expect(await outcomeOf(place, "guard")).toBe("continue");
      await spoil(storeOf(place), place);
      expect(readApprovals(storeOf(place), userId)).toEqual({ ok: false, error: cause });
      expect(await outcomeOf(place, "guard")).toBe("refused HOOK_REFUSED_STORE");
      expect(await outcomeOf(place, "guard", "--trust")).toBe("refused HOOK_REFUSED_STORE");
      for (const verb of ["untrust", "trust --list", "trust --prune"]) {
        expect(await runInProcess(place, verb)).toMatchObject({
          stdout: "",
          stderr: expect.stringContaining(`: ${told}. (TRUST_STORE_`),
          code: 77,
        });
      }
    });
  }
});

test("an approval sets a store aside that cannot be read, so that nothing in it is lost", async () => {
  await using place = await workspace();
  await place.hook("guard", printResponse({}), { scope: "project" });
  await place.write(storeOf(place), "precious", 0o600);
  const nowMs = () => 7;
  expect(await changeApprovals(storeOf(place), (approvals) => approvals, { userId, nowMs })).toMatchObject({
    ok: true,
  });
  expect(await place.read(`${storeOf(place)}.broken-7`)).toBe("precious");
});

test("who was stopped until its lock was given up writes nothing over what another has written since", async () => {
  await using place = await workspace();
  await place.hook("guard", printResponse({}), { scope: "project" });
  await approveAll(place);
  const file = storeOf(place);
  const late = await changeApprovals(
    file,
    (approvals) => {
      const longAgo = new Date(Date.now() - 11_000);
      lutimesSync(`${file}.lock`, longAgo, longAgo);
      const { env, project } = place;
      const [program = "", ...words] = [...AS_PERSON, "untrust", "--deny", "guard"];
      expect(spawnSync(program, words, { cwd: project, env }).status).toBe(0);
      return approvals;
    },
    moment,
  );
  expect(late).toEqual({ ok: false, error: "another process took over its lock" });
  expect(await outcomeOf(place, "guard")).toBe("refused HOOK_REFUSED_DENIED");
  expect((await readdir(dirname(file))).sort()).toEqual(["approved", "audit.jsonl", "trust.json"]);
});
