import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { runMain } from "../support/in-process.ts";
import { hasScript, hookctl } from "../support/on-terminal.ts";
import { toolCall } from "../support/payloads.ts";
import { screenLines, tooWide } from "../support/screen.ts";
import type { Workspace } from "../support/workspace.ts";
import { CALLS, scene } from "./calls.ts";

const WIDTHS = [40, 80, 120, 200];

/** What a line of sh shows on a terminal of its own, for each width. */
function shownOn(place: Workspace, line: string, env: Readonly<Record<string, string>> = {}): readonly string[] {
  const lines = WIDTHS.map((columns) => `stty cols ${columns} rows 50; ${line} </dev/null; printf '@@\\n'`);
  const { stdout } = spawnSync("script", ["-qec", lines.join("; "), "/dev/null"], {
    cwd: place.project,
    env: { ...place.env, TERM: "xterm", LANG: "C.UTF-8", EDITOR: "true", ...env },
    encoding: "utf8",
  });
  return stdout.split("@@").slice(0, WIDTHS.length);
}

/** JSON, a script and a page for a browser are for programs, which need the lines as they are. */
const FOR_PROGRAMS = ["completion", "payload", "report", "schema", "serve", "state"];

const fitting = (sections: readonly string[]): readonly string[] =>
  sections.flatMap((section, at) => tooWide(section, WIDTHS[at] ?? 0).filter((line) => !line.startsWith("{")));

test.skipIf(!hasScript).each(Object.entries(CALLS))(
  "what %s shows fits a terminal of any width",
  async (name, call) => {
    await using place = await scene();
    if (call.after !== undefined) await runMain(place, call.after.split(" "), { stdin: toolCall("ls") });
    const shown = shownOn(place, `${hookctl} ${call.args}`);
    expect(shown).toHaveLength(WIDTHS.length);
    if (!FOR_PROGRAMS.includes(name)) expect(fitting(shown)).toEqual([]);
    const help = shownOn(place, `${hookctl} ${name} --help`);
    expect(help.join("")).toContain("hookctl");
    expect(fitting(help)).toEqual([]);
  },
);

test.skipIf(!hasScript)("COLUMNS sets another width, and a locale without UTF-8 gets symbols of ASCII", async () => {
  await using place = await scene();
  const [first = "", , , last = ""] = shownOn(place, `${hookctl} list`, { COLUMNS: "50", LC_ALL: "C" });
  expect(first.trim()).toBe(last.trim());
  expect(tooWide(last, 50)).toEqual([]);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII.
  expect(screenLines(last).join("")).toMatch(/^[\u0000-\u007f]*$/);
  expect(last).toContain("v needs no approval");
});
