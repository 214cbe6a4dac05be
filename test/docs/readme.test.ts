import { readFileSync } from "node:fs";
import { mkdir, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { shellQuote } from "../support/shell.ts";
import { AS_PERSON, runProgram, type Workspace, workspace } from "../support/workspace.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const page = readFileSync(join(root, "README.md"), "utf8");

/** Between the outputs of two commands. */
const SEPARATOR = "\u001e";

interface Example {
  readonly command: string;
  readonly output: string;
}

/** Commands with the output that the page shows for each. */
const examples: readonly Example[] = [...page.matchAll(/^```console\n([\s\S]*?)^```$/gm)].flatMap(([, block = ""]) =>
  block
    .split(/^\$ /m)
    .slice(1)
    .map((part) => ({ command: part.split("\n")[0] ?? "", output: part.slice(part.indexOf("\n") + 1) })),
);

const literal = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** `…` on a line of its own stands for any lines, elsewhere for any text of its line. */
function patternOf(shown: string): RegExp {
  const lines = shown
    .split(/(?<=\n)/)
    .map((line) => (line === "…\n" ? "(?:.*\\n)*" : line.split("…").map(literal).join(".*")));
  return new RegExp(`^${lines.join("")}$`);
}

/** A project of somebody who uses Claude Code, with hookctl on the PATH as `npm install --global` leaves it. */
async function installed(place: Workspace): Promise<{ readonly project: string; readonly bin: string }> {
  const [project, bin] = [join(place.home, "shop"), join(place.dir, "bin")];
  for (const folder of [project, bin, join(place.home, ".claude")])
    await mkdir(folder, { recursive: true, mode: 0o755 });
  await symlink(join(root, "bin", "hookctl.js"), join(bin, "hookctl"));
  return { project, bin };
}

const evaluated = ({ command }: Example): string =>
  `eval ${JSON.stringify(command).replaceAll(/[$`]/g, "\\$&")}; status=$?; printf '${SEPARATOR}'; (exit $status)`;

/** The hook that the page shows is written where the page says, after the commands above it. */
function scriptOf(commands: readonly Example[]): string {
  const [, hook = ""] = /^```sh\n(#!\/bin\/sh\n[\s\S]*?)^```$/m.exec(page) ?? [];
  const save = `mkdir -p .kodelet/hooks && cat > .kodelet/hooks/no-push <<'HOOK'\n${hook}HOOK\nchmod 755 .kodelet/hooks/no-push`;
  const lines = commands.map(
    (example) => (example.command.startsWith("hookctl trust ") ? `${save}\n` : "") + evaluated(example),
  );
  return ["umask 022; exec 2>&1", ...lines].join("\n");
}

test("every command of the README prints what the README shows", { tags: "slow" }, async () => {
  await using place = await workspace();
  const { project, bin } = await installed(place);
  const path = [bin, dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin"];
  const env = { HOME: place.home, TMPDIR: place.dir, PATH: path.join(":") };
  // Nobody types here, and these need a person.
  const person = [...AS_PERSON.slice(0, -1), join(bin, "hookctl")].map(shellQuote).join(" ");
  const asPerson = `hookctl() { case $1 in trust | block | allow) ${person} "$@" ;; *) command hookctl "$@" ;; esac; }\n`;
  const { stdout } = await runProgram(["bash", "-c", asPerson + scriptOf(examples)], { cwd: project, env });
  const outputs = stdout.split(SEPARATOR).slice(0, -1);
  expect(outputs).toHaveLength(examples.length);
  const wrong = examples
    .map(({ command, output }, index) => ({ command, shown: output, printed: outputs[index] ?? "" }))
    .filter(({ shown, printed }) => !patternOf(shown).test(printed));
  expect(wrong).toEqual([]);
});

describe("an excerpt is compared as a pattern", () => {
  const cases: readonly (readonly [shown: string, printed: string, fits: boolean])[] = [
    ["a\n…\nz\n", "a\nb\nc\nz\n", true],
    ["a\n…\nz\n", "a\nz\n", true],
    ["a … z\n", "a b c z\n", true],
    ["a … z\n", "a b\nz\n", false],
    ["a\n", "a\nb\n", false],
    ["a.c\n", "abc\n", false],
  ];
  test.each(cases)("%j and %j: %s", (shown, printed, fits) => expect(patternOf(shown).test(printed)).toBe(fits));
});

test("the README uses no pipe that cuts output", () => {
  expect(
    examples.map(({ command }) => command).filter((line) => /\| *(?:head|tail|cut|wc|grep)\b|node -p/.test(line)),
  ).toEqual([]);
  expect(examples.length).toBeGreaterThan(7);
});
