import { expect, test } from "vitest";
import { runInProcess } from "../../../../test/support/in-process.ts";
import { printResponse } from "../../../../test/support/shell.ts";
import { workspace } from "../../../../test/support/workspace.ts";
import { failures, runCases } from "./case-run.ts";

const BLOCK = printResponse({ blocked: true, reason: "no" });

test("a case that blocks is tried as every agent's call, and an agent without the tool is skipped by its name", async () => {
  await using place = await workspace();
  await place.hook("guard", BLOCK);
  const payload = "{ tool_name: web_fetch, tool_input: { url: https://example.org } }";
  const result = await runCases(
    place,
    `hook: guard\ncases: [{ name: a, payload: ${payload}, expect: { decision: block } }]\n`,
  );
  expect(failures(result)).toEqual({});
  expect(result.cases[0]).toMatchObject({
    as: expect.arrayContaining([
      { agent: "claude", tool: "WebFetch", passed: true },
      { agent: "gemini", tool: "web_fetch", passed: true },
      { agent: "pi", tool: null, passed: true, skipped: "it has no tool for web_fetch with these arguments" },
    ]),
  });
});

test.each([
  ["as: all", ["claude", "codex", "gemini", "copilot", "cursor", "qwen", "droid", "goose", "opencode", "pi"]],
  ["as: [gemini, droid]", ["gemini", "droid"]],
  ["as: []", undefined],
])("%s chooses the agents", async (as, agents) => {
  await using place = await workspace();
  await place.hook("guard", BLOCK);
  const result = await runCases(place, `hook: guard\ncases: [{ name: a, ${as}, expect: { decision: block } }]\n`);
  const [one] = result.cases as readonly { readonly as?: readonly { readonly agent: string }[] }[];
  expect(one?.as?.map(({ agent }) => agent)).toEqual(agents);
});

test("a hook that looks at an agent's own name fails as the others, with what it saw", async () => {
  await using place = await workspace();
  await place.hook("guard", `case "$(cat)" in *'"tool_names":["bash","Bash"]'*) ${BLOCK} ;; esac`);
  const result = await runCases(
    place,
    "hook: guard\ncases: [{ name: a, as: [claude, gemini], payload: { tool_input: { command: x } }, expect: { decision: block } }]\n",
  );
  expect(result.code).toBe(1);
  expect(failures(result)).toEqual({
    a: 'as Gemini CLI\'s run_shell_command: expected the decision block, got allow; the hook saw tool_name "bash", tool_input {"command":"x"}',
  });
});

test("ask is asked or denied by each agent", async () => {
  await using place = await workspace();
  await place.hook("guard", printResponse({ decision: "ask", reason: "sure?" }));
  const result = await runCases(place, "hook: guard\ncases: [{ name: a, expect: { decision: ask } }]\n");
  const [one] = result.cases as readonly { readonly as?: readonly { readonly skipped?: string }[] }[];
  expect(failures(result)).toEqual({});
  expect(one?.as?.filter(({ skipped }) => skipped !== undefined)).toEqual([]);
});

test("the hook is started once if agents give it the same call", async () => {
  await using place = await workspace();
  await place.hook("guard", `echo x >> "${place.dir}/starts"; cat >/dev/null; ${BLOCK}`);
  const text = "hook: guard\ncases: [{ name: a, expect: { decision: block } }]\n";
  await runCases(place, text, { call: "test --json --only a" });
  expect(await place.read("starts")).toBe("x\n");
});

test("-v names the agents", async () => {
  await using place = await workspace();
  await place.hook("guard", BLOCK);
  await place.write(
    "home/.kodelet/tests/a.yaml",
    "hook: guard\ncases: [{ name: a, as: [pi], expect: { decision: block } }]\n",
  );
  const { stdout, stderr, code } = await runInProcess(place, "test -v --only a");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("the same as pi (bash)\n");
});
