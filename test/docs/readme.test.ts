import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { runProgram, type Workspace, workspace } from "../support/workspace.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const SETUP = /^```sh\n(alias hookctl[\s\S]*?)^```$/m;
const CONSOLE = /^```console\n([\s\S]*?)^```$/gm;
/** Between the outputs of two commands. */
const CUT = "\u001e";

/** Forty commands in one script, on a machine that may have other things to do. */

interface Typed {
  readonly command: string;
  readonly shown: string;
}

/** Commands with the output that the page shows for each. */
function typedIn(block: string): readonly Typed[] {
  return block
    .split(/^\$ /m)
    .slice(1)
    .map((part) => ({ command: part.split("\n")[0] ?? "", shown: part.slice(part.indexOf("\n") + 1) }));
}

const eachTyped = (command: string): string =>
  `eval ${JSON.stringify(command).replaceAll(/[$`]/g, "\\$&")}; status=$?; printf '${CUT}'; (exit $status)`;

/** What differs from run to run: times, bars, and what a hook had started when its limit came. */
const steady = (text: string): string =>
  text
    .replaceAll(/[░█]{20} +\d+ ms/g, "BAR")
    .replaceAll(/(\d hooks?), \d+ ms/g, "$1")
    .replaceAll(/; its \d+ child process(es were| was) ended too/g, "");

async function outputs(place: Workspace, setup: string, commands: readonly string[]): Promise<readonly string[]> {
  // A file younger than 2 s is asked again each time, and a plan, which asks nobody, would not know it.
  const start = ["umask 022; shopt -s expand_aliases; exec 2>&1", setup, "sleep 2.1"];
  const script = [...start, ...commands.map(eachTyped)].join("\n");
  const env = {
    HOME: place.home,
    TMPDIR: place.dir,
    PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
  };
  const { stdout } = await runProgram(["bash", "-c", script], { cwd: root, env });
  const here = /\/tmp\.[A-Za-z0-9]+/g;
  return stdout
    .split(CUT)
    .slice(0, -1)
    .map((text) => text.replaceAll(place.home, "/home/you").replaceAll(place.dir, "").replaceAll(here, "/tmp/try"));
}

test("every command of the README gives what the README shows", async () => {
  await using place = await workspace();
  const text = await readFile(`${root}/README.md`, "utf8");
  const typed = [...text.matchAll(CONSOLE)].flatMap(([, block = ""]) => typedIn(block));
  const [, setup = ""] = SETUP.exec(text) ?? [];
  expect(typed.length).toBeGreaterThan(15);

  const seen = await outputs(
    place,
    setup,
    typed.map(({ command }) => command),
  );
  const fresh = typed.map(({ command }, index) => ({ command, shown: steady(seen[index] ?? "") }));
  expect(fresh).toEqual(typed.map(({ command, shown }) => ({ command, shown: steady(shown) })));
});
