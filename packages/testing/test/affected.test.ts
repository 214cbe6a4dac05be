import { expect, test } from "vitest";
import { affectedBy, EVERY_HOOK, type Watched } from "../watch/watched-files.ts";

const HOOKS = "/p/.kodelet/hooks";
const OTHERS = "/home/.kodelet/hooks";
const watched: Watched = {
  hooks: new Map([
    [`${HOOKS}/guard`, [`${HOOKS}/guard`, `${HOOKS}/lib/rules.sh`]],
    [`${HOOKS}/other`, [`${HOOKS}/other`]],
    [`${OTHERS}/mine`, [`${OTHERS}/mine`, "/opt/real/mine", "/opt/real/helper.py"]],
  ]),
  hookFolders: [HOOKS, OTHERS],
  caseFiles: new Map([["/p/.kodelet/tests/all.yaml", ["guard", "mine"]]]),
  settingsFiles: ["/home/.kodelet/hooks.yaml", "/home/.local/share/hookctl/trust.json"],
  settingsFolders: ["/p/.kodelet", "/home/.kodelet"],
};

const rows: readonly { saved: string; isAll?: true; paths?: readonly string[]; names?: readonly string[] }[] = [
  { saved: `${HOOKS}/guard`, paths: [`${HOOKS}/guard`] },
  { saved: `${HOOKS}/lib/rules.sh`, paths: [`${HOOKS}/guard`] },
  { saved: "/opt/real/mine", paths: [`${OTHERS}/mine`] },
  { saved: "/opt/real/helper.py", paths: [`${OTHERS}/mine`] },
  { saved: "/opt/real/nobody-loads-it", paths: [] },
  { saved: `${HOOKS}/new`, paths: [`${HOOKS}/new`] },
  { saved: `${HOOKS}/lib/unknown.sh`, paths: [`${HOOKS}/guard`, `${HOOKS}/other`] },
  { saved: "/p/.kodelet/tests/all.yaml", names: ["guard", "mine"] },
  { saved: "/p/.kodelet/tests", names: ["guard", "mine"] },
  { saved: `${HOOKS}/lib`, paths: [`${HOOKS}/guard`] },
  { saved: "/home/.local/share/hookctl/trust.json", isAll: true },
  { saved: "/home/.kodelet/hooks.yaml", isAll: true },
  { saved: "/p/.kodelet/hooks.json", isAll: true },
  { saved: "/p/.kodelet/notes.md" },
  { saved: `${HOOKS}/.guard.swp` },
  { saved: `${HOOKS}/guard~` },
  { saved: `${HOOKS}/4913` },
];

test.each(rows)("$saved affects what depends on it", ({ saved, isAll = false, paths = [], names = [] }) => {
  const affected = affectedBy([saved], [watched]);
  expect(affected === "all" ? affected : [...affected]).toEqual(isAll ? "all" : [...paths, ...names]);
});

test("what a file was before counts as well as what it is now", () => {
  const before: Watched = { ...watched, caseFiles: new Map([["/p/.kodelet/tests/one.json", ["guard"]]]) };
  const now: Watched = { ...watched, caseFiles: new Map([["/p/.kodelet/tests/one.json", ["other"]]]) };
  expect([...affectedBy(["/p/.kodelet/tests/one.json"], [before, now])]).toEqual(["guard", "other"]);
});

test("where a case is about the whole chain, every hook is tested, unless nothing is affected", () => {
  const chained: Watched = { ...watched, caseFiles: new Map([["/p/.kodelet/tests/chain.yaml", [EVERY_HOOK]]]) };
  expect(affectedBy([`${HOOKS}/guard`], [chained])).toBe("all");
  expect(affectedBy(["/p/.kodelet/tests/chain.yaml"], [chained])).toBe("all");
  expect(affectedBy(["/p/.kodelet/notes.md"], [chained])).toEqual(new Set());
});
