import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { compileFrontForAll } from "./front.mjs";
import { stageGuards } from "./guards-package.mjs";
import { readOptions } from "./read-options.mjs";

const HELP = `Usage: npm run release

Builds, and writes release/, the files of a release: the npm packages to publish, what hookctl is made of, and the checksums
of all. It publishes nothing.
`;
readOptions(HELP, {});

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const release = join(root, "release");
const guards = join(release, "guards");

rmSync(release, { recursive: true, force: true });
mkdirSync(release);
npm(["run", "build"]);
compileFrontForAll(join(root, "dist", "front"));
pack(root);
await stageGuards(root, guards);
pack(guards);
rmSync(guards, { recursive: true });
writeFileSync(join(release, "hookctl.cdx.json"), `${JSON.stringify(billOfMaterials(), null, 2)}\n`);
const files = readdirSync(release).toSorted();
writeFileSync(join(release, "SHA256SUMS"), files.map((name) => `${digestOf(name)}  ${name}\n`).join(""));
process.stdout.write(readFileSync(join(release, "SHA256SUMS"), "utf8"));

/** @param {string} folder */
function pack(folder) {
  npm(["pack", folder, "--silent", "--ignore-scripts", "--pack-destination", release]);
}

/** In CycloneDX: what npm installs for a user. */
function billOfMaterials() {
  const bill = JSON.parse(npm(["sbom", "--omit=dev", "--sbom-format=cyclonedx", "--package-lock-only"]));
  // npm names the package after the folder that it lies in.
  bill.metadata.component.name = "hookctl";
  return bill;
}

/** @param {readonly string[]} words */
function npm(words) {
  const { status, stdout, stderr } = spawnSync("npm", words, {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(`npm ${words[0]}: ${stderr}`);
  return stdout;
}

/** @param {string} name */
function digestOf(name) {
  return createHash("sha256")
    .update(readFileSync(join(release, name)))
    .digest("hex");
}
