// Builds dist/: every room as ESM with declarations (tsc), the hot way of `run`, `list` and `bridge` as a few small
// CommonJS files, and bundles of the commands, of the library and of the programs that hookctl starts (rolldown). The
// bundles contain all libraries, so that an installation resolves no other package.
// `--no-check` emits without checking types, so that a type error does not stop the tests.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import fastGlob from "fast-glob";
import { rolldown } from "rolldown";
import { compileFront } from "./front.mjs";
import { COMMAND_LINE, groupsOf, lazyChildProcess, PARSER, PARTS, sourceFiles } from "./parts.mjs";
import { jsonTableFaults } from "./table-schemas.mjs";
import { tableFaults } from "./tables.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, "dist");
// Beside dist, so that the renames stay on one file system; with the pid, so that two builds do not mix.
const fresh = join(root, `dist.tmp-${process.pid}`);
const stale = join(root, `dist.old-${process.pid}`);

/** The packages of which a module was bundled, by their folders. */
/** @type {Set<string>} */
const packages = new Set();

/** What all bundles have in common. Also a package of which no line is left is listed. */
/** @type {import("rolldown").Plugin} */
const noteLibraries = {
  name: "note-libraries",
  moduleParsed({ id }) {
    const folder = /^[^\0]*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0];
    if (folder !== undefined) packages.add(folder);
  },
};

/** The shell parser as a file that Node can load at once, for the few calls that cannot wait for `import()`. */
const PARSER_FILE = "shell/parser.cjs";

/** @param {string} toDist @returns {import("rolldown").Plugin} */
const requireBundledParser = (toDist) => ({
  name: "require-bundled-parser",
  transform(code, id) {
    if (id !== join(root, "src/shell/load-parser.ts")) return null;
    const bundled = code.replace(`("${PARSER}")`, `("${toDist}/${PARSER_FILE}")`);
    if (bundled === code) throw new Error(`${relative(root, id)} requires no ${PARSER}`);
    return bundled;
  },
});

// UMD, which `main` names in some packages, cannot be bundled.
const resolveModules = { mainFields: ["module", "main"] };

/** Modules that are loaded when they are needed, as ESM, with the libraries of theirs. */
const COLD_FILES = [
  "src/cli/version.ts",
  "src/config/parse-and-check.ts",
  "src/report/color-style.ts",
  "src/terminal.ts",
  "src/commands/trust/approve-before-run.ts",
  "packages/connect/doctor/hook-portability.ts",
  "packages/connect/doctor/cannot-run.ts",
  "packages/connect/install/seal/check-seal.ts",
  "packages/handlers/mcp-client.ts",
  "packages/handlers/template-program-path.ts",
  "packages/agents/protection.ts",
];
/** But for completion, for which a person waits at each key, and for the server of an agent's calls, which is a call's own start. */
const HOT_COMMANDS = /\/(?:completion|resident)\//;
// The code of each command.
for (const group of fastGlob.sync("{src,packages/*}/commands/*-commands.ts", { cwd: root })) {
  const file = join(root, group);
  const handlers = [...readFileSync(file, "utf8").matchAll(/\bimport\("(\.[^"]+)"\)/g)];
  const paths = handlers.map(([, path = ""]) => relative(root, resolve(dirname(file), path)));
  if (!file.endsWith("/core-commands.ts")) COLD_FILES.push(...paths.filter((path) => !HOT_COMMANDS.test(path)));
}
const COLD = sourceFiles(COLD_FILES);

/** One folder below dist, so that `import.meta.url` leads to the package as from the rooms. */
const COLD_FOLDER = "cold";
const coldName = (/** @type {string} */ path) => path.replaceAll("/", "-").replace(/\.ts$/, "");

/**
 * The hot way: `hot.cjs` for every call, and beside it one file for each part that only some calls need.
 * A library on this way is a fault: it would cost every tool call of every agent.
 */
/** @type {import("rolldown").Plugin} */
const keepColdModulesOut = {
  name: "keep-cold-modules-out",
  resolveId(path, importer, { kind }) {
    if (importer === undefined || path.startsWith("node:") || path === COMMAND_LINE) return null;
    if (importer.includes(`/node_modules/${COMMAND_LINE}/`)) return null;
    if (path === PARSER && kind === "dynamic-import") return null;
    if (!path.startsWith(".")) throw new Error(`the hot way may not load ${path} (${relative(root, importer)})`);
    const target = resolve(dirname(importer), path);
    if (!COLD.includes(target)) return null;
    throw new Error(`${path} is cold: import it when it is needed (${relative(root, importer)})`);
  },
  // V8 does not keep what Node ties to an `import()`, so bin/hookctl.js gives the parts a function in its place.
  transform(code, id) {
    return code.replaceAll(/\bimport\("(\.[^"]+)"\)/g, (whole, /** @type {string} */ path) => {
      const target = resolve(dirname(id), path);
      return COLD.includes(target) ? `importCold("./${COLD_FOLDER}/${coldName(relative(root, target))}.js")` : whole;
    });
  },
};

