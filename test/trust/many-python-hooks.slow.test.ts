import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Candidate, RANK, UNKNOWN_STAMP } from "../../src/protocol/hook.ts";
import { reviewHooks } from "../../src/trust/review/review.ts";
import { cpuMs, expectGrowth } from "../support/cpu-time.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const FEW = 100;
const FACTOR = 8;

/** Python hooks beside a module that they share, and a file with the name of a module that comes with Python. */
async function pythonHooks({ project }: Workspace, count: number): Promise<readonly Candidate[]> {
  const projectDir = join(project, String(count));
  const folder = join(projectDir, ".kodelet", "hooks");
  await mkdir(folder, { recursive: true });
  for (const module of ["common", "json"]) await writeFile(join(folder, `${module}.py`), "X = 1\n");
  const names = Array.from({ length: count }, (_, index) => `h${index}.py`);
  for (const name of names)
    await writeFile(join(folder, name), "#!/usr/bin/env python3\nimport json\nimport common\n", { mode: 0o755 });
  return names.map((name) => {
    const path = join(folder, name);
    const where = { name, path, realPath: path, projectDir };
    return { ...where, source: "project", rank: RANK.folder, stamp: UNKNOWN_STAMP, entry: null } as const;
  });
}

test("eight times as many Python hooks are reviewed in about eight times the time", async () => {
  await using place = await workspace();
  const context = { scopes: { homeDir: place.home }, userId: process.getuid?.() ?? -1 };
  const few = await pythonHooks(place, FEW);
  const many = await pythonHooks(place, FEW * FACTOR);
  const [first] = few;
  const reviewed = reviewHooks(first === undefined ? [] : [first], context);
  expect(reviewed).toMatchObject({ ok: true, value: [{ evidence: { helpers: expect.any(Object) } }] });
  expect(reviewed.ok && Object.keys(reviewed.value[0]?.evidence.helpers ?? {}).length).toBe(2);
  const hooks = { small: few, large: many };
  // The square would be 64 times.
  expectGrowth(3 * FACTOR, (size) => cpuMs(() => void reviewHooks(hooks[size], context)));
});
