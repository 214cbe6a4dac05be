import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { readonly version: string };

/** hookctl is not on npm: a package of its name there is somebody else's, and would run in CI, or as root. */
const BY_NAME = [
  /\b(?:npm|pnpm|yarn|bun)(?: global)?(?: -\S+)* (?:install|i|add|exec|dlx|x)(?: [^\s;|&`"']+)* hookctl(?![\w.-])/,
  /\b(?:npx|pnpx|bunx)\b(?! --no )[^\n;|&`]*\bhookctl\b/,
  /(?<![/\w])hookctl@/,
];
const fetchesByName = (line: string): boolean => BY_NAME.some((pattern) => pattern.test(line));
/** A tarball of another version is not the one that `npm pack` writes. */
const isOtherTarball = (line: string): boolean =>
  [...line.matchAll(/hookctl-[\w.]+\.tgz/g)].some(([name]) => name !== `hookctl-${version}.tgz`);

const FOLDERS = ["docs", "hooks-examples", "packages", "src", "assets", "man", ".github"];
const FILES = ["README.md", "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md", "action.yml", ".pre-commit-hooks.yaml"];
/** Commands that a guard judges, and the hints of a hookctl that `npx` has started. */
const JUDGED = /\/test\/|^docs\/guards-examples\.md$|^packages\/guards\/rules\/|^packages\/screen\/layout\.ts$/;

const texts = (): readonly string[] =>
  [
    ...FILES,
    ...FOLDERS.flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, withFileTypes: true }).flatMap((entry) =>
        entry.isFile() ? [relative(root, join(entry.parentPath, entry.name))] : [],
      ),
    ),
  ].filter((path) => !JUDGED.test(path));

test("no page, template, message or action fetches hookctl by its name", () => {
  const lines = texts().flatMap((path) =>
    readFileSync(join(root, path), "utf8")
      .split("\n")
      .map((line) => ({ path, line })),
  );
  expect(lines.length).toBeGreaterThan(10_000);
  expect(lines.filter(({ line }) => fetchesByName(line) || isOtherTarball(line))).toEqual([]);
});

test.each([
  ["npm install --global hookctl", true],
  ["sudo npm i -g hookctl  # as root", true],
  ["npm install -D hookctl@0.1.0", true],
  ["pnpm dlx hookctl check .", true],
  ["yarn global add hookctl", true],
  ["npx hookctl check .", true],
  ["npx -y hookctl check .", true],
  ["package=hookctl@$VERSION", true],
  ["npm install --global ./hookctl-0.1.0.tgz", false],
  ["npx --no hookctl check .", false],
  ["npm install && hookctl init", false],
  ["npm uninstall hookctl", false],
  ["uses: hookctl/hookctl@v0.1.0", false],
])("%s: %s", (line, expected) => expect(fetchesByName(line)).toBe(expected));
