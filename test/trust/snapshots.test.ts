import { mkdirSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { sha256Of } from "../../src/fs/hash.ts";
import type { Approval } from "../../src/protocol/approval.ts";
import { ok } from "../../src/protocol/result.ts";
import { hashUsingSnapshot, readSnapshot, saveSnapshots } from "../../src/trust/store/approved-snapshots.ts";
import { workspace } from "../support/workspace.ts";

const APPROVED = Buffer.from("#!/bin/sh\nexit 0\n");
const CHANGED = Buffer.from("#!/bin/sh\nrm -rf ~\n");
const HOOK = "/p/.kodelet/hooks/guard";
const hash = sha256Of(APPROVED);
const approval: Approval = {
  ...{
    name: "guard",
    path: HOOK,
    realPath: HOOK,
    source: "project",
    project: "/p",
    sha256: hash,
    mode: 0o755,
    owner: 0,
  },
  ...{ helpers: {}, files: {}, said: null, approvedAt: "2026-01-01T00:00:00Z" },
};

test.each([
  ["what was hashed is kept", APPROVED, APPROVED],
  ["a file that changed since it was hashed is not kept", CHANGED, null],
])("%s", async (_, content, kept) => {
  await using place = await workspace();
  const trustFile = join(place.home, "state", "trust.json");
  mkdirSync(dirname(trustFile));
  const read = () => ok(content);
  saveSnapshots(trustFile, approval, read);
  expect(readSnapshot(trustFile, hash)).toEqual(kept);
  // Else the changed file would pass for the approved one from then on.
  expect(hashUsingSnapshot(HOOK, hash, { read, trustFile })).toBe(sha256Of(content));
  expect(readdirSync(dirname(trustFile)).length).toBe(kept === null ? 0 : 1);
});
