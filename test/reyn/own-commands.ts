import { expect, test } from "vitest";
import { runInProcess } from "../support/in-process.ts";
import { parseRunJson } from "../support/json-output.ts";
import { hasScript, hookctl, runOnTerminal, type TerminalOutput } from "../support/on-terminal.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

export const FILE = "home/.kodelet/hooks.json";
export const PAYLOAD = '{"conv_id":"s1","point":"turn_end"}';
export const PUSH = `printf '%s' '{"push_when":true,"wake":true,"message":"m"}'`;

/** The user's own command, and what the user's settings say. */
export async function home(settings: object, more: object = {}): Promise<Workspace> {
  const place = await workspace();
  const entry = { on: "turn_end", name: "notes", shell_push: `: > ${place.dir}/ran; ${PUSH}`, sandbox: "off", ...more };
  const rule = { on: "turn_end", name: "rule", inject: "still here" };
  await place.write(FILE, JSON.stringify({ settings, hooks: [entry, rule] }));
  await place.write("project/payload.json", PAYLOAD);
  return place;
}

export const run = async (place: Workspace, flags = "", env: Record<string, string> = {}) =>
  parseRunJson(await runInProcess(place, `run turn_end -q --json ${flags}`, { stdin: PAYLOAD, env }));
export const REFUSED = [
  { name: "notes", outcome: "refused", failure: { code: "HOOK_REFUSED_UNTRUSTED" } },
  { name: "rule", outcome: "continue" },
];
export const RAN = [{ name: "notes", outcome: "continue" }, { name: "rule" }];
export const ASK = { own_commands: "ask" };

const answered = (place: Workspace, flags: string, keys: readonly string[]): Promise<TerminalOutput> =>
  runOnTerminal(place, `${hookctl} run turn_end ${flags} < payload.json > out.json 2> err.txt`, keys);

interface Answer {
  readonly flags: string;
  readonly settings: object;
  readonly keys: readonly string[];
  readonly title: string;
  readonly ran: boolean;
  readonly kept: boolean;
}

const answers = [
  { keys: ["a\n"], title: "always runs it and is kept", ran: true, kept: true },
  { keys: ["y\n"], title: "yes runs it this once", ran: true, kept: false },
  { keys: ["n\n"], title: "no does not run it", ran: false, kept: false },
];
const ways = [
  { flags: "--ask", settings: ASK },
  { flags: "", settings: { ...ASK, on_untrusted: "ask" } },
];
export const ANSWERS: readonly Answer[] = ways.flatMap((way) => answers.map((answer) => ({ ...way, ...answer })));

export function testAnswers(answers: readonly Answer[]): void {
  test.skipIf(!hasScript).each(answers)(
    "asked on the terminal (needs script of util-linux) with $flags $settings: $title",
    async (row) => {
      await using place = await home(row.settings);
      const { shown, code } = await answered(place, row.flags, row.keys);
      expect(code).toBe(0);
      for (const words of ["notes", "shell_push", "[a]lways [y]es [n]o"]) expect(shown).toContain(words);
      expect(await place.read("ran")).toBe(row.ran ? "" : null);
      expect(await run(place)).toMatchObject({ hooks: row.kept ? RAN : REFUSED });
    },
  );
}
