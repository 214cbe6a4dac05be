import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Those that ask for no more than their notice. */
const ALLOWED = ["MIT", "ISC", "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0", "0BSD", "BlueOak-1.0.0", "Python-2.0"];

const notices = readFileSync(join(root, "dist", "THIRD-PARTY-LICENSES"), "utf8").split(`\n\n${"-".repeat(80)}\n\n`);
const bundled = notices.map((notice) => {
  const [, name = "", version = "", licence = ""] = /^(\S+) (\S+) \((.+)\)\n\n/.exec(notice) ?? [];
  return { notice, name, version, licence };
});

/** What the libraries that find files and start programs of cold commands bring with them. */
const WITH_EXECA_AND_FAST_GLOB =
  "@nodelib/fs.scandir @nodelib/fs.stat @nodelib/fs.walk @sec-ant/readable-stream @sindresorhus/merge-streams braces cross-spawn execa fast-glob fastq figures fill-range get-stream glob-parent human-signals is-extglob is-glob is-number is-plain-obj is-stream is-unicode-supported isexe merge2 micromatch picomatch npm-run-path path-key parse-ms path-key pretty-ms queue-microtask reusify run-parallel shebang-command shebang-regex signal-exit strip-final-newline to-regex-range unicorn-magic which yoctocolors".split(
    " ",
  );

test("the libraries in the bundles are few, and none of a server or a compiler of schemas", () => {
  const others = bundled.map(({ name }) => name).filter((name) => !WITH_EXECA_AND_FAST_GLOB.includes(name));
  expect(bundled.length - others.length).toBe(WITH_EXECA_AND_FAST_GLOB.length);
  expect(others).toEqual([
    "@jridgewell/gen-mapping",
    "@jridgewell/resolve-uri",
    "@jridgewell/sourcemap-codec",
    "@jridgewell/trace-mapping",
    "chalk",
    "commander",
    "diff",
    "jsonc-parser",
    "lines-and-columns",
    "smol-toml",
    "sucrase",
    "ts-interface-checker",
    "unbash",
    "yaml",
    "zod",
  ]);
});

test("each has an allowed licence, whose text is there, and the version of the lock file", () => {
  const { packages }: { packages: Readonly<Record<string, { version: string; license?: string }>> } = JSON.parse(
    readFileSync(join(root, "package-lock.json"), "utf8"),
  );
  for (const { notice, name, version, licence } of bundled) {
    const locked = Object.entries(packages).filter(([path]) => path.endsWith(`node_modules/${name}`));
    expect(locked.map(([, { version: own, license }]) => ({ version: own, licence: license }))).toContainEqual({
      version,
      licence,
    });
    expect(ALLOWED).toContain(licence);
    expect(notice).toMatch(/copyright|permission|licen[cs]e/i);
    expect(notice.length).toBeGreaterThan(500);
  }
});

test("package.json asks a user's npm for no other package", () => {
  const own = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  for (const key of ["dependencies", "optionalDependencies", "peerDependencies", "bundleDependencies"])
    expect(own).not.toHaveProperty(key);
  for (const script of ["preinstall", "install", "postinstall", "prepare"])
    expect(own.scripts).not.toHaveProperty(script);
});

test("each action of others is pinned by its commit, with its version beside it", () => {
  const folder = join(root, ".github", "workflows");
  const files = [join(root, "action.yml"), ...readdirSync(folder).map((name) => join(folder, name))];
  const used = files.flatMap((file) => readFileSync(file, "utf8").match(/\buses:.*/g) ?? []);
  expect(used.length).toBeGreaterThan(10);
  expect(used.filter((line) => !/^uses: (?:\.\/\S+|[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$/.test(line))).toEqual([]);
});
