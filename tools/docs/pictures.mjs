import { approvalPrompt, firstBlock, hasTerminal } from "./scenes.mjs";
import { terminalSvg } from "./terminal-svg.mjs";

/** The pictures that can be made on this machine, by the name of their file. @returns {Promise<Readonly<Record<string, string>>>} */
export async function pictures() {
  const first = { "first-block.svg": terminalSvg(await firstBlock()) };
  return hasTerminal ? { ...first, "approval.svg": terminalSvg(await approvalPrompt()) } : first;
}
