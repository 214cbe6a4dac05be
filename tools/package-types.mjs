// Checks that the types of the packed package resolve as its code does, wherever ES modules are imported.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";

/** The package is for ES modules only: resolution by older rules, or from CommonJS, is none of its promises. */
const UNSUPPORTED = ["node10", "node16-cjs"];

const folder = mkdtempSync(join(tmpdir(), "hookctl-pack-"));
try {
  const packed = spawnSync("npm", ["pack", "--ignore-scripts", "--pack-destination", folder], { encoding: "utf8" });
  const [file = ""] = readdirSync(folder);
  if (packed.status !== 0) throw new Error(packed.stderr);
  const result = await checkPackage(createPackageFromTarballData(readFileSync(join(folder, file))));
  if (result.types === false) throw new Error("the package has no types");
  const problems = result.problems.filter(
    (problem) => !("resolutionKind" in problem && UNSUPPORTED.includes(problem.resolutionKind)),
  );
  for (const problem of problems) console.error(JSON.stringify(problem));
  if (problems.length > 0) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
