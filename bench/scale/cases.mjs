// What may grow: hooks in the folders, sessions in the state folder, the audit log, and calls at once.
import { times, writeConfig, writeHooks, writeTests, writeUserConfig } from "../workspace.mjs";
import {
  countedFault,
  disableHooks,
  hookRunsFault,
  otherProject,
  removeCounter,
  writeCounter,
  writeLog,
  writeModules,
  writePrinter,
  writePythonHooks,
  writeSession,
  writeSessions,
} from "./scenes.mjs";

/** @import { Scene } from "../workspace.mjs" */

/** @typedef {(scene: Scene, start: (words: readonly string[]) => void, n: number) => void} Preparation `start` calls hookctl */

/**
 * @typedef {object} Case
 * @property {string} what
 * @property {readonly string[]} words
 * @property {Preparation} [prepare]
 * @property {(n: number) => object | string} [input] the tool's input in the payload; a text is the JSON itself
 * @property {boolean} [isCold] what hooks have declared is forgotten before
 * @property {number} [mostRounds]
 * @property {(scene: Scene, calls: number) => string | null} [findFault] after all calls: what they should have left and did not
 */

/**
 * @typedef {object} Scale
 * @property {string} title
 * @property {readonly [number, number, number]} [sizes] n, 2n and 4n; 250, 500 and 1000 when nothing is said
 * @property {(scene: Scene, n: number) => void} [prepare]
 * @property {boolean} [isCrowd] so many calls at once, not one
 * @property {number} [mostRounds] of each case
 * @property {readonly Case[]} cases
 */

const [MIB, GIB] = [1024 ** 2, 1024 ** 3];
const LIST = ["list", "--event", "turn_end"];
const TOOL = ["run", "before_tool_call"];
const OTHER_EVENT = ["run", "session_start"];
const SHOW = ["trust", "--show"];
const APPROVE = ["trust", "--yes"];
const BRIDGE = ["bridge", "claude"];
const TAB = ["completion", "zsh", "--", "hookctl"];
const SESSION = ["--session", "s-1"];
const GUARDS = ["filesystem", "git", "remote-code", "secrets", "cloud", "system", "protected-paths", "self-protection"];
const ALL_GUARDS = Object.fromEntries(GUARDS.map((name) => [name, true]));

/** @param {Scene} scene @param {number} n */
const userHooks = (scene, n) => void writeHooks(scene.userHooks, n);
/** @param {Scene} scene @param {number} n */
const projectHooks = (scene, n) => void writeHooks(scene.projectHooks, n);

/** Entries of a settings file. @param {string} folder @param {number} n @param {(index: number) => object} entryOf */
const writeEntries = (folder, n, entryOf) =>
  writeConfig(folder, {
    hooks: times(n, (index) => ({ on: "before_tool_call", name: `e${index}`, ...entryOf(index) })),
  });

/** All hooks are known, then renamed so that none is active. @param {readonly string[]} words @returns {Preparation} */
const disableAfter = (words) => (scene, start) => {
  start(words);
  disableHooks(scene);
};

/** @type {Preparation} */
const changeAfterApproval = ({ project }, start, n) => {
  start(APPROVE);
  writeEntries(project, n, (index) => ({ command: `echo changed ${index}` }));
};

/** @type {Preparation} */
const approveBoth = (scene, start) => {
  start(["-C", otherProject(scene).folder, ...APPROVE]);
  projectHooks(scene, 1);
  start(APPROVE);
};

/** @type {Preparation} */
const replaceCounter = (scene) => {
  removeCounter(scene);
  userHooks(scene, 20);
};

/** @param {number} n */
const wide = (n) => Object.fromEntries(times(n, (index) => [`field${index}`, index]));
/** A case of a shell command. @param {string} what @param {(n: number) => string} commandOf @returns {Case} */
const shell = (what, commandOf) => ({ what, words: TOOL, input: (n) => ({ command: commandOf(n) }) });

