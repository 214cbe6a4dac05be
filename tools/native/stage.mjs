import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { notices } from "./notices.mjs";
import { BUN_VERSION, run, TARGETS } from "./runtimes.mjs";

const NOTICES = "THIRD-PARTY-NOTICES.txt";

/**
 * The npm packages to publish: one for each native executable, and hookctl itself, which names them as optional
 * dependencies. The repository's package.json does not: `npm ci` would look for packages that are not published yet.
 *
 * @param {string} root @param {string} output
 */
export function stagePackages(root, output) {
  const npm = join(output, "npm");
  rmSync(npm, { recursive: true, force: true });
  const own = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const built = Object.entries(TARGETS).filter(([name]) => existsSync(join(output, name, "hookctl")));
  for (const [name, { os, cpu, libc }] of built) {
    const folder = join(npm, "@hookctl", name);
    mkdirSync(folder, { recursive: true });
    copyFileSync(join(output, name, "hookctl"), join(folder, "hookctl"));
    copyFileSync(join(root, "LICENSE"), join(folder, "LICENSE"));
    writeFileSync(join(folder, NOTICES), notices(root));
    writeFileSync(
      join(folder, "README.md"),
      `# @hookctl/${name}\n\nThe native executable of hookctl for ${name}, built with Bun ${BUN_VERSION}. Install \`hookctl\`, not this.\n`,
    );
    const { version, license, repository, homepage, author } = own;
    const files = ["hookctl", NOTICES];
    const shared = { version, license, repository, homepage, author, files, preferUnplugged: true };
    const platform = { os: [os], cpu: [cpu], ...(libc === undefined ? {} : { libc: [libc] }) };
    const description = `The native executable of hookctl for ${name}`;
    writeJson(join(folder, "package.json"), { name: `@hookctl/${name}`, description, ...shared, ...platform });
  }
  stageMain(
    root,
    npm,
    built.map(([name]) => `@hookctl/${name}`),
  );
}

/** hookctl as `npm pack` has it, with the native packages of its own version. */
/** @param {string} root @param {string} npm @param {readonly string[]} names */
function stageMain(root, npm, names) {
  const folder = join(npm, "hookctl");
  mkdirSync(folder, { recursive: true });
  // The list that a build by itself does not write.
  run(process.execPath, [join(root, "tools", "npmignore.mjs")]);
  const { stdout, status } = spawnSync("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", npm], {
    cwd: root,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`npm pack: exit code ${status}`);
  const archive = join(npm, stdout.trim());
  run("tar", ["-xzf", archive, "-C", folder, "--strip-components=1"]);
  rmSync(archive);
  const file = join(folder, "package.json");
  const { devDependencies: _, scripts: __, ...published } = JSON.parse(readFileSync(file, "utf8"));
  const optionalDependencies = Object.fromEntries(names.map((name) => [name, published.version]));
  writeJson(file, { ...published, optionalDependencies });
}

/** @param {string} file @param {object} content */
const writeJson = (file, content) => writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
