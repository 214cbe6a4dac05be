// What may grow: hooks in the folders, sessions in the state folder, the audit log, and calls at once.
import { writeHooks, writeUserConfig } from "../workspace.mjs";
import { allowed, assignments, deep, nested, numbered, overridden, protectedPaths, wide } from "./inputs.mjs";
import {
  changeProjectEntries,
  countedFault,
  hookRunsFault,
  otherProject,
  removeCounter,
  switchOff,
  writeCases,
  writeCounter,
  writeEntries,
  writeLog,
  writeModules,
  writeOtherProject,
  writePrinter,
  writeProjectEntries,
  writePythonHooks,
  writeSession,
  writeSessions,
} from "./scenes.mjs";

/** @import { Scene } from "../workspace.mjs" */

/**
 * @typedef {object} Case
 * @property {string} what
 * @property {(scene: Scene, start: (words: readonly string[]) => void) => void} [prepare] `start` calls hookctl once
 * @property {readonly string[]} words
 * @property {(n: number) => object | string} [input] the tool's input in the payload; a text is the JSON itself
 * @property {boolean} [isCrowd] so many calls at once, not one
 * @property {boolean} [isCold] what hooks have declared is forgotten before
 * @property {number} [mostRounds]
 * @property {(scene: Scene, calls: number) => string | null} [findFault] after all calls: what they should have left and did not
 */

/**
 * @typedef {object} Scale
 * @property {string} title
 * @property {readonly [number, number, number]} sizes n, 2n and 4n
 * @property {(scene: Scene, n: number) => void} prepare
 * @property {readonly Case[]} cases
 */

const [MIB, GIB] = [1024 ** 2, 1024 ** 3];
const LIST = ["list", "--event", "turn_end"];
const TOOL = ["run", "before_tool_call"];
const OTHER_EVENT = ["run", "session_start"];
const ALL_GUARDS = {
  filesystem: true,
  git: true,
  "remote-code": true,
  secrets: true,
  cloud: true,
  "protected-paths": true,
  "self-protection": true,
};
const TAB = ["completion", "zsh", "--", "hookctl"];

