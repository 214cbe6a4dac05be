// Times hookctl against the figures it set itself. A missed figure is told, not failed.
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { commandsFor } from "./command.mjs";
import { runGroup } from "./group.mjs";
import { bigPayload } from "./groups/big-payload.mjs";
import { cachedDiscovery, firstDiscovery } from "./groups/discovery.mjs";
import { furtherHooks } from "./groups/further-hooks.mjs";
import { guardEvaluation, guards } from "./groups/guards.mjs";
import { lefthook } from "./groups/lefthook.mjs";
import { library } from "./groups/library.mjs";
import { noHooks } from "./groups/no-hooks.mjs";
import { oneHook } from "./groups/one-hook.mjs";
import { redaction } from "./groups/redaction.mjs";
import { sandbox } from "./groups/sandbox.mjs";
import { testRunner } from "./groups/test-runner.mjs";
import { HELP, readOptions } from "./options.mjs";
import { reportJson, reportText } from "./report.mjs";
import { openStopwatch } from "./stopwatch.mjs";
import { letHooksAge, openWorkspace } from "./workspace.mjs";

/** @import { Bench, Group } from "./group.mjs" */
/** @import { Options } from "./options.mjs" */
/** @import { Report } from "./report.mjs" */

/** @type {Readonly<Record<string, (bench: Bench) => Group>>} */
const GROUPS = {
  P1: noHooks,
  P2: oneHook,
  P3: furtherHooks,
  P4: lefthook,
  P5: firstDiscovery,
  P6: cachedDiscovery,
  P7: guards,
  P8: library,
  P9: bigPayload,
  P10: guardEvaluation,
  P11: testRunner,
  P12: redaction,
  P13: sandbox,
};
const EXIT = { done: 0, failed: 1, usage: 64 };
const SIGNALS = { SIGINT: 130, SIGTERM: 143 };

const bin = fileURLToPath(new URL("../bin/hookctl.js", import.meta.url));
const options = readOptions(process.argv.slice(2), { ids: Object.keys(GROUPS), bin });
if (typeof options === "string") {
  say(`error ${options}\n  npm run bench -- --help`);
  process.exitCode = EXIT.usage;
} else if (options.isHelp) {
  process.stdout.write(HELP);
} else {
  const report = await measure(options);
  process.stdout.write(options.isJson ? reportJson(report) : reportText(report));
  process.exitCode = report.notes.some(({ kind }) => kind === "failed") ? EXIT.failed : EXIT.done;
}

/** @param {Options} options @returns {Promise<Report>} */
async function measure({ only, rounds, bin }) {
  const bench = openBench(bin);
  const groups = Object.entries(GROUPS).filter(([id]) => only.includes(id));
  const prepared = groups.map(([id, prepare]) => ({ id, group: prepare(bench) }));
  await letHooksAge();
  const rows = [];
  const notes = [];
  for (const { id, group } of prepared) {
    say(`measuring ${id}`);
    const outcome = await runGroup(group, bench.stopwatch, rounds);
    rows.push(...outcome.rows);
    notes.push(...outcome.notes.map((note) => ({ id, ...note })));
  }
  return {
    node: process.version,
    cpu: `${cpus().length} x ${cpus()[0]?.model}`,
    clock: bench.stopwatch.name,
    rounds,
    rows,
    notes,
  };
}

/** @param {string} bin @returns {Bench} */
function openBench(bin) {
  const workspace = openWorkspace();
  // On "exit", so that nothing stays behind whichever way this ends.
  process.on("exit", workspace.remove);
  for (const [signal, exitCode] of Object.entries(SIGNALS)) process.on(signal, () => process.exit(exitCode));
  const payload = workspace.file("payload.json", payloadText(workspace.root));
  const stopwatch = openStopwatch(workspace.root);
  return { workspace, stopwatch, commands: commandsFor(bin, payload), bin, payload, say };
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
