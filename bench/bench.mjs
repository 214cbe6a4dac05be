// Times hookctl against the figures it set itself, and against its peers. A missed figure is told, not failed.
import { spawnSync } from "node:child_process";
import { copyFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { commandsFor } from "./command.mjs";
import { runGroups } from "./group.mjs";
import { AGENT_SESSION } from "./groups/agent-session.mjs";
import { CALLS } from "./groups/calls.mjs";
import { DISCOVERY } from "./groups/discovery.mjs";
import { IN_PROCESS } from "./groups/in-process.mjs";
import { PEERS } from "./groups/peers.mjs";
import { TEST_RUNNER } from "./groups/test-runner.mjs";
import { compareGuards } from "./guards/compare.mjs";
import { HELP, readOptions } from "./options.mjs";
import { dateText, reportJson, reportText } from "./report.mjs";
import { SCALES } from "./scale/cases.mjs";
import { isFaulty, measureScale, scaleJson } from "./scale/scale.mjs";
import { openStopwatch } from "./stopwatch.mjs";
import { letHooksAge, openWorkspace } from "./workspace.mjs";

/** @import { Program } from "./command.mjs" */
/** @import { Bench } from "./group.mjs" */
/** @import { Options } from "./options.mjs" */
/** @import { Report } from "./report.mjs" */

const GROUPS = Object.entries({ ...CALLS, ...PEERS, ...DISCOVERY, ...IN_PROCESS, ...TEST_RUNNER, ...AGENT_SESSION });
GROUPS.sort(([one], [other]) => one.localeCompare(other, "en", { numeric: true }));
/** @type {import("./report.mjs").Note} */
const NO_NATIVE = { id: "all", form: "native", kind: "skipped", text: "no native executable: npm run native" };
const EXIT = { done: 0, failed: 1, usage: 64 };
const SIGNALS = { SIGINT: 130, SIGTERM: 143 };

const here = (/** @type {string} */ path) => fileURLToPath(new URL(path, import.meta.url));
const options = readOptions(process.argv.slice(2), {
  ids: GROUPS.map(([id]) => id),
  scaleIds: Object.keys(SCALES),
  bin: here("../bin/hookctl.js"),
  native: here(`../native/${process.platform}-${process.arch}/hookctl`),
});
if (typeof options === "string") {
  process.stderr.write(`error ${options}\n  npm run bench -- --help\n`);
  process.exitCode = EXIT.usage;
} else if (options.isHelp) {
  process.stdout.write(HELP);
} else if (options.guards !== null) {
  process.stdout.write(await compareGuards(options.guards, join(dirname(options.bin), "..", "dist")));
} else if (options.isScale) {
  const { value: growths, load } = await withLoad(() => measureScale(openBench(options.bin, null), options));
  if (options.isSaved) saveAndShow("scale.json", scaleJson(growths, { load, rounds: options.rounds }));
  process.exitCode = growths.some(isFaulty) ? EXIT.failed : EXIT.done;
} else {
  const report = await measure(options);
  if (options.isSaved) saveAndShow("figures.json", reportJson(report));
  process.stdout.write(options.isJson ? reportJson(report) : reportText(report));
  process.exitCode = report.notes.some(({ kind }) => kind === "failed") ? EXIT.failed : EXIT.done;
}

/** Keeps figures, and writes them into the docs. @param {string} file @param {string} text */
function saveAndShow(file, text) {
  writeFileSync(here(file), text);
  spawnSync(process.execPath, [here("../tools/docs.mjs")], { stdio: ["ignore", 2, 2] });
}

/** The load of one minute, before and after. @template T @param {() => Promise<T>} work */
async function withLoad(work) {
  const [before = 0] = loadavg();
  const value = await work();
  const [after = 0] = loadavg();
  return { value, load: [before, after] };
}

/** @param {Options} options @returns {Promise<Report>} */
async function measure({ only, rounds, bin, native }) {
  const bench = openBench(bin, native);
  const prepared = GROUPS.filter(([id]) => only.includes(id)).flatMap(([id, prepare]) => prepare(id, bench));
  await letHooksAge();
  const { value, load } = await withLoad(() => runGroups(prepared, rounds, bench));
  return {
    date: dateText(),
    node: process.version,
    native: native === null ? null : nativeTitle(native),
    cpu: `${cpus().length} x ${cpus()[0]?.model}`,
    load,
    clock: "wait4",
    rounds,
    rows: value.rows,
    notes: [...(native === null ? [NO_NATIVE] : []), ...value.notes],
  };
}

/** @param {string} path */
function nativeTitle(path) {
  const { stdout } = spawnSync(path, ["--version"], { encoding: "utf8" });
  return `native executable ${stdout.trim()} of ${Math.round(statSync(path).size / 1e6)} MB`;
}

/** @param {string} bin @param {string | null} native @returns {Bench} */
function openBench(bin, native) {
  const workspace = openWorkspace();
  // On "exit", so that nothing stays behind whichever way this ends.
  process.on("exit", workspace.remove);
  for (const [signal, exitCode] of Object.entries(SIGNALS)) process.on(signal, () => process.exit(exitCode));
  const payload = payloadText(workspace.root);
  const stdin = workspace.file("payload.json", payload);
  const copy = join(workspace.root, "hookctl");
  // By where its pages happen to lie in memory, one copy of the executable takes a quarter more CPU than the next.
  const renew = () => {
    if (native === null) return;
    copyFileSync(native, `${copy}.new`);
    renameSync(`${copy}.new`, copy);
  };
  renew();
  /** @type {Program} */
  const onNode = { form: "node", argv: [process.execPath, bin] };
  const commandsOf = (/** @type {Program} */ program) => commandsFor(program, stdin);
  return {
    workspace,
    renew,
    measure: openStopwatch(workspace.root),
    programs: native === null ? [onNode] : [onNode, { form: "native", argv: [copy] }],
    program: onNode,
    commands: commandsOf(onNode),
    commandsOf,
    dist: new URL("../dist/", pathToFileURL(bin)).href,
    payload,
  };
}

/** @param {string} cwd */
function payloadText(cwd) {
  return JSON.stringify({
    event: "before_tool_call",
    conv_id: "bench",
    cwd,
    invoked_by: "main",
    tool_name: "bash",
    tool_input: { command: "npm test -- --reporter=dot", description: "Run the tests of the package", timeout: 120 },
    tool_user_id: "toolu_0001",
  });
}
