import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Exact, so that figures of two days can be compared. */
export const LEFTHOOK = "2.2.2";
export const PREK = "0.5.3";
const PACKAGES = [`lefthook@${LEFTHOOK}`, `@j178/prek@${PREK}`];
const OPTIONS = ["--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "--fetch-retries=0"];
const INSTALL_LIMIT_MS = 120_000;
const SOURCE = fileURLToPath(new URL("./go-runner/", import.meta.url));

/**
 * With the caller's own environment: npm may need its certificates and settings. Nothing is timed here.
 * @param {string} cache
 * @param {(line: string) => void} say
 */
export function installPackages(cache, say) {
  const folder = join(cache, `peers-${LEFTHOOK}-${PREK}`);
  const packages = join(folder, "node_modules");
  const platform = `${process.platform}-${process.arch}`;
  const libc = process.platform === "linux" ? "-gnu" : "";
  const paths = {
    lefthook: join(packages, `lefthook-${platform}`, "bin", "lefthook"),
    lefthookNpm: join(packages, "lefthook", "bin", "index.js"),
    prek: join(packages, "@j178", `prek-${platform}${libc}`, "prek"),
  };
  const areAll = () => Object.values(paths).every((path) => existsSync(path));
  if (!areAll()) {
    say(`installing ${PACKAGES.join(" and ")}`);
    mkdirSync(folder, { recursive: true });
    // The folder is named, or npm takes the nearest project above, or the one whose script started this.
    const words = ["install", ...OPTIONS, "--prefix", folder, ...PACKAGES];
    spawnSync("npm", words, { cwd: folder, stdio: "ignore", timeout: INSTALL_LIMIT_MS });
  }
  const found = Object.entries(paths).filter(([, path]) => existsSync(path));
  return /** @type {Partial<typeof paths>} */ (Object.fromEntries(found));
}

/**
 * The Go runner, built from the source beside; null without a Go compiler.
 * @param {string} cache
 */
export function buildGoRunner(cache) {
  mkdirSync(cache, { recursive: true });
  const program = join(cache, "go-runner");
  const env = { ...process.env, GOCACHE: join(cache, "go-build"), GOFLAGS: "", GOPROXY: "off", CGO_ENABLED: "0" };
  const { status } = spawnSync("go", ["build", "-o", program, "."], { cwd: SOURCE, env, stdio: "ignore" });
  return status === 0 ? program : null;
}
