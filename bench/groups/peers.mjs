import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { say } from "../report.mjs";
import { installed, sessionOf, writeGuards } from "../session.mjs";

/** @import { Measure } from "../figure.mjs" */
/** @import { Bench, Preparation } from "../group.mjs" */
/** @import { Scene } from "../workspace.mjs" */

/**
 * @typedef {object} Peer what somebody would register to guard each call of a shell tool
 * @property {string} name
 * @property {number} [calls] of a session
 * @property {boolean} [isGuard] false: it cannot stop a call
 * @property {{ scene: Scene, line: string }} [place]
 * @property {string} [missing] why it is not here
 */

export const SERVED_GUARDS = ["filesystem", "git", "secrets", "self-protection"];
export const CALLS = 300;
/** Programs that take long and share nothing between their calls: each call costs the same. */
export const SLOW_CALLS = 20;
export const ALONE = "the sh guard by itself";
const PEER_EVENT = "before-tool-call";
/** Exact, so that figures of two days can be compared. */
const PLATFORM = `${process.platform}-${process.arch}`;
const PREK = `@j178/prek-${PLATFORM}${process.platform === "linux" ? "-gnu" : ""}`;
const VERSIONS = { "cc-safety-net": "2.4.5", [`lefthook-${PLATFORM}`]: "2.2.2", [PREK]: "0.5.3" };
const NPM_OPTIONS = ["--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "--fetch-retries=0"];
const INSTALL_LIMIT_MS = 120_000;
const CACHE = fileURLToPath(new URL("../../node_modules/.cache/hookctl-bench", import.meta.url));
const GO_SOURCE = fileURLToPath(new URL("../go-runner/", import.meta.url));
/** @type {readonly Measure[]} */
const COMPARED = ["wallMs", "p99Ms", "peakMb"];
/** @type {readonly Measure[]} */
const OF_ONE = ["serverMb", "firstMs"];

/** @type {Readonly<Record<string, Preparation>>} */
export const PEERS = {
  /** What each call of an agent costs that is guarded in one of the usual ways. The server of hookctl is counted, and its start. */
  peers: (bench) => {
    if (process.platform !== "linux") return { skipped: "what a program leaves running is counted on Linux only" };
    const peers = peersHere(bench);
    const present = peers.flatMap(({ place, calls = CALLS, ...peer }) =>
      place === undefined ? [] : [{ ...peer, calls, command: sessionOf(bench, place, { calls, ...peer }) }],
    );
    return {
      commands: Object.fromEntries(present.map(({ name, command }) => [name, command])),
      figures: present.flatMap(({ name, calls }) => {
        const row = { program: name, what: "a call", ours: { [name]: 1 } };
        const compared = { ...row, against: ALONE, theirs: { [ALONE]: 1 } };
        return [
          { ...compared, ours: { [name]: 1 / calls }, theirs: { [ALONE]: 1 / CALLS } },
          ...COMPARED.map((measure) => ({ ...compared, measure })),
          ...OF_ONE.map((measure) => ({ ...row, measure })),
        ];
      }),
      skipped: peers.flatMap(({ name, missing }) => (missing === undefined ? [] : `${name}, ${missing}`)),
    };
  },
};

/** @param {Bench} bench @returns {readonly Peer[]} */
function peersHere(bench) {
  const { workspace } = bench;
  const packages = installPackages();
  const goRunner = buildGoRunner();
  /** @param {(guard: string, scene: Scene) => string} lineOf */
  const withGuard = (lineOf) => {
    const scene = workspace.scene();
    const [guard = ""] = writeGuards(scene.userHooks);
    return { scene, line: lineOf(guard, scene) };
  };
  /** @param {Peer} peer @param {string | false} program @param {string} missing @returns {Peer} */
  const other = ({ name, ...peer }, program, missing) => (program === false ? { name, missing } : { name, ...peer });
  const noNpm = "which npm could not install";
  return [
    { name: "nothing", isGuard: false, place: { scene: workspace.scene(), line: ":" } },
    { name: ALONE, place: withGuard((guard) => `"${guard}" run`) },
    { name: "hookctl, the sh guard", place: installed(bench, { hooks: 1 }) },
    { name: "hookctl, four built-in guards", place: installed(bench, { guards: SERVED_GUARDS }) },
    {
      name: "hookctl without its server, the sh guard",
      calls: SLOW_CALLS,
      place: installed(bench, { hooks: 1, settings: { resident: false } }),
    },
    other(
      {
        name: `cc-safety-net ${VERSIONS["cc-safety-net"]}`,
        calls: SLOW_CALLS,
        place: {
          scene: workspace.scene(),
          line: `"${process.execPath}" "${packages.safetyNet}" hook --claude-code`,
        },
      },
      packages.safetyNet,
      noNpm,
    ),
    other(
      {
        name: `lefthook ${VERSIONS[`lefthook-${PLATFORM}`]}`,
        calls: SLOW_CALLS,
        place: viaLefthook(workspace.scene(), `"${packages.lefthook}"`),
      },
      packages.lefthook,
      noNpm,
    ),
    other(
      {
        name: `prek ${VERSIONS[PREK]}, which gives hooks no stdin`,
        calls: SLOW_CALLS,
        isGuard: false,
        place: viaPrek(workspace.scene(), `"${packages.prek}"`),
      },
      packages.prek,
      noNpm,
    ),
    other(
      { name: "run-parts", place: withGuard((_, scene) => `run-parts --exit-on-error --arg=run "${scene.userHooks}"`) },
      knowsArg(workspace.scene()) && "run-parts",
      "which is not installed or knows no --arg",
    ),
    other(
      { name: "a program in Go", place: withGuard((guard) => `"${goRunner}" "${guard}"`) },
      goRunner,
      "for want of a Go compiler",
    ),
  ];
}

/** @param {Scene} scene @param {string} program */
function viaLefthook(scene, program) {
  const [guard = ""] = writeGuards(join(repository(scene).project, ".lefthook", PEER_EVENT));
  const scripts = { [guard.slice(guard.lastIndexOf("/") + 1)]: { use_stdin: true } };
  const config = { output: ["failure"], [PEER_EVENT]: { scripts } };
  writeFileSync(join(scene.project, "lefthook.json"), JSON.stringify(config));
  return { scene, line: `${program} run --no-auto-install ${PEER_EVENT} run` };
}

/** @param {Scene} scene @param {string} program */
function viaPrek(scene, program) {
  const [guard = ""] = writeGuards(repository(scene).userHooks);
  const hook = { id: "guard", name: "guard", entry: `${guard} run`, language: "system" };
  const config = { repos: [{ repo: "local", hooks: [{ ...hook, always_run: true, pass_filenames: false }] }] };
  writeFileSync(join(scene.project, ".pre-commit-config.yaml"), JSON.stringify(config));
  spawnSync("git", ["add", "."], { cwd: scene.project, env: scene.env, stdio: "ignore" });
  return { scene, line: `${program} run` };
}

/** With the caller's own environment: npm may need its certificates and settings. Nothing is timed here. */
function installPackages() {
  const names = Object.entries(VERSIONS).map(([name, version]) => `${name}@${version}`);
  const folder = join(CACHE, `peers-${Object.values(VERSIONS).join("-")}`);
  const packages = join(folder, "node_modules");
  const paths = {
    safetyNet: join(packages, "cc-safety-net", "dist", "bin", "cc-safety-net.js"),
    lefthook: join(packages, `lefthook-${PLATFORM}`, "bin", "lefthook"),
    prek: join(packages, PREK, "prek"),
  };
  if (!Object.values(paths).every((path) => existsSync(path))) {
    say(`installing ${names.join(", ")}`);
    mkdirSync(folder, { recursive: true });
    // The folder is named, or npm takes the nearest project above, or the one whose script started this.
    const words = ["install", ...NPM_OPTIONS, "--prefix", folder, ...names];
    // Whoever measures may have unset the first one, which slows the start of Node.
    const { NODE_EXTRA_CA_CERTS = process.env.SSL_CERT_FILE } = process.env;
    const env = { ...process.env, NODE_EXTRA_CA_CERTS };
    spawnSync("npm", words, { cwd: folder, env, stdio: "ignore", timeout: INSTALL_LIMIT_MS });
  }
  const found = (/** @type {string} */ path) => existsSync(path) && path;
  return { safetyNet: found(paths.safetyNet), lefthook: found(paths.lefthook), prek: found(paths.prek) };
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
