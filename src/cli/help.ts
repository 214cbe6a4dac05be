import { readFileSync } from "node:fs";
import { PACKAGE_ROOT } from "../fs/package-root.ts";
import type { Commands } from "./command-table.ts";
import { findCommand } from "./parse.ts";
import { createProgram } from "./program.ts";

/** The help of one command, or of the whole program if the topic is null. */
export async function helpText(topic: string | null, commands: Commands): Promise<string> {
  const program = createProgram(commands, new Map());
  const row = topic === null ? undefined : commands[topic];
  if (topic === null || row === undefined) {
    const examples = Object.values(commands).map(({ example }) => `  ${example}`);
    const hint = "The options of one command: hookctl COMMAND --help";
    return `${program.helpInformation()}\n${hint}\n\nExamples:\n${examples.join("\n")}\n`;
  }
  const text = findCommand(program, topic)?.helpInformation() ?? "";
  const note = typeof row.note === "function" ? await row.note() : row.note;
  return `${text}\nExample:\n  ${row.example}\n${note === undefined ? "" : `\n${note}\n`}`;
}

export function versionText(): string {
  const text = readFileSync(new URL("package.json", PACKAGE_ROOT), "utf8");
  return `${String((JSON.parse(text) as { version: unknown }).version)}\n`;
}
