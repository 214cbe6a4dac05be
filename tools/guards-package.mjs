// Stages @hookctl/guards: the guards as a library for the authors of agents, without hookctl.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { rolldown } from "rolldown";

/** Writes the package into a folder, from the sources and from the declarations that `npm run build` wrote. */
/** @param {string} root @param {string} folder */
export async function stageGuards(root, folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const input = join(root, "packages/guards/index.ts");
  const bundle = await rolldown({ input, platform: "node", external: /^[^./]/ });
  await bundle.write({ format: "esm", file: join(folder, "index.js"), codeSplitting: false });
  for (const path of declarationsBehind(join(root, "dist/packages/guards/index.d.ts")))
    cpSync(path, join(folder, "types", relative(join(root, "dist"), path)));
  cpSync(join(root, "LICENSE"), join(folder, "LICENSE"));
  const readme = readFileSync(join(root, "packages/guards/README.md"), "utf8");
  writeFileSync(join(folder, "README.md"), readme.replace('"./index.ts"', '"@hookctl/guards"'));
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest(root), null, 2)}\n`);
}

/** @param {string} root */
function manifest(root) {
  const read = (/** @type {string} */ path) => JSON.parse(readFileSync(join(root, path), "utf8"));
  const { version, license, repository, homepage, author, engines, devDependencies } = read("package.json");
  const { name, description } = read("packages/guards/package.json");
  const types = "./types/packages/guards/index.d.ts";
  return {
    name,
    version,
    description,
    license,
    repository,
    homepage,
    author,
    engines,
    type: "module",
    exports: { ".": { types, default: "./index.js" }, "./package.json": "./package.json" },
    files: ["index.js", "types"],
    dependencies: { unbash: devDependencies.unbash },
  };
}

/** A declaration file and all that it imports. */
/** @param {string} path @param {Set<string>} [seen] @returns {ReadonlySet<string>} */
function declarationsBehind(path, seen = new Set()) {
  if (seen.has(path)) return seen;
  seen.add(path);
  for (const [, target = ""] of readFileSync(path, "utf8").matchAll(/(?:from |import\()"(\.[^"]+)"/g))
    declarationsBehind(resolve(dirname(path), target.replace(/\.(?:ts|js)$/, ".d.ts")), seen);
  return seen;
}
