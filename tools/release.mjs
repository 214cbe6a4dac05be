import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { notices } from "./native/notices.mjs";
import { BUN_VERSION, TARGETS } from "./native/runtimes.mjs";
import { readOptions } from "./read-options.mjs";

const HELP = `Usage: npm run release

Writes release/, the files of a release: the npm packages to publish, the executables, what they are made of, and the
checksums of all. It publishes nothing. Before it: npm run native -- --target all --stage
`;
readOptions(HELP, {});

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const release = join(root, "release");
const staged = join(root, "native", "npm");

const missing = Object.keys(TARGETS).filter((name) => !existsSync(executableOf(name)));
if (missing.length > 0 || !existsSync(staged)) {
  console.error(`not built: ${missing.join(", ") || "the packages"}\n  npm run native -- --target all --stage`);
  process.exitCode = 1;
} else {
  rmSync(release, { recursive: true, force: true });
  mkdirSync(release);
  for (const name of Object.keys(TARGETS)) copyFileSync(executableOf(name), join(release, `hookctl-${name}`));
  for (const folder of stagedPackages())
    npm(["pack", folder, "--silent", "--ignore-scripts", "--pack-destination", release]);
  writeFileSync(join(release, "hookctl.cdx.json"), `${JSON.stringify(billOfMaterials(), null, 2)}\n`);
  writeFileSync(join(release, "THIRD-PARTY-NOTICES.txt"), notices(root));
  const files = readdirSync(release).toSorted();
  writeFileSync(join(release, "SHA256SUMS"), files.map((name) => `${digestOf(name)}  ${name}\n`).join(""));
  process.stdout.write(readFileSync(join(release, "SHA256SUMS"), "utf8"));
}

/** @param {string} name */
function executableOf(name) {
  return join(root, "native", name, "hookctl");
}

function stagedPackages() {
  const executables = readdirSync(join(staged, "@hookctl")).map((name) => join(staged, "@hookctl", name));
  return [...executables, join(staged, "hookctl")];
}

/** In CycloneDX: what npm installs for a user, and the runtime in the executables. */
function billOfMaterials() {
  const bill = JSON.parse(npm(["sbom", "--omit=dev", "--sbom-format=cyclonedx", "--package-lock-only"]));
  const runtime = {
    ...{ type: "application", name: "bun", version: BUN_VERSION, purl: `pkg:npm/bun@${BUN_VERSION}` },
    ...{ description: "The runtime of the native executables", scope: "optional" },
    licenses: [{ license: { id: "MIT" } }, { license: { id: "LGPL-2.1-only" } }],
  };
  // npm names the package after the folder that it lies in.
  bill.metadata.component.name = "hookctl";
  return { ...bill, components: [...bill.components, { "bom-ref": `bun@${BUN_VERSION}`, ...runtime }] };
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
