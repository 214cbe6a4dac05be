import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** @import { Gate } from "./gate.mjs" */

const root = fileURLToPath(new URL("..", import.meta.url));
const fixtures = fileURLToPath(new URL("fixtures/types/", import.meta.url));
const cache = join(root, "node_modules", ".cache", "hookctl-compilers");
/** The oldest of each line that a consumer may still use, and the newest. */
const COMPILERS = ["5.4.5", "5.6.3", "5.8.3", "5.9.3", "6.0.3", "7.0.2"];
const INSTALL = ["install", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "--fetch-retries=0"];
const INSTALL_LIMIT_MS = 300_000;
/** `lib` has no `dom`: console and the like come from the types of Node. */
const STRICT = {
  ...{ noEmit: true, strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
  ...{ skipLibCheck: false, target: "es2022", lib: ["es2022"], types: ["node"] },
};
const ESM = ["consumer.ts", "exports.ts"];
/** @param {string} module @param {string} moduleResolution @param {readonly string[]} files */
const consumer = (module, moduleResolution, files) => ({
  compilerOptions: { ...STRICT, module, moduleResolution },
  files,
});
const CONSUMERS = {
  "ESM and CommonJS on Node": consumer("nodenext", "nodenext", [...ESM, "commonjs.cts"]),
  "ESM on an older Node": consumer("node16", "node16", ESM),
  "a bundler": consumer("esnext", "bundler", ESM),
};

/**
 * The declarations of the packed package compile for a strict consumer, with each line of TypeScript.
 * @type {Gate}
 */
export async function types() {
  const compilers = COMPILERS.filter(installCompiler);
  const missing = COMPILERS.filter((version) => !compilers.includes(version));
  const skipped = missing.length === 0 ? [] : [`skipped: npm could not install TypeScript ${missing.join(", ")}`];
  const project = mkdtempSync(join(tmpdir(), "hookctl-types-"));
  try {
    installPackage(project);
    const faults = compilers.flatMap((version) =>
      Object.entries(CONSUMERS).flatMap(([name, config]) => {
        writeFileSync(join(project, "tsconfig.json"), JSON.stringify(config));
        const words = [compilerOf(version), "-p", project];
        const { status, stdout } = spawnSync(process.execPath, words, { encoding: "utf8" });
        return status === 0 ? [] : `TypeScript ${version}, ${name}: ${stdout.split("\n", 3).join(" ")}`;
      }),
    );
    const figures = `${compilers.length} compilers, ${Object.keys(CONSUMERS).length} consumers, ${faults.length} faults`;
    return { isMet: faults.length === 0, figures, notes: [...faults, ...skipped] };
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
}

/** @param {string} version */
const compilerOf = (version) => join(cache, version, "node_modules", "typescript", "bin", "tsc");

/** @param {string} version */
function installCompiler(version) {
  if (existsSync(compilerOf(version))) return true;
  const folder = join(cache, version);
  mkdirSync(folder, { recursive: true });
  const words = [...INSTALL, "--prefix", folder, `typescript@${version}`];
  spawnSync("npm", words, { cwd: folder, stdio: "ignore", timeout: INSTALL_LIMIT_MS });
  return existsSync(compilerOf(version));
}

/**
 * A project with the package as `npm pack` makes it, and the types of Node.
 * @param {string} project
 */
function installPackage(project) {
  const packages = join(project, "node_modules");
  const own = join(packages, "hookctl");
  mkdirSync(own, { recursive: true });
  const words = ["pack", "--silent", "--ignore-scripts", "--pack-destination", project];
  const { stdout, status } = spawnSync("npm", words, { cwd: root, encoding: "utf8" });
  if (status !== 0) throw new Error(`npm pack: exit code ${status}`);
  spawnSync("tar", ["-xzf", join(project, stdout.trim()), "-C", own, "--strip-components=1"]);
  for (const name of ["@types/node", "undici-types"]) {
    mkdirSync(dirname(join(packages, name)), { recursive: true });
    symlinkSync(join(root, "node_modules", name), join(packages, name));
  }
  for (const name of readdirSync(fixtures)) copyFileSync(join(fixtures, name), join(project, name));
  writeFileSync(join(project, "package.json"), JSON.stringify({ name: "consumer", type: "module", private: true }));
}
