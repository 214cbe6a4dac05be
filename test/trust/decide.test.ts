import { chmod, mkdir, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { findCandidates } from "../../src/discover/find-candidates.ts";
import { createFolderNames } from "../../src/fs/paths.ts";
import { NO_APPROVALS } from "../../src/protocol/approval.ts";
import type { Candidate, Source } from "../../src/protocol/hook.ts";
import { ok } from "../../src/protocol/result.ts";
import { decideTrust, type TrustStatus } from "../../src/trust/decide/decide-trust.ts";
import { createOwnershipCheck } from "../../src/trust/decide/ownership.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const userId = process.getuid?.() ?? -1;
const STRANGER = 54_321;
const NO_APPROVAL = {
  approvals: ok(NO_APPROVALS),
  mainCheckoutOf: () => null,
  supportsSafePath: () => false,
  trustFile: null,
};

function only(folder: string, source: Source, projectDir: string | null): Candidate {
  const [candidate] = findCandidates([{ path: folder, source, prefix: "", projectDir }]).candidates;
  if (candidate === undefined) throw new Error(`no candidate in ${folder}`);
  return candidate;
}

function statusOf(place: Workspace, source: Source, isTrustedForOneCall: boolean, user = userId): TrustStatus {
  const folder = join(source === "user" ? place.home : place.project, ".kodelet", "hooks");
  const context = {
    homeDir: place.home,
    isTrustedForOneCall,
    checkOwnership: createOwnershipCheck(user),
    ...NO_APPROVAL,
    namesIn: createFolderNames(),
    compare: null,
  };
  return decideTrust(only(folder, source, source === "user" ? null : place.project), context);
}

describe("user hooks run without a question, a project's need approval", () => {
  const rows: readonly (readonly [source: Source, isApproved: boolean, trust: string, code: string | undefined])[] = [
    ["user", false, "trusted", undefined],
    ["user", true, "trusted", undefined],
    ["project", true, "trusted", undefined],
    ["project", false, "untrusted", "HOOK_REFUSED_UNTRUSTED"],
    ["explicit", false, "untrusted", "HOOK_REFUSED_UNTRUSTED"],
    ["project-plugin", false, "untrusted", "HOOK_REFUSED_UNTRUSTED"],
  ];
  test.each(rows)("%s, approved for one call: %s", async (source, isApproved, trust, code) => {
    await using place = await workspace();
    await place.hook("guard", ":", { scope: source === "user" ? "user" : "project" });
    const found = statusOf(place, source, isApproved);
    expect({ trust: found.trust, code: found.problem?.code }).toEqual({ trust, code });
  });
});

describe("the file and each parent up to the root must be the user's or root's, and not writable by others", () => {
  const modes: readonly (readonly [below: string, mode: number, isSafe: boolean])[] = [
    [".kodelet/hooks/guard", 0o755, true],
    [".kodelet/hooks/guard", 0o757, false],
    [".kodelet/hooks", 0o757, false],
    [".kodelet", 0o1777, true],
    [".kodelet", 0o777, false],
    ["", 0o772, false],
    ["..", 0o777, true],
  ];
  test.each(modes)("%j with mode %o", async (below, mode, isSafe) => {
    await using place = await workspace();
    await place.hook("guard", ":", { scope: "project" });
    const spoiled = join(place.project, below);
    await chmod(spoiled, mode);
    const found = statusOf(place, "project", true);
    await chmod(place.dir, 0o755);
    const cause = "is writable by group or others";
    expect(found).toMatchObject(
      isSafe ? { trust: "trusted", problem: null } : { trust: "unsafe", problem: { place: spoiled, cause } },
    );
  });

  test("what belongs to another user is named with that user", async () => {
    await using place = await workspace();
    const file = await place.hook("guard", ":");
    const { uid } = await stat(file);
    const found = createOwnershipCheck(STRANGER)(file, { owner: STRANGER + 1, group: 0, mode: 0o755 }, place.home);
    expect(found[0]).toEqual({ place: file, cause: `belongs to another user (uid ${STRANGER + 1})` });
    expect(createOwnershipCheck(uid)(file, { owner: 0, group: 0, mode: 0o755 }, place.home)).toEqual([]);
  });

  test("a folder that cannot be looked at is not safe", async () => {
    await using place = await workspace();
    const folder = join(place.dir, "gone");
    const found = createOwnershipCheck(userId)(
      join(folder, "guard"),
      { owner: userId, group: 0, mode: 0o755 },
      place.dir,
    );
    expect(found[0]).toEqual({ place: folder, cause: "cannot be checked" });
  });
});

describe("a link that leaves the project is refused", () => {
  const targets: readonly (readonly [target: string, source: Source, code: string | undefined])[] = [
    ["project/tools/guard", "project", undefined],
    ["elsewhere/guard", "project", "HOOK_REFUSED_LINK"],
    ["projectile/guard", "project", "HOOK_REFUSED_LINK"],
    ["elsewhere/guard", "explicit", undefined],
  ];
  test.each(targets)("%s, %s", async (target, source, code) => {
    await using place = await workspace();
    const file = await place.write(target, "#!/bin/sh\n", 0o755);
    await mkdir(join(place.project, ".kodelet", "hooks"), { recursive: true });
    await symlink(file, join(place.project, ".kodelet", "hooks", "guard"));
    expect(statusOf(place, source, true).problem?.code).toBe(code);
  });
});
