// Times hookctl against the figures it set itself, and against its peers. A missed figure is told, not failed.
import { spawnSync } from "node:child_process";
import { copyFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { commandsFor } from "./command.mjs";
import { eachForm, once, runGroups } from "./group.mjs";
import { agentSession } from "./groups/agent-session.mjs";
import { bigPayload } from "./groups/big-payload.mjs";
import { cachedDiscovery, firstDiscovery } from "./groups/discovery.mjs";
import { furtherHooks } from "./groups/further-hooks.mjs";
import { guardEvaluation, guards } from "./groups/guards.mjs";
import { library } from "./groups/library.mjs";
import { noHooks } from "./groups/no-hooks.mjs";
import { oneHook } from "./groups/one-hook.mjs";
import { peers } from "./groups/peers.mjs";
import { redaction } from "./groups/redaction.mjs";
import { sandbox } from "./groups/sandbox.mjs";
import { serve } from "./groups/serve.mjs";
import { testRunner } from "./groups/test-runner.mjs";
import { HELP, readOptions } from "./options.mjs";
import { reportJson, reportText } from "./report.mjs";
import { SCALES } from "./scale/cases.mjs";
import { isFaulty, measureScale, scaleJson } from "./scale/scale.mjs";
import { openStopwatch } from "./stopwatch.mjs";
import { letHooksAge, openWorkspace } from "./workspace.mjs";

/** @import { Program } from "./command.mjs" */
/** @import { Bench } from "./group.mjs" */
/** @import { Options } from "./options.mjs" */
/** @import { Report } from "./report.mjs" */

const GROUPS = {
  P1: eachForm(noHooks),
  P2: eachForm(oneHook),
  P3: eachForm(furtherHooks),
  P4: once(peers),
  P5: eachForm(firstDiscovery),
  P6: eachForm(cachedDiscovery),
  P7: eachForm(guards),
  P8: once(library, "node"),
  P9: eachForm(bigPayload),
  P10: once(guardEvaluation, "node"),
  P11: once(testRunner, "node"),
  P12: once(redaction, "node"),
  P13: eachForm(sandbox),
  P14: once(agentSession),
  P15: eachForm(serve),
};
/** @type {import("./group.mjs").Note} */
const NO_NATIVE = { id: "all", form: "native", kind: "skipped", text: "no native executable: npm run native" };
const EXIT = { done: 0, failed: 1, usage: 64 };
const SIGNALS = { SIGINT: 130, SIGTERM: 143 };

const here = (/** @type {string} */ path) => fileURLToPath(new URL(path, import.meta.url));
const options = readOptions(process.argv.slice(2), {
  ids: Object.keys(GROUPS),
  scaleIds: Object.keys(SCALES),
  bin: here("../bin/hookctl.js"),
  native: here(`../native/${process.platform}-${process.arch}/hookctl`),
});
if (typeof options === "string") {
  say(`error ${options}\n  npm run bench -- --help`);
  process.exitCode = EXIT.usage;
} else if (options.isHelp) {
  process.stdout.write(HELP);
} else if (options.isScale) {
  const [before = 0] = loadavg();
  const growths = await measureScale(openBench(options.bin, null), options);
  const [after = 0] = loadavg();
  if (options.isSaved) saveAndShow("scale.json", scaleJson(growths, { load: [before, after], rounds: options.rounds }));
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

/** @param {Options} options @returns {Promise<Report>} */
async function measure({ only, rounds, bin, native }) {
  const bench = openBench(bin, native);
  const prepared = Object.entries(GROUPS)
    .filter(([id]) => only.includes(id))
    .flatMap(([id, prepare]) => prepare(id, bench));
  await letHooksAge();
  const [before = 0] = loadavg();
  const outcomes = await runGroups(prepared, rounds, bench);
  const [after = 0] = loadavg();
  return {
    date: new Date().toISOString().slice(0, 16).replace("T", " "),
    node: process.version,
    native: native === null ? null : nativeTitle(native),
    cpu: `${cpus().length} x ${cpus()[0]?.model}`,
    load: [before, after],
    clock: bench.stopwatch.name,
    rounds,
    rows: outcomes.flatMap(({ rows }) => rows),
    notes: [...(native === null ? [NO_NATIVE] : []), ...outcomes.flatMap(({ notes }) => notes)],
  };
}

/** @param {string} path */
function nativeTitle(path) {
  const { stdout } = spawnSync(path, ["--version"], { encoding: "utf8" });
  return `native executable ${stdout.trim()} of ${Math.round(statSync(path).size / 1e6)} MB`;
}

/**
 * A copy of the executable, made anew for each round: by where its pages happen to lie in memory, one copy takes a quarter
 * more CPU than the next.
 *
 * @param {string} folder @param {string} native
 */
function copyIn(folder, native) {
  const path = join(folder, "hookctl");
  const renew = () => {
    copyFileSync(native, `${path}.new`);
    renameSync(`${path}.new`, path);
  };
  renew();
  return { path, renew };
}

/** @param {string} bin @param {string | null} native @returns {Bench} */
function openBench(bin, native) {
  const workspace = openWorkspace();
  // On "exit", so that nothing stays behind whichever way this ends.
  process.on("exit", workspace.remove);
  for (const [signal, exitCode] of Object.entries(SIGNALS)) process.on(signal, () => process.exit(exitCode));
  const payload = workspace.file("payload.json", payloadText(workspace.root));
  const copy = native === null ? null : copyIn(workspace.root, native);
  /** @type {Program} */
  const onNode = { form: "node", argv: [process.execPath, bin] };
  /** @type {readonly Program[]} */
  const programs = copy === null ? [onNode] : [onNode, { form: "native", argv: [copy.path] }];
  const commandsOf = (/** @type {Program} */ program) => commandsFor(program, payload);
  return {
    ...{
      workspace,
      renew: () => copy?.renew(),
      stopwatch: openStopwatch(workspace.root),
      programs,
      bin,
      payload,
      say,
      cache: here("../node_modules/.cache/hookctl-bench"),
    },
    ...{ form: "node", commands: commandsOf(onNode), commandsOf },
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

/** @param {string} line for the person who waits; stdout is for the figures */
function say(line) {
  process.stderr.write(`${line}\n`);
}
