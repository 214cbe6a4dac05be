import { type CommandOutput, runInProcess } from "../../support/in-process.ts";
import { parseRunJson } from "../../support/json-output.ts";
import { type Workspace, workspace } from "../../support/workspace.ts";

/** The user's own settings file: what Reyn calls the operator's layer. */
export const FILE = "home/.kodelet/hooks.yaml";

/** A user whose settings declare these entries. Commands run without the sandbox, which is another subject. */
export async function declared(...hooks: readonly unknown[]): Promise<Workspace> {
  const place = await workspace();
  await declare(place, ...hooks);
  return place;
}

/** YAML takes JSON as it is. */
export const declare = (place: Workspace, ...hooks: readonly unknown[]): Promise<string> =>
  place.write(FILE, JSON.stringify({ hooks: hooks.map(unboxed) }));

function unboxed(entry: unknown): unknown {
  const isCommand = ["shell_exec", "shell_push"].some((scheme) => Object.hasOwn(Object(entry), scheme));
  return isCommand ? { ...Object(entry), sandbox: "off" } : entry;
}

/** A point, with the fields that Reyn's driver sends at the end of a turn. */
export const at = (place: Workspace, point: string, fields: object = {}, flags = ""): Promise<CommandOutput> =>
  runInProcess(place, `run ${point} -q ${flags}`, { stdin: JSON.stringify({ conv_id: "s1", point, ...fields }) });

export const runAt = async (place: Workspace, point: string, flags = "") =>
  parseRunJson(await at(place, point, {}, `--json ${flags}`));

interface Drained {
  readonly messages: readonly { readonly role: string; readonly hook: string; readonly content: string }[];
  readonly wake: boolean;
}

/** What opens a turn now. */
export const woken = async (place: Workspace): Promise<Drained> =>
  JSON.parse((await runInProcess(place, "inbox drain --session s1")).stdout);

/** What a turn of a person takes along. */
export const taken = async (place: Workspace): Promise<Drained> =>
  JSON.parse((await runInProcess(place, "inbox drain --all --session s1")).stdout);

export const contents = async (place: Workspace): Promise<readonly string[]> =>
  (await taken(place)).messages.map(({ content }) => content);

export const EMPTY = { messages: [], wake: false };

/** How `list` ends for these entries: 78 and the fault, or 0. */
export async function loaded(...hooks: readonly unknown[]): Promise<CommandOutput> {
  await using place = await declared(...hooks);
  return await runInProcess(place, "list");
}

export const push = (message: string, more: object = {}): object => ({
  on: "turn_end",
  template_push: { message, ...more },
});

/** A command that prints this. */
export const prints = (text: string): string => `printf '%s' '${text}'`;
