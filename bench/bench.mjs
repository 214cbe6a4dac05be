// Times hookctl against the figures it set itself, and against its peers. A missed figure is told, not failed.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { commandsFor } from "./command.mjs";
import { prepareGroup, runGroups } from "./group.mjs";
import { CALLS } from "./groups/calls.mjs";
import { DISCOVERY } from "./groups/discovery.mjs";
import { GROWTH } from "./groups/growth.mjs";
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

const GROUPS = Object.entries({ ...CALLS, ...PEERS, ...GROWTH, ...DISCOVERY, ...IN_PROCESS, ...TEST_RUNNER });
GROUPS.sort(([one], [other]) => one.localeCompare(other, "en", { numeric: true }));
const EXIT = { done: 0, failed: 1, usage: 64 };
const SIGNALS = { SIGINT: 130, SIGTERM: 143 };

const here = (/** @type {string} */ path) => fileURLToPath(new URL(path, import.meta.url));
const options = readOptions(process.argv.slice(2), {
  ids: GROUPS.map(([id]) => id),
  scaleIds: Object.keys(SCALES),
  bin: here("../bin/hookctl.js"),
});
if (typeof options === "string") {
  process.stderr.write(`error ${options}\n  npm run bench -- --help\n`);
  process.exitCode = EXIT.usage;
} else if (options.isHelp) {
  process.stdout.write(HELP);
} else if (options.guards !== null) {
  process.stdout.write(await compareGuards(options.guards, join(dirname(options.bin), "..", "dist")));
} else if (options.isScale) {
  const { value: growths, load } = await withLoad(() => measureScale(openBench(options.bin), options));
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
async function measure({ only, rounds, bin }) {
  const bench = openBench(bin);
  const prepared = GROUPS.filter(([id]) => only.includes(id)).map(([id, prepare]) => ({
    id,
    group: prepareGroup(prepare, bench),
  }));
  await letHooksAge();
  const { value, load } = await withLoad(() => runGroups(prepared, rounds, bench));
  return {
    date: dateText(),
    node: process.version,
    cpu: `${cpus().length} x ${cpus()[0]?.model}`,
    load,
    clock: "wait4",
    rounds,
    ...value,
  };
}

/** @param {string} bin @returns {Bench} */
function openBench(bin) {
  const workspace = openWorkspace();
  // On "exit", so that nothing stays behind whichever way this ends.
  process.on("exit", workspace.remove);
  for (const [signal, exitCode] of Object.entries(SIGNALS)) process.on(signal, () => process.exit(exitCode));
  const payload = payloadText(workspace.root);
  const stdin = workspace.file("payload.json", payload);
  /** @type {Program} */
  const program = [process.execPath, bin];
  return {
    workspace,
    measure: openStopwatch(workspace.root),
    program,
    commands: commandsFor(program, stdin),
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
