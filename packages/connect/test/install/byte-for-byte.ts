import { readdir } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { AGENT_NAMES, type AgentName } from "../../../../src/protocol/agent-names.ts";
import { runInProcess } from "../../../../test/support/in-process.ts";
import { type Workspace, workspace } from "../../../../test/support/workspace.ts";
import { AGENT_INSTALLS, AGENTS } from "../../../agents/agents.ts";

export const everything = async ({ project }: Workspace): Promise<readonly string[]> =>
  (await readdir(project, { recursive: true })).sort();

export const projectFile = (agent: AgentName): string => AGENTS[agent].settings.files.project ?? "";
const inSettings = AGENT_NAMES.filter((agent) => AGENT_INSTALLS[agent].format.kind === "settings");

/** What people have in such a file. */
export const TEXTS: readonly (readonly [title: string, text: string])[] = [
  ["comments and tabs", '{\n\t// mine\n\t"model": "opus", "hooks": {\n\t\t"Stop": [ ],\n\t},\n}'],
  ["an empty file", ""],
  ["an empty object over two lines", "{\n}\n"],
  ["carriage returns and no final newline", '{\r\n  "theme": "dark"\r\n}'],
];

export function testByteForByte(texts: typeof TEXTS): void {
  describe.each(inSettings)("%s", (agent) => {
    const path = projectFile(agent);

    test.each(texts)("install and uninstall leave %s byte for byte as it was, twice is once", async (_, text) => {
      await using place = await workspace();
      const file = await place.write(`project/${path}`, text, 0o640);
      const before = await everything(place);
      expect(await runInProcess(place, `install ${agent}`)).toMatchObject({ stderr: "", code: 0 });
      const once = await place.read(file);
      expect(once).toContain(`bridge ${agent} --event`);
      const again = await runInProcess(place, `install ${agent}`);
      expect(again).toEqual({
        stdout: expect.stringContaining(`• already installed in ${path}\n`),
        stderr: "",
        code: 0,
      });
      expect(await place.read(file)).toBe(once);
      const undone = await runInProcess(place, `uninstall ${agent}`);
      expect(undone).toMatchObject({ stdout: expect.stringContaining(`✔ Restored ${path}\n`), stderr: "", code: 0 });
      expect(await place.read(file)).toBe(text);
      expect(await everything(place)).toEqual(before);
    });
  });
}
