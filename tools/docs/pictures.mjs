import { approvalPrompt, firstBlock, hasTerminal } from "./scenes.mjs";
import { terminalSvg } from "./terminal-svg.mjs";

/** The pictures by the name of their file; none on a machine without a terminal to record. @returns {Promise<Readonly<Record<string, string>>>} */
export async function pictures() {
  if (!hasTerminal) return {};
  return { "first-block.svg": terminalSvg(await firstBlock()), "approval.svg": terminalSvg(await approvalPrompt()) };
}
