import { spawnSync } from "node:child_process";
import { link, mkdir, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { runInProcess } from "../support/in-process.ts";
import { shellQuote } from "../support/shell.ts";
import { workspace } from "../support/workspace.ts";
import { linkAt, SETTINGS, testLinks } from "./links.ts";

const python = ["/usr/bin/python3", "/usr/local/bin/python3"].find((file) => spawnSync(file, ["-c", ""]).status === 0);

testLinks(["new mine --event before_tool_call", "install claude"]);

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
  { tags: "slow" },
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