/** @type {Readonly<Record<string, Scale>>} */
export const SCALES = {
  S1: {
    title: "hooks of the user",
    sizes: [250, 500, 1000],
    prepare: ({ userHooks }, n) => void writeHooks(userHooks, n),
    cases: [
      { what: "first `list`: every hook is started", words: ["list", "--no-cache"], mostRounds: 2 },
      { what: "`list`", words: LIST },
      { what: "`run` of an event that none handles", words: OTHER_EVENT },
      { what: "`run` that starts each", words: ["run", "before_tool_call"], mostRounds: 2 },
      { what: "`status`", words: ["status"] },
      { what: "Tab after `hookctl edit`", words: [...TAB, "edit", ""] },
    ],
  },
  S2: {
    title: "hooks of a project",
    sizes: [250, 500, 1000],
    prepare: ({ projectHooks }, n) => void writeHooks(projectHooks, n),
    cases: [
      { what: "`trust --show`, none approved", words: ["trust", "--show"], mostRounds: 3 },
      { what: "`run`, all approved", prepare: (_scene, start) => start(["trust", "--yes"]), words: OTHER_EVENT },
      {
        what: "`list`, all approved and gone",
        prepare: ({ projectHooks }, start) => {
          start(["trust", "--yes"]);
          switchOff(projectHooks);
        },
        words: LIST,
      },
    ],
  },
  S3: {
    title: "hooks of the user, switched off by name",
    sizes: [250, 500, 1000],
    prepare: ({ userHooks }, n) => void writeHooks(userHooks, n),
    cases: [
      {
        what: "`run`",
        prepare: ({ userHooks }, start) => {
          start(["list"]);
          switchOff(userHooks);
        },
        words: OTHER_EVENT,
      },
    ],
  },
  S4: {
    title: "entries of a settings file",
    sizes: [250, 500, 1000],
    prepare: writeEntries,
    cases: [{ what: "`run` of an event that none handles", words: OTHER_EVENT }],
  },
  S18: {
    title: "approved entries of a project's settings file, all changed",
    sizes: [250, 500, 1000],
    prepare: (scene, n) => writeProjectEntries(scene, n, "approved"),
    cases: [
      {
        what: "`list`",
        prepare: (scene, start) => {
          start(["trust", "--yes"]);
          changeProjectEntries(scene);
        },
        words: LIST,
      },
      { what: "`trust --show`", words: ["trust", "--show"], mostRounds: 3 },
    ],
  },
  S19: {
    title: "overrides in the settings, and as many hooks of other names",
    sizes: [250, 500, 1000],
    prepare: (scene, n) => {
      writeHooks(scene.userHooks, n);
      writeUserConfig(scene, { overrides: Object.fromEntries(overridden(n)) });
    },
    cases: [{ what: "`list`", prepare: (_scene, start) => start(["list"]), words: LIST }],
  },
  S5: {
    title: "sessions in the state folder",
    sizes: [2500, 5000, 10_000],
    prepare: writeSessions,
    cases: [
      {
        what: "`run` of a hook that keeps a value",
        prepare: writeCounter,
        words: ["run", "before_tool_call"],
      },
      { what: "`state incr`", words: ["state", "incr", "calls", "--session", "s-1"] },
      { what: "`inbox`", words: ["inbox", "--session", "s-1"] },
    ],
  },
  S6: {
    title: "bytes of the audit log, the newest runs wanted",
    sizes: [2.5 * GIB, 5 * GIB, 10 * GIB],
    prepare: writeLog,
    cases: [
      {
        what: "`run`, which appends",
        words: ["run", "before_tool_call"],
        prepare: ({ userHooks }) => void writeHooks(userHooks, 1),
      },
      { what: "`log -n 5`", words: ["log", "-n", "5"] },
      { what: "`log --since 1h`", words: ["log", "--since", "1h"] },
      { what: "`why`", words: ["why"] },
      { what: "`status`", words: ["status"] },
      { what: "Tab after `hookctl why`", words: [...TAB, "why", ""] },
    ],
  },
  S7: {
    title: "bytes of the audit log, all of it read",
    sizes: [32 * MIB, 64 * MIB, 128 * MIB],
    prepare: writeLog,
    cases: [
      { what: "`stats`", words: ["stats"], mostRounds: 3 },
      { what: "`log --grep`, nothing found", words: ["log", "--grep", "no such text"], mostRounds: 3 },
      { what: "`report`", words: ["report", "--output", "-"], mostRounds: 3 },
    ],
  },
  S8: {
    title: "calls of an agent at once",
    sizes: [50, 100, 200],
    prepare: () => undefined,
    cases: [
      { what: "`bridge` without hooks", words: ["bridge", "claude"], isCrowd: true, mostRounds: 1 },
      {
        what: "`bridge`, all of one session whose hook keeps a value",
        prepare: writeCounter,
        ...{ words: ["bridge", "claude"], isCrowd: true, mostRounds: 1, findFault: countedFault },
      },
      {
        what: "`bridge` with 20 hooks that nobody asked before",
        prepare: ({ userHooks }) => {
          removeCounter(userHooks);
          writeHooks(userHooks, 20);
        },
        ...{ words: ["bridge", "claude"], isCrowd: true, isCold: true, mostRounds: 1, findFault: hookRunsFault },
      },
    ],
  },
  S9: {
    title: "Python hooks of a project that share a module",
    sizes: [250, 500, 1000],
    prepare: writePythonHooks,
    cases: [{ what: "`trust --show`, none approved", words: ["trust", "--show"], mostRounds: 2 }],
  },
  S10: {
    title: "modules of one Python hook",
    sizes: [250, 500, 1000],
    prepare: writeModules,
    cases: [{ what: "`trust --show`", words: ["trust", "--show"], mostRounds: 2 }],
  },
  S17: {
    title: "approved hooks of another project",
    sizes: [250, 500, 1000],
    prepare: writeOtherProject,
    cases: [
      {
        what: "`run` in a project with one",
        prepare: (scene, start) => {
          start(["-C", otherProject(scene.home), "trust", "--yes"]);
          writeHooks(scene.projectHooks, 1);
          start(["trust", "--yes"]);
        },
        words: OTHER_EVENT,
      },
    ],
  },
  S11: {
    title: "values and messages of a session",
    sizes: [2500, 5000, 10_000],
    prepare: writeSession,
    cases: [
      { what: "`state incr`", words: ["state", "incr", "v0", "--session", "s-1"] },
      { what: "`inbox`", words: ["inbox", "--session", "s-1"] },
      { what: "`run` that delivers the messages", words: ["run", "before_tool_call"] },
    ],
  },
  S12: {
    title: "the payload",
    sizes: [40_000, 80_000, 160_000],
    prepare: ({ userHooks }) => void writeHooks(userHooks, 1),
    cases: [
      { what: "`run`, so many fields", words: TOOL, input: wide },
      { what: "`run`, half as deep", words: TOOL, input: (n) => deep(n / 2) },
      { what: "`bridge`, so many fields", words: ["bridge", "claude"], input: wide },
    ],
  },
  S13: {
    title: "bytes that a hook prints",
    sizes: [2 * MIB, 4 * MIB, 8 * MIB],
    prepare: writePrinter,
    cases: [{ what: "`run`", words: TOOL, mostRounds: 3 }],
  },
  S14: {
    title: "a shell command, all guards on",
    sizes: [2500, 5000, 10_000],
    prepare: (scene) => writeUserConfig(scene, { guards: ALL_GUARDS }),
    cases: [
      { what: "so many words", words: TOOL, input: (n) => ({ command: `echo ${"word ".repeat(n)}` }) },
      { what: "so many files", words: TOOL, input: (n) => ({ command: `touch ${numbered("build/", n)}` }) },
      { what: "a tenth as many pipes", words: TOOL, input: (n) => ({ command: `cat x${" | sort".repeat(n / 10)}` }) },
      { what: "a tenth as many lines", words: TOOL, input: (n) => ({ command: "git status\n".repeat(n / 10) }) },
      { what: "a tenth as many assignments", words: TOOL, input: (n) => ({ command: assignments(n / 10) }) },
      { what: "a hundredth as deep substitutions", words: TOOL, input: (n) => ({ command: nested(n / 100) }) },
      {
        what: "a text of so many times 100 bytes",
        words: TOOL,
        input: (n) => ({ command: `cat <<'E'\n${"some text of a file\n".repeat(n * 5)}E` }),
      },
    ],
  },
  S15: {
    title: "commands that a guard's settings allow",
    sizes: [250, 500, 1000],
    prepare: (scene, n) =>
      writeUserConfig(scene, {
        guards: { ...ALL_GUARDS, git: { allow: allowed(n) }, "protected-paths": { paths: protectedPaths(n) } },
      }),
    cases: [
      { what: "`run`", words: TOOL },
      {
        what: "`run`, many commands",
        words: TOOL,
        input: () => ({ command: "git push --force origin b0 x\n".repeat(50) }),
      },
    ],
  },
  S16: {
    title: "test cases of a hook",
    sizes: [25, 50, 100],
    prepare: writeCases,
    cases: [{ what: "`test`", words: ["test"], mostRounds: 2 }],
  },
};
