import { chmod, mkdir, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { fakeTerminal } from "../../../../test/support/fake-terminal.ts";
import { runInProcess } from "../../../../test/support/in-process.ts";
import { type Workspace, workspace } from "../../../../test/support/workspace.ts";
import { act, everything } from "./uninstalled-homes.ts";

/** A second project beside the one in which commands run. */
async function withOther(place: Workspace): Promise<string> {
  await mkdir(join(place.dir, "other"));
  return join(place.dir, "other");
}

describe("uninstall --all also undoes what other projects got", () => {
  test.each([
    { agent: "claude", file: ".claude/settings.json", text: null },
    { agent: "claude", file: ".claude/settings.json", text: '{ "model":"opus"  }' },
    { agent: "codex", file: ".codex/hooks.json", text: '{ "hooks" : {} }\n\n' },
    { agent: "pi", file: ".pi/extensions/hookctl.ts", text: null },
  ])("$agent, $file before: $text", async ({ agent, file, text }) => {
    await using place = await workspace();
    const other = await withOther(place);
    if (text !== null) await place.write(`other/${file}`, text, 0o644);
    const before = [await everything(place.home), await everything(other)];
    await act(place, [`-C ../other init ${agent} --scope project --fail-closed`]);
    expect(await everything(other)).not.toEqual(before[1]);
    const dry = await runInProcess(place, "uninstall --all --dry-run");
    expect(dry.stdout).toMatch(new RegExp(`^• ${text === null ? "remove" : "restore"} .*/other/${file} `, "m"));
    const result = await runInProcess(place, "uninstall --all --yes");
    expect(result).toMatchObject({ stdout: expect.not.stringContaining("▲"), stderr: "", code: 0 });
    expect([await everything(place.home), await everything(other)]).toEqual(before);
  });

  test("adopted hooks come back", async () => {
    await using place = await workspace();
    const other = await withOther(place);
    const hook = { matcher: "Bash", hooks: [{ type: "command", command: "./x" }] };
    await place.write("other/.claude/settings.json", JSON.stringify({ hooks: { PreToolUse: [hook] } }), 0o644);
    const before = [await everything(place.home), await everything(other)];
    await act(place, ["init --yes --agents claude --guards git", "-C ../other adopt claude"]);
    expect(await runInProcess(place, "uninstall --all --yes")).toMatchObject({ stderr: "", code: 0 });
    expect([await everything(place.home), await everything(other)]).toEqual(before);
  });

  test("edits of people stay", async () => {
    await using place = await workspace();
    await withOther(place);
    await act(place, ["-C ../other init claude --scope project"]);
    const file = "other/.claude/settings.json";
    await place.write(file, (await place.read(file))?.replace("{", '{"model":"opus",') ?? "");
    const { stdout } = await runInProcess(place, "uninstall --all --yes");
    expect(stdout).toMatch(/other\/\.claude\/settings\.json +without hookctl's entries; it was edited since\n/);
    expect(JSON.parse((await place.read(file)) ?? "")).toEqual({ model: "opus" });
  });
});

test("a project that is gone is named, and everything else is removed", async () => {
  await using place = await workspace();
  const other = await withOther(place);
  const before = await everything(place.home);
  await act(place, ["-C ../other init claude --scope project"]);
  await rm(other, { recursive: true });
  const { stdout } = await runInProcess(place, "uninstall --all --yes");
  expect(stdout).toMatch(/^▲ .*\/other\/\.claude\/settings\.json stays: its project is gone$/m);
  expect(await everything(place.home)).toEqual(before);
});

test("what cannot be undone is named, and stays possible: a second call leaves nothing", async () => {
  await using place = await workspace();
  const other = await withOther(place);
  const before = [await everything(place.home), await everything(other)];
  await act(place, ["-C ../other init claude --scope project"]);
  const written = (await place.read("other/.claude/settings.json")) ?? "";
  const broken = `${written.slice(0, -3)}`;
  await place.write("other/.claude/settings.json", broken);
  const { stdout, code } = await runInProcess(place, "uninstall --all --yes");
  expect(code).toBe(0);
  expect(stdout).toMatch(/^▲ .*\/other\/\.claude\/settings\.json stays: /m);
  expect(stdout).toMatch(/^▲ ~\/\.local\/state\/hookctl stays: it has what these files were before/m);
  expect(await place.read("other/.claude/settings.json")).toBe(broken);
  await place.write("other/.claude/settings.json", written);
  // Also in the project itself.
  await act(place, ["-C ../other uninstall --all --yes"]);
  expect([await everything(place.home), await everything(other)]).toEqual(before);
});

test.skipIf(process.getuid?.() === 0)("a folder that cannot be written is named, and ends nothing", async () => {
  await using place = await workspace();
  const other = await withOther(place);
  await act(place, ["-C ../other init claude --scope project"]);
  await chmod(join(other, ".claude"), 0o555);
  const { stdout, code } = await runInProcess(place, "uninstall --all --yes");
  await chmod(join(other, ".claude"), 0o755);
  expect(code).toBe(0);
  expect(stdout).toMatch(/other\/\.claude\/settings\.json stays: its folder cannot be written$/m);
});

test("without notes nobody is said to have edited a file, and the undo leaves no folder of its lock", async () => {
  await using place = await workspace();
  await act(place, ["init claude --scope project"]);
  await rm(join(place.home, ".local"), { recursive: true });
  const { stdout } = await runInProcess(place, "uninstall --all --yes");
  expect(stdout).toMatch(/settings\.json +without hookctl's entries\n/);
  expect((await everything(place.home)).filter((line) => line.includes(".local"))).toEqual([]);
});

test("settings that are a link are not taken for those of another project", async () => {
  await using place = await workspace();
  await place.write("home/dotfiles/s.json", '{"a":1}\n');
  await mkdir(join(place.home, ".claude"));
  await symlink("../dotfiles/s.json", join(place.home, ".claude/settings.json"));
  const before = await everything(place.home);
  await act(place, ["init --yes --agents claude --guards git"]);
  const result = await runInProcess(place, "uninstall --all --yes");
  expect(result).toMatchObject({ stdout: expect.not.stringContaining("▲"), stderr: "", code: 0 });
  expect(await everything(place.home)).toEqual(before);
});

describe("a no is no usage error", () => {
  const host = { isStdinTerminal: () => true, openTerminal: async () => fakeTerminal(async () => "n") };

  test.each(["uninstall --all", "adopt claude --scope user"])("%s", async (call) => {
    await using place = await workspace();
    const hook = { matcher: "Bash", hooks: [{ type: "command", command: "./x" }] };
    await place.write("home/.claude/settings.json", JSON.stringify({ hooks: { PreToolUse: [hook] } }), 0o644);
    await act(place, ["init --yes --agents claude --guards git"]);
    const before = await everything(join(place.home, ".claude"));
    const result = await runInProcess(place, call, { host });
    expect(result).toMatchObject({ stdout: "", code: 77 });
    expect(result.stderr).toContain("TRUST_NOT_CONFIRMED");
    expect(result.stderr).not.toContain("--yes");
    expect(await everything(join(place.home, ".claude"))).toEqual(before);
  });
});
