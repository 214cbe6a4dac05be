import { spawnSync } from "node:child_process";
import { link, mkdir, readdir, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { runInProcess } from "../support/in-process.ts";
import { shellQuote } from "../support/shell.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const SETTINGS = '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"true"}]}]}}';
const python = ["/usr/bin/python3", "/usr/local/bin/python3"].find((file) => spawnSync(file, ["-c", ""]).status === 0);

/** Everything below the user's home, as a text that shows any difference. */
async function homeOf(place: Workspace): Promise<string> {
  const names = (await readdir(place.home, { recursive: true }))
    .filter((name) => !/^\.(local|cache)\b/.test(name))
    .sort();
  const texts = await Promise.all(names.map((name) => place.read(join("home", name))));
  return JSON.stringify(names.map((name, index) => [name, texts[index]]));
}

async function linkAt(place: Workspace, path: string, target: string): Promise<void> {
  const at = join(place.project, path);
  await mkdir(dirname(at), { recursive: true });
  spawnSync("rm", ["-rf", at]);
  await symlink(target, at);
}

const calls = [
  "new mine --event before_tool_call",
  "install claude",
  "install codex",
  "install gemini",
  "adopt claude",
];
const links: { title: string; path: string; target: string }[] = [
  { title: "our settings to the user's", path: ".kodelet/hooks.json", target: "../../home/.kodelet/hooks.json" },
  { title: "our settings to nothing yet", path: ".kodelet/hooks.json", target: "../../home/new.json" },
  { title: "our folder", path: ".kodelet", target: "../home/.kodelet" },
  { title: "our folder to nothing yet", path: ".kodelet", target: "../home/nothing/.kodelet" },
  { title: "the hooks folder", path: ".kodelet/hooks", target: "../../home/.kodelet/hooks" },
  { title: "the tests folder to nothing yet", path: ".kodelet/tests", target: "../../home/nothing" },
  { title: "an agent's settings", path: ".claude/settings.json", target: "../../home/.cfg/app.json" },
  { title: "an agent's settings to nothing yet", path: ".claude/settings.json", target: "../../home/nothing.json" },
  { title: "an agent's folder", path: ".claude", target: "../home/.cfg" },
  { title: "a link to a link", path: ".claude/settings.json", target: "next.json" },
  { title: "another agent's settings", path: ".codex/hooks.json", target: "../../home/.cfg/app.json" },
  { title: "a third agent's settings", path: ".gemini/settings.json", target: "../../home/.cfg/app.json" },
];

describe.each(calls)("%s", (args) => {
  test.each(links)("writes nothing through a link of the project out of it: $title", async ({ path, target }) => {
    await using place = await workspace();
    await place.write("home/.kodelet/hooks.json", '{"hooks":{}}\n');
    await place.write("home/.cfg/app.json", '{"theme":"dark"}\n');
    await mkdir(join(place.home, ".kodelet/hooks"));
    if (!path.startsWith(".claude")) await place.write("project/.claude/settings.json", SETTINGS);
    await linkAt(place, path, target);
    if (target === "next.json") await linkAt(place, ".claude/next.json", "../../home/.cfg/app.json");
    const before = await homeOf(place);
    const result = await runInProcess(place, args);
    expect([0, 64, 74, 77, 78]).toContain(result.code);
    expect(await homeOf(place)).toBe(before);
  });
});

test.each(["install claude", "install claude --dry-run", "adopt claude"])(
  "%s names the place that a link leads to",
  async (args) => {
    await using place = await workspace();
    await place.write("home/.cfg/app.json", SETTINGS);
    await linkAt(place, ".claude/settings.json", "../../home/.cfg/app.json");
    const result = await runInProcess(place, args);
    expect(result).toMatchObject({
      stdout: "",
      stderr: expect.stringContaining("leads out of the project, to DIR/home/.cfg/app.json"),
      code: 74,
    });
  },
);

test("a file that has another name outside keeps its text there", async () => {
  await using place = await workspace();
  const other = await place.write("home/.cfg/app.json", SETTINGS);
  await mkdir(join(place.project, ".claude"));
  await link(other, join(place.project, ".claude/settings.json"));
  expect(await runInProcess(place, "install claude")).toMatchObject({ code: 0 });
  expect(await place.read("home/.cfg/app.json")).toBe(SETTINGS);
});

test("a user's own link to dotfiles elsewhere is followed", async () => {
  await using place = await workspace();
  await place.write("dotfiles/claude.json", "{}\n");
  await mkdir(join(place.home, ".claude"));
  await symlink("../../dotfiles/claude.json", join(place.home, ".claude/settings.json"));
  expect(await runInProcess(place, "install claude --scope user")).toMatchObject({ code: 0 });
  expect(await place.read("dotfiles/claude.json")).toContain("bridge claude");
});

test.skipIf(process.getuid?.() !== 0)("but not to a file of somebody else (as root)", async () => {
  await using place = await workspace();
  const other = await place.write("other/claude.json", "{}\n");
  spawnSync("chown", ["54321", other]);
  await mkdir(join(place.home, ".claude"));
  await symlink(other, join(place.home, ".claude/settings.json"));
  const result = await runInProcess(place, "install claude --scope user");
  expect(result).toMatchObject({ stderr: expect.stringContaining("belongs to another user"), code: 74 });
  expect(await place.read("other/claude.json")).toBe("{}\n");
});

const modules = ["json.py", "sys.py", "codecs.py", "encodings.py", "sitecustomize.py", "usercustomize.py"];
test.skipIf(python === undefined).each(modules)("new --lang python never loads %s of the clone", async (name) => {
  await using place = await workspace();
  await place.write(`project/.kodelet/hooks/${name}`, `open(${shellQuote(`${place.dir}/canary`)}, "w").write("ran")\n`);
  const env = { PATH: `${dirname(python ?? "")}:/usr/bin:/bin` };
  const result = await runInProcess(place, "new mine --event before_tool_call --lang python", { env });
  expect(result).toMatchObject({ code: 0 });
  const payload = '{"tool_name":"bash","tool_input":{"command":"ls"}}';
  await runInProcess(place, "run before_tool_call", { env, stdin: payload });
  expect(await place.read("canary")).toBeNull();
});

const languages = ["bash", "python", "node", "typescript"];
test.each(languages.map((lang) => `new mine --event before_tool_call --lang ${lang}`))(
  "what %s approves is bound to no file that was there before",
  async (args) => {
    await using place = await workspace();
    for (const name of ["lib.sh", "json.py", "process.mjs", "rules.json", "sub/index.js"]) {
      await place.write(`project/.kodelet/hooks/${name}`, "x\n");
    }
    expect(await runInProcess(place, args)).toMatchObject({ code: 0 });
    const store = JSON.parse((await place.read("home/.local/state/hookctl/trust.json")) ?? '{"approvals":{}}');
    const approvals = Object.values<{ helpers: object; files: object }>(store.approvals);
    expect(approvals.flatMap(({ helpers, files }) => [...Object.keys(helpers), ...Object.keys(files)])).toEqual([]);
  },
);