/**
 * All names are handed out at the end of a part, where each has its value, by assignments to an object without a hidden
 * class: a getter for each costs 0.5 ms, a hidden class for each step of the object 0.2 ms, and a literal 0.1 ms.
 */
/** @type {import("rolldown").Plugin} */
const plainExports = {
  name: "plain-exports",
  renderChunk(code) {
    const getter =
      /Object\.defineProperty\(exports, "([\w$]+)", \{\s+enumerable: true,\s+get: function \(\) \{\s+return ([\w$]+);\s+\}\s+\}\);/g;
    const names = [...code.matchAll(getter)].map(([, name, value]) => `names.${name} = ${value};`);
    if (names.length === 0) return null;
    const handOut = `{ const names = { __proto__: null }; ${names.join(" ")} module.exports = names; }`;
    return { code: `${code.replace(getter, "")}\n${handOut}` };
  },
};

function compileRooms() {
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  const flags = process.argv.includes("--no-check") ? ["--noCheck"] : [];
  const args = [tsc, "-p", "tsconfig.build.json", "--outDir", fresh, ...flags];
  return spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" }).status === 0;
}

/** What rolldown adds: 200 characters, which as a file of their own would cost 0.1 ms. */
const HELPERS = "rolldown-runtime.cjs";

async function bundleHotWay() {
  const bundle = await rolldown({
    input: join(root, "src/main.ts"),
    platform: "node",
    // An import that waits is also a seam, at which another cut of the parts may divide them.
    checks: { ineffectiveDynamicImport: false },
    plugins: [noteLibraries, requireBundledParser("."), lazyChildProcess, keepColdModulesOut, plainExports],
  });
  const { output } = await bundle.generate({
    format: "cjs",
    minify: true,
    entryFileNames: "entry.cjs",
    chunkFileNames: "[name].cjs",
    minifyInternalExports: false,

    // By hand: the default cuts out every shared module, and each further file costs 0.2 ms.
    codeSplitting: { groups: groupsOf(PARTS) },
  });
  const chunks = output.filter((part) => part.type === "chunk");
  checkParts(chunks);
  const helpers = chunks.find(({ fileName }) => fileName === HELPERS);
  const helpersHere = `(()=>{const module={};${helpers?.code}return module.exports})()`;
  // Functions, not modules: bin/hookctl.js calls them with what a module gets, and V8 can keep them compiled.
  for (const { fileName, code } of chunks.filter((part) => part !== helpers)) {
    const body = inAscii(code).replaceAll(`require("./${HELPERS}")`, helpersHere);
    const text = `(function (exports, require, module, importCold, __filename) {${body}\n})`;
    writeFileSync(join(fresh, fileName), text);
  }
  const parser = await rolldown({ input: PARSER, platform: "node", cwd: root, plugins: [noteLibraries] });
  await parser.write({ format: "cjs", minify: true, file: join(fresh, PARSER_FILE) });
}

/**
 * Each command of `hookctl` in a few files: four hundred modules take a third of a second, and the memory that they fill
 * has to be copied with each start of a hook.
 */
async function bundleColdWay() {
  await bundleEsm(Object.fromEntries(COLD_FILES.map((path) => [coldName(path), join(root, path)])), COLD_FOLDER);
}

/** One folder below dist as well. The declarations stay those of the rooms. */
const LIBRARY_FOLDER = "lib";

/** The entries of the package. */
const LIBRARY_FILES = ["packages/sdk/index.ts", "packages/sdk/hook.ts", "packages/sdk/testing.ts"];

async function bundleLibrary() {
  const entries = Object.fromEntries(LIBRARY_FILES.map((path) => [basename(path, ".ts"), join(root, path)]));
  await bundleEsm(entries, LIBRARY_FOLDER);
  for (const name of Object.keys(entries))
    writeFileSync(join(fresh, `${name}.js`), `export * from "./${LIBRARY_FOLDER}/${name}.js";\n`);
}

/** A library is one file, with its name, which Node loads when a command needs the library. */
const libraryName = (/** @type {string} */ id) => {
  const name = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*\/node_modules\/)/.exec(id)?.[1];
  return name === undefined ? null : `library-${name.replace("/", "_")}`;
};

/** @param {Record<string, string>} input @param {string} folder */
async function bundleEsm(input, folder) {
  const plugins = [noteLibraries, requireBundledParser(".."), lazyChildProcess];
  const bundle = await rolldown({ input, platform: "node", resolve: resolveModules, plugins });
  const dir = join(fresh, folder);
  const codeSplitting = { groups: [{ name: libraryName, debugName: "libraries" }] };
  await bundle.write({ format: "esm", minify: true, dir, chunkFileNames: "[name]-[hash].js", codeSplitting });
}

