import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { runProgram } from "../support/workspace.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const { scripts }: { scripts: Readonly<Record<string, string>> } = JSON.parse(
  readFileSync(`${root}/package.json`, "utf8"),
);

/** The scripts that are a program of this repository: a person may type options behind their name. */
const programs = Object.entries(scripts).flatMap(([name, line]) => {
  const [, file] = /^node ((?:tools|gates|bench)\/\S+\.mjs)$/.exec(line) ?? [];
  return file === undefined ? [] : [{ name, file }];
});

describe.each(programs)("npm run $name", ({ name, file }) => {
  const start = (option: string) => runProgram([process.execPath, file, option], { cwd: root });

  test("prints its help, and does nothing", async () => {
    const { stdout, stderr, code } = await start("--help");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(new RegExp(`^Usage: npm run ${name}\\b`));
  });

  test("refuses an option that it does not have, and names its help", async () => {
    const { stdout, stderr, code } = await start("--no-such-option");
    expect({ code, stdout }).toEqual({ code: 64, stdout: "" });
    expect(stderr).toContain("--no-such-option");
    expect(stderr).toContain(`npm run ${name} -- --help`);
  });
});

test("the programs are found", () => {
  expect(programs.map(({ name }) => name)).toEqual(expect.arrayContaining(["demo", "docs", "release", "gates"]));
});
