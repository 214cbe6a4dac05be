// The session file of an agent in which somebody called tools with secrets.

/** @import { Said } from "./places.mjs" */

/** One call a line, as Claude Code writes it. What a hook has said is the command of a call here. */
/** @param {readonly { readonly said: Said }[]} planted @param {string} project */
export const sessionOf = (planted, project) =>
  planted.map(({ said }, index) => line(said, { project, index })).join("");

/** @param {Said} said @param {{ project: string, index: number }} place */
function line({ stdout, stderr, call = {}, session = "s", project: cwd }, { project, index }) {
  const { tool_name: name = "Bash", tool_input: input = { command: `echo ${stdout} ${stderr}` } } = call;
  const content = [{ type: "tool_use", id: `call_${index}`, name, input }];
  return `${JSON.stringify({
    ...{ type: "assistant", sessionId: session, cwd: cwd ?? project, timestamp: "2026-11-20T10:00:00.000Z" },
    message: { role: "assistant", content },
  })}\n`;
}
