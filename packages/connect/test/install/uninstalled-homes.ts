import { lstat, readdir, readFile, readlink } from "node:fs/promises";
import { join, relative } from "node:path";
import { expect, test } from "vitest";
import { AGENT_NAMES, type AgentName } from "../../../../src/protocol/agent-names.ts";
import { runInProcess } from "../../../../test/support/in-process.ts";
import { toolCall } from "../../../../test/support/payloads.ts";
import { type Workspace, workspace } from "../../../../test/support/workspace.ts";
import { AGENT_INSTALLS, AGENTS } from "../../../agents/agents.ts";

/** Names, modes and contents of all that lies in a folder. */
export async function everything(folder: string): Promise<readonly string[]> {
  const names = (await readdir(folder, { recursive: true })).sort();
  return Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      const stats = await lstat(path);
      const content = stats.isFile() ? await readFile(path, "hex") : stats.isSymbolicLink() ? await readlink(path) : "";
      return `${relative(folder, path)} ${stats.mode.toString(8)} ${content}`;
    }),
  );
}

const JSON_TEXTS: Readonly<Record<string, string | null>> = {
  absent: null,
  empty: "",
  bare: "{ }\n",
  odd: '{\r\n\t"theme" : "dark","env":{},\r\n "hooks" : { "Stop": [ ] }\r\n}',
  commented: '// mine\n{\n  /* keep */ "model": "opus", // here\n}\n',
};
const TEXTS = {
  json: JSON_TEXTS,
  toml: {
    absent: null,
    empty: "",
    odd: '# mine\r\nmodel = "o3"   \n\n\n[shell_environment_policy]\ninherit = "all"\n',
  },
  env: { absent: null, odd: "# mine\nexport A='b'\nB=1" },
  module: { absent: null },
} as const;

/** What a person does between the two commands; each call must succeed. */
const STORIES: Readonly<Record<string, (agent: AgentName) => readonly string[]>> = {
  init: (agent) => [`init --yes --agents ${agent} --guards git,secrets`],
  "init twice": (agent) => [`init --yes --agents ${agent}`, `init --yes --agents ${agent} --guards cloud`],
  "install in user and project": (agent) => [`install ${agent} --scope user`, `install ${agent} --scope project`],
  "init, the cage and rules": (agent) => [
    `init --yes --agents ${agent} --guards git`,
    "enable cage",
    "cage allow /var/tmp/",
    "block pip",
    "allow cargo",
  ],
  "init, an approval, runs and a seal": (agent) => [
    `init --yes --agents ${agent} --guards git`,
    "trust --yes",
    "run before_tool_call",
    "seal",
    "list",
  ],
};

export const files = AGENT_NAMES.flatMap((agent) => {
  const user = AGENTS[agent].settings.files.user ?? "";
  const caged = AGENTS[agent].cage?.file;
  const kind = AGENT_INSTALLS[agent].format.kind === "module" ? ("module" as const) : ("json" as const);
  const other = caged === undefined || caged === user ? [] : [{ agent, file: caged, kind: kindOf(caged) }];
  return [{ agent, file: user, kind }, ...other];
});

function kindOf(file: string): "json" | "toml" | "env" {
  return file.endsWith(".json") ? "json" : file.endsWith(".toml") ? "toml" : "env";
}

const rows = files.flatMap(({ agent, file, kind }) =>
  Object.entries(TEXTS[kind]).flatMap(([state, text]) =>
    Object.entries(STORIES).map(([story, calls]) => ({ agent, file, state, text, story, calls: calls(agent) })),
  ),
);

export async function act(place: Workspace, calls: readonly string[]): Promise<void> {
  for (const call of calls) {
    const result = await runInProcess(place, call, { stdin: toolCall("ls") });
    // No agent here may be caged, which enable cage tells with 1.
    const expected = call === "enable cage" ? [0, 1] : [0];
    expect(expected, `${call}: ${result.stderr}`).toContain(result.code);
  }
}

export function testHomes(agents: readonly AgentName[], states: readonly string[]): void {
  test.each(rows.filter(({ agent, state }) => agents.includes(agent) && states.includes(state)))(
    "$agent, $file $state: after $story, uninstall --all leaves every byte, name and mode as it was",
    async ({ file, text, calls }) => {
      await using place = await workspace();
      await place.write("home/notes", "mine\n", 0o640);
      await place.hook("theirs", "cat >/dev/null", { scope: "project" });
      if (text !== null) await place.write(`home/${file}`, text, 0o600);
      const before = [await everything(place.home), await everything(place.project)];
      await act(place, calls);
      expect(await everything(place.home)).not.toEqual(before[0]);
      const result = await runInProcess(place, "uninstall --all --yes");
      expect(result).toMatchObject({ stderr: "", code: 0 });
      expect([await everything(place.home), await everything(place.project)]).toEqual(before);
      expect(await runInProcess(place, "uninstall --all --yes")).toMatchObject({
        stdout: expect.stringMatching(/^• hookctl has written nothing here\n/),
        code: 0,
      });
    },
  );
}
