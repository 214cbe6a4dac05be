import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isAlive } from "../../../../src/fs/lock.ts";
import { runInProcess } from "../../../../test/support/in-process.ts";
import { workspace } from "../../../../test/support/workspace.ts";
import { AGENTS } from "../../../agents/agents.ts";
import { missingFront, resident, unlessFront } from "../resident/residents.ts";
import { act, everything, files, testHomes } from "./uninstalled-homes.ts";

testHomes(["claude", "codex", "pi"], ["absent", "odd"]);

describe("hooks that adopt has moved", () => {
  const HOOKS = JSON.stringify({
    hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "./x" }] }] },
  });

  test.each(["user", "project"] as const)("of %s settings come back", async (scope) => {
    await using place = await workspace();
    await place.write(`${scope === "user" ? "home" : "project"}/.claude/settings.json`, HOOKS, 0o644);
    const before = [await everything(place.home), await everything(place.project)];
    await act(place, ["init --yes --agents claude --guards git", `adopt claude --scope ${scope}`]);
    expect(await runInProcess(place, "uninstall --all --yes")).toMatchObject({ stderr: "", code: 0 });
    expect([await everything(place.home), await everything(place.project)]).toEqual(before);
  });

  test("come back into a file that was edited since, whose edit stays", async () => {
    await using place = await workspace();
    const file = await place.write("home/.claude/settings.json", HOOKS);
    await act(place, ["init --yes --agents claude --guards git", "adopt claude --scope user"]);
    await place.write("home/.claude/settings.json", (await place.read(file))?.replace("{", '{"model":"opus",') ?? "");
    expect(await runInProcess(place, "uninstall --all --yes")).toMatchObject({ stderr: "", code: 0 });
    expect(JSON.parse((await place.read(file)) ?? "")).toEqual({ model: "opus", ...JSON.parse(HOOKS) });
  });
});

describe("what people have edited since stays, and only hookctl's part goes", () => {
  const EDITS: Readonly<Record<string, (text: string) => string>> = {
    json: (text) => text.replace("{", '{ "mine": [1,2],'),
    toml: (text) => `# mine\n${text}`,
    env: (text) => `MINE=1\n${text}`,
  };

  test.each(files.filter(({ kind }) => kind !== "module"))("$agent, $file", async ({ agent, file, kind }) => {
    await using place = await workspace();
    const edit = EDITS[kind] ?? ((text) => text);
    const original = kind === "json" ? '{\n  "theme": "dark"\n}\n' : "";
    await place.write(`home/${file}`, original);
    await act(place, [`init --yes --agents ${agent} --guards git`, "enable cage"]);
    await place.write(`home/${file}`, edit((await place.read(`home/${file}`)) ?? ""));
    expect(await runInProcess(place, "uninstall --all --yes")).toMatchObject({ stderr: "", code: 0 });
    expect(await place.read(`home/${file}`)).toBe(edit(original));
  });
});

test.each(["claude", "gemini", "codex", "opencode"] as const)(
  "uninstall %s takes the keys of the cage away, and nothing of other agents",
  async (agent) => {
    await using place = await workspace();
    const { file } = AGENTS[agent].cage ?? { file: "" };
    const other = agent === "claude" ? "gemini" : "claude";
    await act(place, [`init --yes --agents ${agent},${other} --guards git`, "enable cage"]);
    expect(await place.read(`home/${file}`)).toContain("/hookctl/cage/");
    expect(await runInProcess(place, `uninstall ${agent} --scope user`)).toMatchObject({ stderr: "", code: 0 });
    expect((await place.read(`home/${file}`)) ?? "").not.toContain("hookctl");
    expect(await place.read(`home/${AGENTS[other].cage?.file}`)).toContain("/hookctl/cage/");
  },
);

test("an agent's file that cannot be parsed and that hookctl did not write is none of its business", async () => {
  await using place = await workspace();
  await place.write("home/.claude/settings.json", '{"hooks": []}\n');
  const before = await everything(place.home);
  await runInProcess(place, "init --yes --agents claude --guards git");
  const { stdout, stderr, code } = await runInProcess(place, "uninstall --all --yes");
  expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
  expect(stdout).not.toContain("stays");
  expect(await everything(place.home)).toEqual(before);
});

test("what people wrote stays and is named, without a terminal nothing is removed, and a dry run only shows", async () => {
  await using place = await workspace();
  await place.hook("mine", "exit 0");
  await act(place, ["init --yes --agents claude --guards git"]);
  await place.write("home/.kodelet/hooks.json", '{ "guards": { "git": true } }\n');
  const before = await everything(place.home);
  const dry = await runInProcess(place, "uninstall --all --dry-run");
  expect(dry).toMatchObject({ stderr: "", code: 0 });
  expect(dry.stdout).toMatch(/^• remove {3}~\/\.claude\/settings\.json /m);
  expect(dry.stdout).toContain("(settings, hooks, test cases, packs):\n  ~/.kodelet/hooks.json\n  ~/.kodelet/hooks\n");
  expect(dry.stdout).toContain(
    "\nTo remove one of them: rm -r PATH. A pack alone: hookctl remove NAME, in its project\n",
  );
  expect(dry.stdout).toMatch(/Nothing was removed\. To apply: hookctl uninstall --all\n$/);
  expect(await runInProcess(place, "uninstall --all")).toMatchObject({
    stdout: "",
    stderr: expect.stringContaining("Nothing was removed: uninstall --all asks first, but there is no terminal."),
    code: 64,
  });
  expect(await everything(place.home)).toEqual(before);
  const json = await runInProcess(place, "uninstall --all --yes --json");
  expect(JSON.parse(json.stdout)).toMatchObject({ schema: "hookctl.uninstall-all/1", dry_run: false });
  expect((await everything(place.home)).map((line) => line.split(" ")[0])).toEqual([
    ...[".kodelet", ".kodelet/hooks", ".kodelet/hooks.json", ".kodelet/hooks/mine"],
  ]);
});

test.skipIf(missingFront !== null)(`a server that runs is stopped${unlessFront}`, async () => {
  await using place = await resident();
  const pid = await place.server();
  const result = await place.run(["uninstall", "--all", "--yes"]);
  expect(result).toMatchObject({ stdout: expect.stringContaining(`✔ Stopped  process ${pid} `), stderr: "", code: 0 });
  expect(isAlive(pid)).toBe(false);
  // Its settings were there before hookctl, and they are the person's.
  expect(await readdir(join(place.home, ".kodelet"))).toEqual(["hooks.json"]);
});

test.each(["uninstall claude --all", "uninstall --all --scope user"])("%s: --all takes nothing else", async (call) => {
  await using place = await workspace();
  expect(await runInProcess(place, call)).toMatchObject({ stdout: "", code: 64 });
});

test("hooks of projects stay, and their folders are named", async () => {
  await using place = await workspace();
  await place.hook("own", "printf '{}'", { scope: "project" });
  await act(place, ["trust own", "init --yes --agents claude --guards git"]);
  const kept = `${place.project}/.kodelet`;
  const shown = await runInProcess(place, "-C ../home uninstall --all --dry-run --json");
  expect(JSON.parse(shown.stdout).kept).toContain(kept.replace(place.dir, "DIR"));
});
