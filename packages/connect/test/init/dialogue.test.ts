import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { fakeTerminal } from "../../../../test/support/fake-terminal.ts";
import { runInProcess } from "../../../../test/support/in-process.ts";
import { hasScript, hookctl, runOnTerminal } from "../../../../test/support/on-terminal.ts";
import { type Workspace, workspace } from "../../../../test/support/workspace.ts";
import { askSetup } from "../../commands/init/setup-choices.ts";

interface Dialogue {
  readonly shown: readonly string[];
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
}

/** A server is asked for where none is forbidden. */
const NO_SERVER = { CI: "1" };

/** Types one line after the other; null ends the input. */
async function typed(
  place: Workspace,
  keys: readonly (string | null)[],
  { env = {}, line = "init" } = {},
): Promise<Dialogue> {
  const shown: string[] = [];
  const left = [...keys];
  const terminal = fakeTerminal(async (text) => {
    shown.push(text);
    return left.shift() ?? null;
  });
  const host = { isStdinTerminal: () => true, openTerminal: async () => terminal };
  return { shown, ...(await runInProcess(place, line, { host, env: { ...NO_SERVER, ...env } })) };
}

const guardsIn = async (place: Workspace): Promise<unknown> =>
  JSON.parse((await place.read("home/.kodelet/hooks.json")) ?? "{}").guards;

describe("on a terminal", () => {
  test("it asks two questions, with the defaults marked, and Enter takes them", async () => {
    await using place = await workspace();
    await mkdir(join(place.home, ".codex"));
    const { shown, stdout, stderr, code } = await typed(place, ["", ""]);
    expect(shown).toHaveLength(2);
    expect(shown[0]).toMatch(/\n {2}\* git {15}\S.*\n/);
    expect(shown[0]).toMatch(/\n {4}cloud {13}\S.*\n/);
    expect(shown[0]).toMatch(/\nTurn on \[filesystem,git,secrets,self-protection\]: $/);
    expect(shown[1]).toContain("\n  * codex             Codex CLI (~/.codex)\n    not found: claude, gemini,");
    expect(shown[1]).toMatch(/\nConnect \[codex\]: $/);
    expect(stdout).toContain("✔ Guards on: filesystem, git, secrets, self-protection");
    expect(stdout).toContain("✔ Codex CLI connected");
    expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
  });

  test.each([
    { line: "init --guards git", keys: [""], asked: /Connect \[codex\]: $/ },
    { line: "init codex", keys: ["git"], asked: /Turn on \[.*\]: $/ },
    { line: "init --agents codex", keys: ["git"], asked: /Turn on \[.*\]: $/ },
    { line: "init codex --guards git", keys: [], asked: null },
    { line: "init codex --guards git --yes", keys: [], asked: null },
    { line: "init --guards git --yes", keys: [], asked: null },
  ])("$line asks only about what it does not name", async ({ line, keys, asked }) => {
    await using place = await workspace();
    await mkdir(join(place.home, ".codex"));
    const { shown, stderr, code } = await typed(place, keys, { line });
    expect(shown).toEqual(asked === null ? [] : [expect.stringMatching(asked)]);
    expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
    expect(await guardsIn(place)).toEqual({ git: true });
    expect(await place.read("home/.codex/hooks.json")).not.toBeNull();
  });

  test("names, none and a typing error count as they are typed", async () => {
    await using place = await workspace();
    await mkdir(join(place.home, ".codex"));
    const { shown, code } = await typed(place, ["gti", "git, cloud", "none"]);
    expect(shown[1]).toBe(
      '  Unknown guard "gti". Did you mean git?\nTurn on [filesystem,git,secrets,self-protection]: ',
    );
    expect(code).toBe(0);
    expect(await guardsIn(place)).toEqual({ git: true, cloud: true });
    expect(await place.read("home/.codex/hooks.json")).toBeNull();
  });

  test("yes takes what is marked, as many people answer, and no takes nothing", async () => {
    for (const [yes, no] of [
      ["y", "n"],
      ["Yes", "NO"],
    ]) {
      await using place = await workspace();
      await mkdir(join(place.home, ".codex"));
      expect(await typed(place, [yes ?? "", no ?? ""])).toMatchObject({ stderr: "", code: 0 });
      expect(Object.keys(Object(await guardsIn(place)))).toEqual(["filesystem", "git", "secrets", "self-protection"]);
      expect(await place.read("home/.codex/hooks.json")).toBeNull();
    }
  });

  test("the end of the input changes nothing, after the first question or the second", async () => {
    await using place = await workspace();
    for (const keys of [[null], ["", null], Array(30).fill("nonsense")]) {
      expect(await typed(place, keys)).toMatchObject({
        stdout: "",
        stderr:
          "✖ Nothing was changed: the question was not answered. (USAGE_WRONG_WORDS)\n  Try: hookctl init --yes\n",
        code: 64,
      });
    }
    expect(await guardsIn(place)).toBeUndefined();
  });

  test("where no agent is found none is the default", async () => {
    await using place = await workspace();
    const { shown, stdout } = await typed(place, ["git", ""]);
    expect(shown[1]).toMatch(/\nConnect \[none\]: $/);
    expect(stdout).toContain("▲ No agent is connected.");
  });
});

describe("where nothing decides whether a server may stay", () => {
  const codex = [{ name: "codex", evidence: "here" }] as const;
  test.each([
    { keys: ["git", "", ""], expected: { guards: ["git"], agents: ["codex"], hasServer: true } },
    { keys: ["git", "", "no"], expected: { guards: ["git"], agents: ["codex"], hasServer: false } },
    { keys: ["git", "none"], expected: { guards: ["git"], agents: [], hasServer: true } },
    { keys: ["git", "", null], expected: null },
  ])("$keys means $expected", async ({ keys, expected }) => {
    const left = [...keys];
    expect(
      await askSetup(
        fakeTerminal(async () => left.shift() ?? null),
        { guards: null, agents: null, found: codex, isServerOpen: true },
      ),
    ).toEqual(expected);
    expect(left).toEqual([]);
  });
});

describe.skipIf(!hasScript)("on a real terminal (needs script of util-linux)", () => {
  test("the dialogue sets up, and npx stands in the hints of who typed it", async () => {
    await using place = await workspace();
    await mkdir(join(place.home, ".claude"));
    const result = await runOnTerminal(place, `CI=1 npm_execpath=npx ${hookctl} init`, ["git\n", "\n"]);
    expect(result).toMatchObject({
      code: 0,
      shown: expect.stringContaining("  undo: npx hookctl off git --for good\r\n"),
    });
    expect(await guardsIn(place)).toEqual({ git: true });
    expect(await place.read("home/.claude/settings.json")).toContain("bridge claude");
  });

  test("Ctrl-C changes nothing", async () => {
    await using place = await workspace();
    const result = await runOnTerminal(place, `${hookctl} init`, ["\u0003"]);
    expect(result.code).toBe(130);
    expect(await guardsIn(place)).toBeUndefined();
  });
});

test("a process of its own without a terminal tells the plan on stdout and why it stopped on stderr", async () => {
  await using place = await workspace();
  const result = await place.run(["init"]);
  expect(result).toMatchObject({ code: 64, stderr: expect.stringContaining("there is no terminal") });
  expect(result.stdout).toMatch(/^• Would turn guards on: .*\n▲ No agent .*\nNothing was written\.\n$/);
  expect(await guardsIn(place)).toBeUndefined();
});
