// The runtime of each native executable: Bun, from the npm registry. Its one version is written here, with the integrity
// of each package, and not as a dependency: 50 MB that an `npm ci` without a native build does not need.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { unhearEngine } from "./unhear-engine.mjs";

export const BUN_VERSION = "1.4.5";

/**
 * @typedef {object} Target
 * @property {string} os
 * @property {string} cpu
 * @property {string} [libc]
 * @property {string} bun the name of Bun's package for it; `baseline` also runs on processors without AVX2
 * @property {string} integrity
 */

/** @type {Readonly<Record<string, Target>>} */
export const TARGETS = {
  "linux-x64": {
    ...{ os: "linux", cpu: "x64", libc: "glibc", bun: "linux-x64-baseline" },
    integrity: "sha512-s8yMwYcFnnrA178gji0gZbkE2WVDej/Ti1x770oPfihxyRxSMNhGhiAQNXV53aDeraZxksdvKV/RAdQBCd0qPA==",
  },
  "linux-arm64": {
    ...{ os: "linux", cpu: "arm64", libc: "glibc", bun: "linux-aarch64" },
    integrity: "sha512-4BXmsSKnjOrlGWqZV4x/oWa7AVoR+B6lCXddMzOAXBIm3t50eslg9wb66gmtW1AamEQ1l1CDvmmruysEhqOWMg==",
  },
  "linux-x64-musl": {
    ...{ os: "linux", cpu: "x64", libc: "musl", bun: "linux-x64-musl-baseline" },
    integrity: "sha512-cWJhU8h0+MiUgpSt99sQhjxLIIosKEcKYdtKddohokUvAuN6jKOy7g7+QDTZTXtwHxz93wL3BX+L6wXVPDUH3A==",
  },
  "linux-arm64-musl": {
    ...{ os: "linux", cpu: "arm64", libc: "musl", bun: "linux-aarch64-musl" },
    integrity: "sha512-XCNc+WvvMAdNNb+OWTogpy+N9wm62fkVeEVLb6how0RZhW5LPi6c7BlkeVCuWps7XjEl2saFpHFa20/1E+PAHg==",
  },
  "darwin-x64": {
    ...{ os: "darwin", cpu: "x64", bun: "darwin-x64-baseline" },
    integrity: "sha512-zqfLA5A4B+hYMh5WYzYSot3uZ06FzhdP0OEwQisEzdirYtXGj5cQFlfy31BGfNsAsk1Gd/w/OxJ/jqqJ3cMclw==",
  },
  "darwin-arm64": {
    ...{ os: "darwin", cpu: "arm64", bun: "darwin-aarch64" },
    integrity: "sha512-4MIFXHmctH2EhAxLXm2/qxNtv17dFtLJylvaOCsrgq6KSqHTs6eW5YSrJjRbJxYUJaR901fsN8JfZOa+CsWpWQ==",
  },
};

/** The target that runs on this machine. */
export function hostTarget() {
  const isMusl = process.platform === "linux" && !("glibcVersionRuntime" in Object(process.report.getReport()).header);
  return `${process.platform}-${process.arch}${isMusl ? "-musl" : ""}`;
}

/** Bun itself for a target, as the registry has it. @param {Target} target @param {string} cache */
export function bunFor({ bun, integrity }, cache) {
  const file = join(cache, `bun-${BUN_VERSION}-${bun}`);
  if (existsSync(file)) return file;
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "unpack-"));
  try {
    run("npm", [
      "pack",
      `@oven/bun-${bun}@${BUN_VERSION}`,
      "--silent",
      "--ignore-scripts",
      "--pack-destination",
      folder,
    ]);
    const archive = join(folder, `oven-bun-${bun}-${BUN_VERSION}.tgz`);
    const found = `sha512-${createHash("sha512").update(readFileSync(archive)).digest("base64")}`;
    if (found !== integrity) throw new Error(`@oven/bun-${bun}@${BUN_VERSION} is not what it was: ${found}`);
    run("tar", ["-xzf", archive, "-C", folder, "package/bin/bun"]);
    renameSync(join(folder, "package", "bin", "bun"), file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return file;
}

/** The variables by which Bun runs other code than the program in it, lets a debugger do so, writes a file, or crashes. */
const UNHEARD = ["BUN_BE_BUN", "BUN_OPTIONS", "BUN_INSPECT", "BUN_BYTECODE_", "JSC_SIGNAL_FOR_GC"];
/** Read only where there is a choice among the instructions of the processor. */
const UNHEARD_IF_READ = ["SIMDUTF_FORCE_IMPLEMENTATION"];
/** Options of its allocator, which reads MIMALLOC_ and the name: with these it gets no memory, and Bun ends at once. */
const ALLOCATOR_OPTIONS = [
  "arena_max_object_size",
  "disallow_arena_alloc",
  "disallow_os_alloc",
  "limit_os_alloc",
  "max_vabits",
];
/** A name that begins with NUL would be that of an option without a name. This byte is in no text in UTF-8. */
const NOT_UTF8 = 0xff;

/**
 * Bun for a target without those variables: each of their names begins with a NUL, which no variable's name can contain.
 * What an agent or a project sets must not get code into a guard, nor end it.
 *
 * @param {Target} target @param {string} cache
 */
export function deafBunFor(target, cache) {
  const bytes = readFileSync(bunFor(target, cache));
  for (const name of [...UNHEARD, ...UNHEARD_IF_READ]) {
    let count = 0;
    for (let at = bytes.indexOf(name); at !== -1; at = bytes.indexOf(name, at + 1)) {
      // A part of a script, which is loaded only together with the debugger.
      if (bytes.toString("latin1", at - 4, at) === "env.") continue;
      bytes[at] = 0;
      count++;
    }
    if (count === 0 && UNHEARD.includes(name))
      throw new Error(`Bun ${BUN_VERSION} does not contain ${name}: it may read it in another way now`);
  }
  for (const name of ALLOCATOR_OPTIONS) {
    const at = bytes.indexOf(`\0${name}\0`, 0, "latin1");
    if (at === -1) throw new Error(`Bun ${BUN_VERSION} does not contain ${name}: it may read it in another way now`);
    bytes[at + 1] = NOT_UTF8;
  }
  unhearEngine(bytes, target.cpu);
  const file = join(cache, `deaf-${BUN_VERSION}-${target.bun}`);
  writeFileSync(`${file}.${process.pid}`, bytes, { mode: 0o755 });
  renameSync(`${file}.${process.pid}`, file);
  return file;
}

/** @param {string} program @param {readonly string[]} words @param {import("node:child_process").SpawnSyncOptions} [options] */
export function run(program, words, options) {
  const { status, error } = spawnSync(program, words, { stdio: ["ignore", "ignore", "inherit"], ...options });
  if (status !== 0) throw error ?? new Error(`${program} ${words.slice(0, 3).join(" ")}: exit code ${status}`);
}
