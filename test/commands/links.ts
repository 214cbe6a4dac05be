import { spawnSync } from "node:child_process";
import { mkdir, readdir, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { runInProcess } from "../support/in-process.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

export const SETTINGS = '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"true"}]}]}}';

/** Everything below the user's home, as a text that shows any difference. */
async function homeOf(place: Workspace): Promise<string> {
  const names = (await readdir(place.home, { recursive: true }))
    // hookctl's own: its state, and the launcher that a registration starts.
    .filter((name) => !/^\.(?:local|cache)\b|^\.kodelet\/hookctl$/.test(name))
    .sort();
  const texts = await Promise.all(names.map((name) => place.read(join("home", name))));
  return JSON.stringify(names.map((name, index) => [name, texts[index]]));
}

export async function linkAt(place: Workspace, path: string, target: string): Promise<void> {
  const at = join(place.project, path);
  await mkdir(dirname(at), { recursive: true });
  spawnSync("rm", ["-rf", at]);
  await symlink(target, at);
}

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

/** What each of these calls writes stays in the project. */
export function testLinks(calls: readonly string[]): void {
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
}