/** @type {Readonly<Record<string, Scale>>} */
export const SCALES = {
  S1: {
    title: "hooks of the user",
    prepare: userHooks,
    cases: [
      { what: "first `list`: every hook is started", words: ["list", "--no-cache"], mostRounds: 2 },
      { what: "`list`", words: LIST },
      { what: "`run` of an event that no hook handles", words: OTHER_EVENT },
      { what: "`run` that starts each hook", words: TOOL, mostRounds: 2 },
      { what: "`status`", words: ["status"] },
      { what: "Tab after `hookctl edit`", words: [...TAB, "edit", ""] },
    ],
  },
  S2: {
    title: "hooks of a project",
    prepare: projectHooks,
    cases: [
      { what: "`trust --show`, none approved", words: SHOW, mostRounds: 3 },
      { what: "`run`, all approved", prepare: (_, start) => start(APPROVE), words: OTHER_EVENT },
      { what: "`list`, all approved and gone", prepare: disableAfter(APPROVE), words: LIST },
    ],
  },
  S3: {
    title: "hooks of the user, switched off by name",
    prepare: userHooks,
    cases: [{ what: "`run`", prepare: disableAfter(["list"]), words: OTHER_EVENT }],
  },
  S4: {
    title: "entries of a settings file",
    prepare: ({ home }, n) => writeEntries(home, n, (index) => ({ block: "no", match: { tool_name: `t${index}` } })),
    cases: [{ what: "`run` of an event that no hook handles", words: OTHER_EVENT }],
  },
  S18: {
    title: "approved entries of a project's settings file, all changed",
    prepare: ({ project }, n) => writeEntries(project, n, (index) => ({ command: `echo approved ${index}` })),
    cases: [
      { what: "`list`", prepare: changeAfterApproval, words: LIST },
      { what: "`trust --show`", words: SHOW, mostRounds: 3 },
    ],
  },
  S19: {
    title: "overrides in the settings, and as many hooks of other names",
    prepare: (scene, n) => {
      userHooks(scene, n);
      const overrides = Object.fromEntries(times(n, (index) => [`guard-${index}`, { timeout: "5s" }]));
      writeUserConfig(scene, { overrides });
    },
    cases: [{ what: "`list`", prepare: (_, start) => start(["list"]), words: LIST }],
  },
  S5: {
    title: "sessions in the state folder",
    sizes: [2500, 5000, 10_000],
    prepare: writeSessions,
    cases: [
      { what: "`run` of a hook that keeps a value", prepare: writeCounter, words: TOOL },
      { what: "`state incr`", words: ["state", "incr", "calls", ...SESSION] },
      { what: "`inbox`", words: ["inbox", ...SESSION] },
    ],
  },
  S6: {
    title: "of audit log, only the newest runs read",
    sizes: [2.5 * GIB, 5 * GIB, 10 * GIB],
    prepare: writeLog,
    cases: [
      { what: "`run`, which appends", words: TOOL, prepare: (scene) => userHooks(scene, 1) },
      { what: "`log -n 5`", words: ["log", "-n", "5"] },
      { what: "`log --since 1h`", words: ["log", "--since", "1h"] },
      { what: "`why`", words: ["why"] },
      { what: "`status`", words: ["status"] },
      { what: "Tab after `hookctl why`", words: [...TAB, "why", ""] },
    ],
  },
  S7: {
    title: "of audit log, all of it read",
    sizes: [32 * MIB, 64 * MIB, 128 * MIB],
    mostRounds: 3,
    prepare: writeLog,
    cases: [
      { what: "`stats`", words: ["stats"] },
      { what: "`log --grep`, nothing found", words: ["log", "--grep", "no such text"] },
      { what: "`report`", words: ["report", "--output", "-"] },
    ],
  },
  S8: {
    title: "calls of an agent at once",
    sizes: [50, 100, 200],
    isCrowd: true,
    mostRounds: 1,
    cases: [
      { what: "`bridge` without hooks", words: BRIDGE },
      {
        what: "`bridge`, all of one session whose hook keeps a value",
        prepare: writeCounter,
        words: BRIDGE,
        findFault: countedFault,
      },
      {
        what: "`bridge` with 20 hooks that never ran before",
        prepare: replaceCounter,
        words: BRIDGE,
        isCold: true,
        findFault: hookRunsFault,
      },
    ],
  },
  S9: {
    title: "Python hooks of a project that share a module",
    prepare: writePythonHooks,
    cases: [{ what: "`trust --show`, none approved", words: SHOW, mostRounds: 2 }],
  },
  S10: {
    title: "modules of one Python hook",
    prepare: writeModules,
    cases: [{ what: "`trust --show`", words: SHOW, mostRounds: 2 }],
  },
  S17: {
    title: "approved hooks of another project",
    prepare: (scene, n) => void writeHooks(otherProject(scene).hooks, n),
    cases: [{ what: "`run` in a project with one", prepare: approveBoth, words: OTHER_EVENT }],
  },
  S11: {
    title: "values and messages of a session",
    sizes: [2500, 5000, 10_000],
    prepare: writeSession,
    cases: [
      { what: "`state incr`", words: ["state", "incr", "v0", ...SESSION] },
      { what: "`inbox`", words: ["inbox", ...SESSION] },
      { what: "`run` that delivers the messages", words: TOOL },
    ],
  },
  S12: {
    title: "elements in a payload",
    sizes: [40_000, 80_000, 160_000],
    prepare: (scene) => userHooks(scene, 1),
    cases: [
      { what: "`run`, as fields", words: TOOL, input: wide },
      {
        what: "`run`, half as many levels",
        words: TOOL,
        input: (n) => `{"value":${"[".repeat(n / 2)}${"]".repeat(n / 2)}}`,
      },
      { what: "`bridge`, as fields", words: BRIDGE, input: wide },
    ],
  },
  S13: {
    title: "of hook output",
    sizes: [2 * MIB, 4 * MIB, 8 * MIB],
    prepare: writePrinter,
    cases: [{ what: "`run`", words: TOOL, mostRounds: 3 }],
  },
  S14: {
    title: "parts of a shell command, all guards on",
    sizes: [2500, 5000, 10_000],
    prepare: (scene) => writeUserConfig(scene, { guards: ALL_GUARDS }),
    cases: [
      shell("words", (n) => `echo ${"word ".repeat(n)}`),
      shell("files", (n) => `touch ${times(n, (index) => `build/${index}`).join(" ")}`),
      shell("pipes, a tenth as many", (n) => `cat x${" | sort".repeat(n / 10)}`),
      shell("lines, a tenth as many", (n) => "git status\n".repeat(n / 10)),
      shell("assignments, a tenth as many", (n) => times(n / 10, (index) => `v${index + 1}="$v${index}/x"`).join("\n")),
      shell(
        "levels of substitution, a hundredth as many",
        (n) => `${"echo $(".repeat(n / 100)}ls${")".repeat(n / 100)}`,
      ),
      shell("blocks of 100 bytes of text", (n) => `cat <<'E'\n${"some text of a file\n".repeat(n * 5)}E`),
    ],
  },
  S15: {
    title: "commands that a guard's settings allow",
    prepare: (scene, n) => {
      const allow = times(n, (index) => `git push --force origin b${index} *`);
      const paths = times(n, (index) => `secret/**/f${index}*`);
      writeUserConfig(scene, { guards: { ...ALL_GUARDS, git: { allow }, "protected-paths": { paths } } });
    },
    cases: [
      { what: "`run`", words: TOOL },
      shell("`run`, many commands", () => "git push --force origin b0 x\n".repeat(50)),
    ],
  },
  S16: {
    title: "test cases of a hook",
    sizes: [25, 50, 100],
    prepare: (scene, n) => {
      writeCounter(scene);
      writeTests(
        scene,
        "counter",
        times(n, (index) => ({ command: `ls ${index}`, decision: "continue" })),
      );
    },
    cases: [{ what: "`test`", words: ["test"], mostRounds: 2 }],
  },
};
