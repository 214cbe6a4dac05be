import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { EVENT } from "../command.mjs";
import { OURS } from "../figure.mjs";
import { say } from "../report.mjs";
import { writeHooks } from "../workspace.mjs";
import { WHY_PROCESS } from "./calls.mjs";

/** @import { Command } from "../command.mjs" */
/** @import { Figure } from "../figure.mjs" */
/** @import { Bench, Preparation } from "../group.mjs" */
/** @import { Scene } from "../workspace.mjs" */

/**
 * @typedef {object} Runner a program that runs the same hooks as hookctl
 * @property {string} name
 * @property {(count: number) => Command} [with] with so many hooks
 * @property {string} [missing] why it is not here
 */

const COUNTS = [1, 20];
const [ONE, MANY] = ["one hook", "20 hooks"];
const [LEFTHOOK, NPM_ENTRY] = ["lefthook", "lefthook, its npm entry"];
const PEER_EVENT = "before-tool-call";
/** Exact, so that figures of two days can be compared. */
const VERSIONS = { lefthook: "2.2.2", prek: "0.5.3" };
const PACKAGES = [`lefthook@${VERSIONS.lefthook}`, `@j178/prek@${VERSIONS.prek}`];
const NPM_OPTIONS = ["--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "--fetch-retries=0"];
const INSTALL_LIMIT_MS = 120_000;
const CACHE = fileURLToPath(new URL("../../node_modules/.cache/hookctl-bench", import.meta.url));
const GO_SOURCE = fileURLToPath(new URL("../go-runner/", import.meta.url));

/** @type {Readonly<Record<string, Preparation>>} */
export const PEERS = {
  /** One hook and 20, against other programs that run the same scripts. */
  P4: (bench) => {
    const runners = runnersHere(bench);
    const present = runners.flatMap((runner) => (runner.with === undefined ? [] : { ...runner, with: runner.with }));
    return {
      commands: Object.fromEntries(
        present.flatMap((runner) => COUNTS.map((count) => [`${runner.name} ${count}`, runner.with(count)])),
      ),
      figures: [...present.flatMap(amountsOf), ...ratios()].filter(
        ({ against }) => against === undefined || present.some(({ name }) => name === against),
      ),
      skipped: runners.flatMap(({ name, missing }) => (missing === undefined ? [] : `${name}, ${missing}`)),
    };
  },
};

/** @param {Bench} bench @returns {readonly Runner[]} */
function runnersHere({ workspace, commands }) {
  const { lefthook, lefthookNpm, prek } = installPackages();
  const goRunner = buildGoRunner();
  /** @param {(scene: Scene) => Command} start @returns {(count: number) => Command} */
  const withHooks = (start) => (count) => start(workspace.scene({ hooks: count }));
  /** @param {readonly string[]} argv before the folder of the hooks */
  const overFolder = (argv) => withHooks((scene) => commands.plain(scene, [...argv, scene.userHooks]));
  /** @param {string} name @param {string} missing @param {"" | false | ((count: number) => Command)} start @returns {Runner} */
  const other = (name, missing, start) => (start ? { name, with: start } : { name, missing });
  const [noNpm, noGo] = ["which npm could not install", "for want of a Go compiler"];
  return [
    { name: OURS, with: withHooks((scene) => commands.run(scene)) },
    other("a shell loop", "", withHooks(commands.loop)),
    other(
      "run-parts",
      "which is not installed or knows no --arg",
      knowsArg(workspace.scene()) && overFolder(["run-parts", "--arg=run"]),
    ),
    other("a Go program", noGo, goRunner && overFolder([goRunner, "known", EVENT])),
    other("a Go program that asks each hook", noGo, goRunner && overFolder([goRunner, "ask", EVENT])),
    other(LEFTHOOK, noNpm, lefthook && viaLefthook([lefthook])),
    other(NPM_ENTRY, noNpm, lefthook && lefthookNpm && viaLefthook([process.execPath, lefthookNpm])),
    other("prek", noNpm, prek && viaPrek(prek)),
  ];

  /** @param {readonly string[]} program @returns {(count: number) => Command} */
  function viaLefthook(program) {
    return (count) => {
      const scene = repository(workspace.scene());
      const names = writeHooks(join(scene.project, ".lefthook", PEER_EVENT), count);
      const scripts = Object.fromEntries(names.map((script) => [script, { use_stdin: true }]));
      const config = { output: ["failure"], [PEER_EVENT]: { scripts } };
      writeFileSync(join(scene.project, "lefthook.json"), JSON.stringify(config));
      return commands.plain(scene, [...program, "run", "--no-auto-install", PEER_EVENT, "run"]);
    };
  }

  /** prek gives its hooks no stdin. @param {string} program @returns {(count: number) => Command} */
  function viaPrek(program) {
    return (count) => {
      const scene = repository(workspace.scene());
      const hooks = writeHooks(scene.userHooks, count).map((name) => ({
        id: name,
        name,
        entry: `${join(scene.userHooks, name)} run`,
        language: "system",
        always_run: true,
        pass_filenames: false,
      }));
      const config = { repos: [{ repo: "local", hooks }] };
      writeFileSync(join(scene.project, ".pre-commit-config.yaml"), JSON.stringify(config));
      spawnSync("git", ["add", "."], { cwd: scene.project, env: scene.env, stdio: "ignore" });
      return commands.plain(scene, [program, "run"]);
    };
  }
}

/** @param {Runner} runner @returns {Figure[]} */
function amountsOf({ name }) {
  const [one = {}, many = {}] = COUNTS.map((count) => ({ [`${name} ${count}`]: 1 }));
  return [
    { program: name, what: ONE, ours: one },
    { program: name, what: ONE, ours: one, measure: "wallMs" },
    { program: name, what: MANY, ours: many },
  ];
}

/** hookctl against lefthook. @returns {Figure[]} */
function ratios() {
  /** @param {string} against @param {number} count */
  const to = (against, count) => ({
    against,
    what: count === 1 ? ONE : MANY,
    ours: { [`${OURS} ${count}`]: 1 },
    theirs: { [`${against} ${count}`]: 1 },
  });
  return [
    { ...to(LEFTHOOK, 1), measure: "wallMs" },
    { ...to(LEFTHOOK, 20), target: 1.25, whyMissed: WHY_PROCESS },
    { ...to(NPM_ENTRY, 20), target: 0.85, whyMissed: WHY_PROCESS },
  ];
}

/** With the caller's own environment: npm may need its certificates and settings. Nothing is timed here. */
function installPackages() {
  const folder = join(CACHE, `peers-${VERSIONS.lefthook}-${VERSIONS.prek}`);
  const packages = join(folder, "node_modules");
  const platform = `${process.platform}-${process.arch}`;
  const libc = process.platform === "linux" ? "-gnu" : "";
  const paths = {
    lefthook: join(packages, `lefthook-${platform}`, "bin", "lefthook"),
    lefthookNpm: join(packages, "lefthook", "bin", "index.js"),
    prek: join(packages, "@j178", `prek-${platform}${libc}`, "prek"),
  };
  if (!Object.values(paths).every((path) => existsSync(path))) {
    say(`installing ${PACKAGES.join(" and ")}`);
    mkdirSync(folder, { recursive: true });
    // The folder is named, or npm takes the nearest project above, or the one whose script started this.
    const words = ["install", ...NPM_OPTIONS, "--prefix", folder, ...PACKAGES];
    spawnSync("npm", words, { cwd: folder, stdio: "ignore", timeout: INSTALL_LIMIT_MS });
  }
  const found = (/** @type {string} */ path) => existsSync(path) && path;
  return { lefthook: found(paths.lefthook), lefthookNpm: found(paths.lefthookNpm), prek: found(paths.prek) };
}

function buildGoRunner() {
  mkdirSync(CACHE, { recursive: true });
  const program = join(CACHE, "go-runner");
  const env = { ...process.env, GOCACHE: join(CACHE, "go-build"), GOFLAGS: "", GOPROXY: "off", CGO_ENABLED: "0" };
  const { status } = spawnSync("go", ["build", "-o", program, "."], { cwd: GO_SOURCE, env, stdio: "ignore" });
  return status === 0 && program;
}

/** Some systems have a run-parts that knows no `--arg`. @param {Scene} scene */
function knowsArg({ project }) {
  return spawnSync("run-parts", ["--test", "--arg=run", project], { stdio: "ignore" }).status === 0;
}

/** @param {Scene} scene */
function repository(scene) {
  spawnSync("git", ["init", "--quiet"], { cwd: scene.project, env: scene.env, stdio: "ignore" });
  return scene;
}
