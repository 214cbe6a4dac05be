import { type ToolTable, toolTable } from "../../src/protocol/tools/tool-table.ts";
import tools from "./vscode-tools.json" with { type: "json" };

/** The tools of VS Code's agent, from its documentation. It runs the registrations of Claude Code and Copilot. */
export const vscodeTools = (): ToolTable => toolTable(tools);
