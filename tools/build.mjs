// Builds dist/: every room as ESM with declarations (tsc), and the hot way of `run` and `bridge` as one file (esbuild).
// `--no-check` emits without checking types, so that a type error does not stop the tests.
import { spawnSync } from "node:child_process";
import { existsSync, renameSync, rmSync, utimesSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const src = join(root, "src");
const dist = join(root, "dist");
// Beside dist, so that the renames stay on one file system; with the pid, so that two builds do not mix.
const fresh = join(root, `dist.tmp-${process.pid}`);
const stale = join(root, `dist.old-${process.pid}`);

/** The hot file holds what its static imports reach; what is imported when needed stays a file of its own in dist. */
const keepColdModulesOut = {
  name: "keep-cold-modules-out",
  setup(bundle) {
    bundle.onResolve({ filter: /.*/ }, ({ kind, path, resolveDir }) => {
      if (kind === "entry-point" || path.startsWith("node:")) return;
      const isDynamic = kind === "dynamic-import";
      if (!path.startsWith("."))
        return isDynamic ? { path, external: true } : fault(`the hot way may not load ${path}`);
      if (!isDynamic) return;
      const target = resolve(resolveDir, path);
      if (!existsSync(target)) return fault(`${path} does not exist`);
      const fromHot = relative(src, target).split(sep).join("/").replace(/\.ts$/, ".js");
      return { path: `./${fromHot}`, external: true };
    });
  },
};

function fault(text) {
  return { errors: [{ text }] };
}

function compileRooms() {
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  const flags = process.argv.includes("--no-check") ? ["--noCheck"] : [];
  const args = [tsc, "-p", "tsconfig.build.json", "--outDir", fresh, ...flags];
  return spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" }).status === 0;
}

async function bundleHotWay() {
  const { warnings } = await build({
    absWorkingDir: root,
    entryPoints: [join(src, "main.ts")],
    outfile: join(fresh, "hot.cjs"),
    bundle: true,
    format: "cjs",
    platform: "node",
    target: "node20",
    minify: true,
    legalComments: "none",
    plugins: [keepColdModulesOut],
  });
  return warnings.length === 0;
}

function replaceDist() {
  if (existsSync(dist)) renameSync(dist, stale);
  renameSync(fresh, dist);
}

const startedAt = new Date();
try {
  if (compileRooms() && (await bundleHotWay())) {
    // The age of hot.cjs is the age of the build: a source saved while it ran must count as newer.
    utimesSync(join(fresh, "hot.cjs"), startedAt, startedAt);
    replaceDist();
  } else {
    process.exitCode = 1;
  }
} catch (error) {
  // esbuild has shown its own errors already.
  if (!Array.isArray(error?.errors)) console.error(error);
  process.exitCode = 1;
} finally {
  rmSync(fresh, { recursive: true, force: true });
  rmSync(stale, { recursive: true, force: true });
}
