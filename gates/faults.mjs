// Faults from outside: no stack trace, never "go on" for a closed hook that could not be asked.
import { machineFaults } from "./faults/machine.mjs";
import { preloadFaults } from "./faults/preload.mjs";
import { inWorkspace } from "./scene.mjs";

/** @import { GateContext, Outcome } from "./gate.mjs" */

const SHOWN = 20;

/** @param {GateContext} context @returns {Promise<Outcome>} */
export async function faults(context) {
  return inWorkspace(async (workspace) => {
    const machine = await machineFaults(context, workspace);
    const injected = await preloadFaults(context, workspace);
    const wrong = [...machine.wrong, ...injected.wrong];
    return {
      isMet: wrong.length === 0,
      figures: `${machine.runs} runs on a machine that fails, ${injected.runs} with an injected error: ${wrong.length} wrong answers`,
      notes: [
        ...wrong.slice(0, SHOWN),
        ...(wrong.length > SHOWN ? [`… and ${wrong.length - SHOWN} more`] : []),
        ...[...machine.skipped, ...injected.skipped].map((reason) => `skipped: ${reason}`),
      ],
    };
  });
}
