// Builds native executables.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { stageGuards } from "./guards-package.mjs";
import { bytecodeOrder } from "./native/order.mjs";
import { bunFor, deafBunFor, hostTarget, run, TARGETS } from "./native/runtimes.mjs";
import { signed } from "./native/sign.mjs";
import { stagePackages } from "./native/stage.mjs";
import { COMMAND_LINE, groupsOf, lazyChildProcess, PARSER, PARTS } from "./parts.mjs";
import { readOptions } from "./read-options.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const output = join(root, "native");
const parts = join(output, "parts");
const cache = join(root, "node_modules", ".cache", "hookctl-native");

/** The few modules in front of the hot way: what the entry itself imports must not bring a later part along. */
const ENTRY_PARTS = { ...PARTS, hot: [...(PARTS.hot ?? []), "process/own-program.ts", "shell/load-parser.ts"] };

const HELP = `Usage: npm run native -- [options]

Each executable is written to native/TARGET/hookctl, with its checksum in native/SHA256SUMS.

Options:
  --target LIST  of ${Object.keys(TARGETS).join(", ")}; or all. Default: this machine's
  --stage        writes the npm packages to publish to native/npm/, too
  -h, --help     this text
`;
const values = readOptions(HELP, {
  target: { type: "string", default: hostTarget() },
  stage: { type: "boolean", default: false },
});
const names = values.target === "all" ? Object.keys(TARGETS) : values.target.split(",");

try {
  await bundleParts();
  const order = noteOrder();
  for (const name of names) {
    const target = targetNamed(name);
    const file = join(output, name, "hookctl");
    compile({ name, target, file, runtime: deafBunFor(target, cache) }, [`--bytecode-order=${order.join(",")}`]);
    console.log(`${name}  ${(readFileSync(file).length / 1e6).toFixed(0)} MB`);
  }
  writeChecksums();
  if (values.stage) {
    stagePackages(root, output);
    await stageGuards(root, join(output, "npm", "@hookctl", "guards"));
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  rmSync(parts, { recursive: true, force: true });
}

/** @param {string} name */
function targetNamed(name) {
  const target = TARGETS[name];
  if (target === undefined) throw new Error(`Unknown target "${name}": ${Object.keys(TARGETS).join(", ")}`);
  return target;
}

/** In the same few files as for Node. Bun by itself makes hundreds of them, of which a call would load dozens. */
async function bundleParts() {
  const bundle = await rolldown({
    input: { hookctl: join(root, "tools", "native", "entry.mjs"), parser: PARSER },
    platform: "node",
    // The libraries of the cold way are Bun's to bundle.
    external: (id) => /^[^./]/.test(id) && id !== PARSER && id !== COMMAND_LINE,
    plugins: [lazyChildProcess],
    checks: { ineffectiveDynamicImport: false },
  });
  await bundle.write({ dir: parts, format: "esm", minify: true, codeSplitting: { groups: groupsOf(ENTRY_PARTS) } });
}

/** Each function that a usual call reads lies beside the next: the file for this machine says which those are. */
function noteOrder() {
  const name = hostTarget();
  const target = targetNamed(name);
  const file = join(parts, "noting", "hookctl");
  compile({ name, target, file, runtime: bunFor(target, cache) }, []);
  return bytecodeOrder(file, parts);
}

/**
 * @param {{ name: string, target: import("./native/runtimes.mjs").Target, file: string, runtime: string }} executable
 * @param {readonly string[]} more
 */
function compile({ name, target, file, runtime }, more) {
  mkdirSync(dirname(file), { recursive: true });
  const words = [
    ...["build", "--compile", `--outfile=${file}`, `--compile-executable-path=${runtime}`, ...more],
    // Compiled before it runs.
    ...[`--target=bun-${name}`, "--bytecode", "--format=esm", "--splitting", "--minify"],
    // A call ends before a just-in-time compiler pays.
    "--compile-jit-policy=100",
    // Nothing in the folder in which it runs is a setting of its runtime.
    ...["dotenv", "bunfig", "tsconfig", "package-json"].map((settings) => `--no-compile-autoload-${settings}`),
    // Two folders deep, so that `import.meta.url` leads to the package's files as in src/ and in dist/.
    ...[
      "--asset=package.json",
      "--asset=hooks-examples",
      "--asset=assets",
      "--chunk-naming=dist/cold/[name]-[hash].[ext]",
    ],
    // Of bin/hookctl.js: else the folder of this checkout, and another executable on each machine.
    '--define=__dirname="/$bunfs/root/bin"',
    // Bun does not start in a deleted folder unless it is told to go there.
    ...(target.os === "linux" ? ["--compile-exec-argv=--cwd=/proc/self/cwd"] : []),
    ...["hookctl.js", "parser.js"].map((entry) => join(parts, entry)),
  ];
  run(bunFor(targetNamed(hostTarget()), cache), words, { cwd: root });
  if (target.os === "darwin") writeFileSync(file, signed(readFileSync(file)));
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