/** Programs that are started or loaded by their path, as one file each: fifty modules take twice the time. */
const PROGRAMS = [
  "packages/cage/cage-proxy.ts",
  "packages/handlers/template-program.ts",
  "packages/sdk/library/node-loader.ts",
  "packages/sdk/library/node-loader-hooks.ts",
  "packages/sdk/library/remove-types.ts",
];

/** A program may load another one by its path. */
/** @type {import("rolldown").Plugin} */
const keepProgramsApart = {
  name: "keep-programs-apart",
  resolveId(path, importer) {
    if (importer === undefined) return null;
    const isProgram = PROGRAMS.includes(relative(root, resolve(dirname(importer), path)));
    return isProgram ? { id: `./${basename(path, ".ts")}.js`, external: true } : null;
  },
};

async function bundlePrograms() {
  for (const program of PROGRAMS) {
    const plugins = [noteLibraries, keepProgramsApart];
    const bundle = await rolldown({ input: join(root, program), platform: "node", plugins });
    const file = join(fresh, "programs", `${basename(program, ".ts")}.js`);
    await bundle.write({ format: "esm", minify: true, file });
  }
}

/** The licences of all packages in the bundles. */
function writeLicences() {
  const notices = [...packages].sort().map(noticeOf);
  writeFileSync(join(fresh, "THIRD-PARTY-LICENSES"), `${notices.join(`\n\n${"-".repeat(80)}\n\n`)}\n`);
}

/** @param {string} folder */
function noticeOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((entry) => /^(?:licen[cs]e|copying)/i.test(entry));
  if (file === undefined) throw new Error(`${name} has no licence`);
  return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), "utf8").trim()}`;
}

/**
 * A part hands out its names once, at its end. Parts that load each other would see them before, and a variable that
 * changes afterwards would keep its first value for the others: both without an error.
 */
/** @param {readonly import("rolldown").OutputChunk[]} chunks */
function checkParts(chunks) {
  const importsOf = new Map(chunks.map(({ fileName, imports }) => [fileName, imports]));
  /** @param {string} name @param {readonly string[]} path @returns {void} */
  const visit = (name, path) => {
    if (path.includes(name)) throw new Error(`parts load each other: ${[...path, name].join(" -> ")}`);
    for (const next of importsOf.get(name) ?? []) visit(next, [...path, name]);
  };
  for (const { fileName, moduleIds } of chunks) {
    visit(fileName, []);
    const mutable = moduleIds.find((id) => existsSync(id) && /^export let\b/m.test(readFileSync(id, "utf8")));
    if (mutable !== undefined) throw new Error(`${relative(root, mutable)} exports a variable that can change`);
  }
}

/** A character beyond ASCII would double the size of the whole text in memory, and with it bring on a collection. */
/** @param {string} code */
function inAscii(code) {
  return code.replace(/[^\0-\x7f]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/**
 * The front program compares this file alone. So the file differs when any other that a call may load does, and a server never
 * answers with parts of two builds.
 */
function markBuild() {
  const files = fastGlob.sync(["*.cjs", "{cold,programs,shell}/**"], { cwd: fresh }).sort();
  const hash = createHash("sha256");
  for (const file of files) hash.update(`${file}\0`).update(readFileSync(join(fresh, file)));
  appendFileSync(join(fresh, "hot.cjs"), `\n// ${hash.digest("hex")}\n`);
}

/** In a process of its own, which ends with the hooks it started. A failure costs time at each start, nothing else. */
function keepCompiledCode() {
  // From a shell, because its pipe is one: what Node itself would give as stdin is a socket, which is read another way.
  const piped = 'echo "{}" | "$0" "$1" >/dev/null';
  spawnSync("sh", ["-c", piped, process.execPath, join(root, "bin", "warm.mjs")], { cwd: root, stdio: "inherit" });
}

function replaceDist() {
  if (existsSync(dist)) renameSync(dist, stale);
  renameSync(fresh, dist);
}

const startedAt = new Date();
try {
  if (compileRooms()) {
    const { ownRulesSchema } = await import(join(fresh, "src/config/schema/guard-rules-schema.js"));
    const faults = [...(await tableFaults(fresh)), ...jsonTableFaults(root, ownRulesSchema())];
    if (faults.length > 0) throw new Error(`tables:\n${faults.join("\n")}`);
    await bundleHotWay();
    await bundleColdWay();
    await bundleLibrary();
    await bundlePrograms();
    compileFront(join(fresh, "front"));
    writeLicences();
    markBuild();
    // The age of hot.cjs is the age of the build: a source saved while it ran must count as newer.
    utimesSync(join(fresh, "hot.cjs"), startedAt, startedAt);
    replaceDist();
    keepCompiledCode();
  } else {
    process.exitCode = 1;
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  rmSync(fresh, { recursive: true, force: true });
  rmSync(stale, { recursive: true, force: true });
}
