import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { examine, GUARDS, judge, loadGuard, reasonOf, STANDARD_SETTINGS, withParser } from "../index.ts";

const readme = readFileSync(fileURLToPath(new URL("../README.md", import.meta.url)), "utf8");
const place = { folder: "/home/dev/shop", home: "/home/dev", project: "/home/dev/shop", variables: {} };

test("the command of the README is judged by all guards", async () => {
  const [, command = ""] = /commands: \["([^"]+)"\]/.exec(readme) ?? [];
  const judged = await withParser(() => {
    const examined = examine({ commands: [command], folder: null, files: [] }, place);
    return Object.values(GUARDS).flatMap((rules) => judge(examined, { rules, settings: STANDARD_SETTINGS }).judged);
  });
  expect(judged.map(({ decision, finding }) => `${decision}: ${reasonOf(finding)}`)).toEqual([
    "block: `rm -rf ../*` deletes the whole project. Delete the files that you made, by name, inside the project.",
  ]);
});

test("the rule of the README is a rule of the guard git", async () => {
  const { rules } = await loadGuard("git");
  expect(rules["drop-stash"]).toBe(/"about": "([^"]+)"/.exec(readme)?.[1]);
});
