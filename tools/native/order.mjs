import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HOMES, makeHome, payload } from "../../bin/warm.mjs";

/**
 * What the usual calls of an agent read of an executable's compiled code, in their order: beside each other in the file,
 * it takes fewer pages. One file for each call, the most frequent first.
 *
 * @param {string} program with Bun as it is: the variable that asks for this is unheard in what is shipped
 * @param {string} folder
 */
export function bytecodeOrder(program, folder) {
  const root = mkdtempSync(join(tmpdir(), "hookctl-order-"));
  try {
    return HOMES.flatMap((content, index) => {
      const home = join(root, String(index));
      makeHome(home, content);
      const options = { cwd: join(home, "project"), env: { PATH: process.env.PATH, HOME: home, TMPDIR: root } };
      if (content.before !== undefined) spawnSync(program, content.before.split(" "), options);
      return content.calls.map((words, call) => {
        const file = join(folder, `order-${index}-${call}`);
        // Twice, because a first call asks hooks for their events.
        for (const noted of [{}, { BUN_BYTECODE_ORDER_OUT: file }]) {
          spawnSync(program, words.split(" "), { ...options, env: { ...options.env, ...noted }, input: payload });
        }
        if (!existsSync(file)) throw new Error(`${words}: the executable noted no order of its code`);
        return file;
      });
    });
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
