import { chmod } from "node:fs/promises";
import { expect, test } from "vitest";
import { runInProcess } from "../../../../test/support/in-process.ts";
import { printResponse } from "../../../../test/support/shell.ts";
import { type Workspace, workspace } from "../../../../test/support/workspace.ts";

const CASE = "chain: true\nevent: before_tool_call\ncases: [{ name: a, expect: { decision: allow } }]\n";
const BLOCK = printResponse({ blocked: true, reason: "no" });

interface Report {
  readonly hooks: readonly { readonly name: string }[];
  readonly skipped_hooks: readonly { readonly name: string; readonly reason: string }[];
}

/** The reason why the chain was not tested; null: it was. */
async function chainReason(place: Workspace, call: string, env: Readonly<Record<string, string>> = {}) {
  const { stdout, code } = await runInProcess(place, call, { env });
  const report: Report = stdout === "" ? { hooks: [], skipped_hooks: [] } : JSON.parse(stdout);
  const isTested = report.hooks.some(({ name }) => name === "chain");
  const reason = report.skipped_hooks.find(({ name }) => name === "chain")?.reason ?? null;
  expect(isTested && reason !== null).toBe(false);
  return { code, isTested, reason };
}

test("nothing approved: nothing is tested, and the exit code says so", async () => {
  await using place = await workspace();
  await place.hook("theirs", BLOCK, { scope: "project" });
  await place.write("project/.kodelet/tests/chain.yaml", CASE);
  const before = await runInProcess(place, "test");
  expect(before).toMatchObject({
    code: 77,
    stdout: expect.stringContaining("chain: not all of its hooks run: theirs (not approved)"),
  });
  expect(before.stdout).not.toContain("✔");
});

interface Gap {
  readonly title: string;
  readonly prepare: (place: Workspace) => Promise<unknown>;
  readonly call?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly reason: string | null;
}

const project = { scope: "project" } as const;
const GAPS: readonly Gap[] = [
  { title: "all run", prepare: async () => undefined, reason: null },
  {
    title: "one of several is not approved",
    prepare: (place) => place.hook("theirs", BLOCK, project),
    reason: "not all of its hooks run: theirs (not approved)",
  },
  {
    title: "one is left out by --skip",
    prepare: (place) => place.hook("other", BLOCK),
    call: "test --json --skip other",
    reason: "not all of its hooks run: other (skipped by --skip)",
  },
  {
    title: "one is left out by HOOKCTL_SKIP",
    prepare: (place) => place.hook("other", BLOCK),
    env: { HOOKCTL_SKIP: "other" },
    reason: "not all of its hooks run: other (off (HOOKCTL_SKIP))",
  },
  {
    title: "one may be changed by others",
    prepare: async (place) => chmod(await place.hook("other", BLOCK), 0o777),
    reason: "not all of its hooks run: other (cannot run)",
  },
  {
    title: "a required one is missing",
    prepare: (place) => place.write("home/.kodelet/hooks.yaml", "overrides: { gone: { required: true } }\n"),
    reason: "not all of its hooks run: gone (cannot run)",
  },
  {
    title: "one does not declare its event",
    prepare: (place) => place.hook("mute", "exit 1", { says: "" }),
    reason: "not all of its hooks run: mute (cannot run)",
  },
  {
    title: "the settings of the project are not approved",
    prepare: (place) => place.write("project/.kodelet/hooks.json", JSON.stringify({ guards: { git: true } })),
    reason: "not all of its hooks run: hooks.json (not approved)",
  },
  {
    title: "one that the settings switch off is in no chain",
    prepare: async (place) => {
      await place.hook("other", BLOCK);
      await place.write("home/.kodelet/hooks.yaml", "overrides: { other: { enabled: false } }\n");
    },
    reason: null,
  },
  {
    title: "one of another event is not in this chain",
    prepare: async (place) => {
      await place.hook("stop", BLOCK, { says: "agent_stop" });
    },
    env: { HOOKCTL_SKIP: "stop" },
    reason: null,
  },
];

test.each(GAPS)("$title", async ({ prepare, call = "test --json", env, reason }) => {
  await using place = await workspace();
  await place.hook("guard", ":");
  await place.write("home/.kodelet/tests/chain.yaml", CASE);
  await prepare(place);
  expect(await chainReason(place, call, env)).toMatchObject({ reason, isTested: reason === null });
});

test("a folder that is named has the cases of its chain only if nothing of the chain lies elsewhere", async () => {
  await using place = await workspace();
  await place.hook("guard", ":", project);
  await place.write("project/.kodelet/tests/chain.yaml", CASE);
  expect(await chainReason(place, "test --json .")).toEqual({ code: 0, isTested: true, reason: null });
  // The user's own hooks belong to no chain of a project's cases.
  await place.hook("own", ":");
  expect(await chainReason(place, "test --json .")).toEqual({ code: 0, isTested: true, reason: null });
  const declared = { hooks: { before_tool_call: [{ name: "rule", match: { tool_name: "x" }, block: "no" }] } };
  await place.write("project/.kodelet/hooks.json", JSON.stringify(declared));
  expect(await chainReason(place, "test --json .")).toMatchObject({
    reason: expect.stringContaining("rule (not in the folder)"),
  });
});
