// Builds native executables: `npm run native [-- --target linux-x64,darwin-arm64] [--stage]`. Without a target: for this
// machine; `--target all`: for all. Each is written to native/<target>/hookctl, with its checksum in native/SHA256SUMS.
// `--stage` also writes the npm packages to publish to native/npm/.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { bunFor, deafBunFor, hostTarget, run, TARGETS } from "./native/runtimes.mjs";
import { stagePackages } from "./native/stage.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const output = join(root, "native");
const cache = join(root, "node_modules", ".cache", "hookctl-native");

const { values } = parseArgs({
  options: { target: { type: "string", default: hostTarget() }, stage: { type: "boolean", default: false } },
});
const names = values.target === "all" ? Object.keys(TARGETS) : values.target.split(",");

try {
  for (const name of names) build(name, targetNamed(name));
  writeChecksums();
  if (values.stage) stagePackages(root, output);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

/** @param {string} name */
function targetNamed(name) {
  const target = TARGETS[name];
  if (target === undefined) throw new Error(`Unknown target "${name}": ${Object.keys(TARGETS).join(", ")}`);
  return target;
}

/** @param {string} name @param {import("./native/runtimes.mjs").Target} target */
function build(name, target) {
  const file = join(output, name, "hookctl");
  mkdirSync(dirname(file), { recursive: true });
  const words = [
    ...["build", "--compile", `--outfile=${file}`, `--compile-executable-path=${deafBunFor(target, cache)}`],
    // Compiled before it runs, and in parts: a call loads those that it needs.
    ...[`--target=bun-${name}`, "--bytecode", "--format=esm", "--splitting", "--minify"],
    // A call ends before a just-in-time compiler pays.
    "--compile-jit-policy=100",
    // Nothing in the folder in which it runs is a setting of its runtime.
    ...["dotenv", "bunfig", "tsconfig", "package-json"].map((settings) => `--no-compile-autoload-${settings}`),
    // Two folders deep, so that `import.meta.url` leads to the package's files as in src/ and in dist/.
    ...["--asset=package.json", "--asset=hooks-examples", "--chunk-naming=dist/cold/[name]-[hash].[ext]"],
    // Bun does not start in a deleted folder unless it is told to go there.
    ...(target.os === "linux" ? ["--compile-exec-argv=--cwd=/proc/self/cwd"] : []),
    join(root, "tools", "native", "entry.mjs"),
  ];
  run(bunFor(targetNamed(hostTarget()), cache), words, { cwd: root });
  console.log(`${name}  ${(readFileSync(file).length / 1e6).toFixed(0)} MB`);
}

/** Of all that is there, also from earlier builds. */
function writeChecksums() {
  const files = Object.keys(TARGETS).map((name) => join(name, "hookctl"));
  const lines = files
    .filter((file) => existsSync(join(output, file)))
    .map(
      (file) =>
        `${createHash("sha256")
          .update(readFileSync(join(output, file)))
          .digest("hex")}  ${file}\n`,
    );
  writeFileSync(join(output, "SHA256SUMS"), lines.join(""));
}
