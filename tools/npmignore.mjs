// Writes dist/.npmignore: dist/ holds every room for the tests, the tools and the benchmark, but a user needs only what
// the exports, the command line and its programs load, and the declarations that the exports show.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, "dist");
const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
/** @type {readonly string[]} */
const EXPORTED = Object.values(exports).flatMap((entry) => entry.default?.slice("./dist/".length) ?? []);
/** @type {readonly string[]} */
const DECLARED = Object.values(exports).flatMap((entry) => entry.types?.slice("./dist/".length) ?? []);
/** Started or loaded by their path. */
const PROGRAMS = readdirSync(join(dist, "programs")).map((name) => join("programs", name));

const needed = new Set([...(await loadedFiles()), ...declarations()]);
const files = readdirSync(dist, { recursive: true, encoding: "utf8" }).filter((name) =>
  statSync(join(dist, name)).isFile(),
);
const ignored = files.filter((name) => /\.(?:js|json|d\.ts)$/.test(name) && !needed.has(name));
// V8's compiled code fits one version of V8: the first start writes it anew.
writeFileSync(join(dist, ".npmignore"), [".npmignore", "*.cjs.*", ...ignored.map(inFolder)].join("\n"));

/** What the entries import, also later. */
async function loadedFiles() {
  const cold = readdirSync(join(dist, "cold")).filter((name) => name.endsWith(".js"));
  const entries = [...EXPORTED, ...PROGRAMS, ...cold.map((name) => join("cold", name))];
  const bundle = await rolldown({
    input: entries.map((name) => join(dist, name)),
    platform: "node",
    external: /^[^./]/,
    logLevel: "silent",
    // Node loads also a module of which nothing is used.
    treeshake: false,
  });
  const { output } = await bundle.generate({ format: "esm" });
  return output.flatMap((part) => (part.type === "chunk" ? part.moduleIds : [])).map(nameOf);
}

/** What the compiler reads for somebody who imports the package. */
function declarations() {
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  const entries = DECLARED.map((name) => join(dist, name));
  const words = [tsc, "--listFilesOnly", "--ignoreConfig", "--module", "nodenext", "--types", "node", ...entries];
  const { stdout, status } = spawnSync(process.execPath, words, { cwd: root, encoding: "utf8" });
  if (status !== 0) throw new Error(`tsc --listFilesOnly: ${stdout}`);
  return stdout.split("\n").map(nameOf);
}

/** @param {string} path */
function nameOf(path) {
  return relative(dist, path);
}

/** @param {string} name */
function inFolder(name) {
  return `/${name.split(sep).join("/")}`;
}
