import { showInPager } from "../../src/cli/prompt/pager-and-editor.ts";
import type { Host } from "../../src/engine/host.ts";
import { callerOf, findCallerScopes } from "../../src/engine/user-paths.ts";

/** An answer that is not complete by then is printed as it comes, such as that of `log --follow`. */
const COMPLETE_MS = 200;

/** True if a person can use a pager here. As for git, `PAGER=cat` switches it off. */
const mayPage = ({ isStdinTerminal, isStdoutTerminal, env }: Host): boolean =>
  isStdinTerminal() && isStdoutTerminal() && env.TERM !== "dumb" && !["", "cat"].includes((env.PAGER ?? "less").trim());

/** Runs a command. From its `hold` on, its output is held, and shown in a pager if it is longer than the terminal. */
export async function paged(
  outside: Host,
  command: (host: Host, hold: () => void) => Promise<number>,
): Promise<number> {
  const held = { isOn: false, text: "" };
  let messages = "";
  let timer: NodeJS.Timeout | undefined;
  const release = (): void => {
    clearTimeout(timer);
    if (held.text !== "") outside.out(held.text);
    if (messages !== "") outside.err(messages);
    Object.assign(held, { isOn: false, text: "" });
    messages = "";
  };
  const host: Host = {
    ...outside,
    out: (text) => {
      if (!held.isOn) return outside.out(text);
      held.text += text;
      timer ??= setTimeout(release, COMPLETE_MS);
      return null;
    },
    // A message stays behind the answer that it follows; a progress line has no place.
    err: (text) => {
      if (held.text === "" || text.startsWith("\r")) outside.err(text);
      else messages += text;
    },
    openTerminal: () => {
      release();
      return outside.openTerminal();
    },
  };
  const hold = (): void => {
    held.isOn = mayPage(outside);
  };
  const exitCode = await command(host, hold);
  clearTimeout(timer);
  const rows = outside.stdoutRows() ?? Number.POSITIVE_INFINITY;
  if (held.text.split("\n").length > rows) held.text = await leftByPager(held.text, outside);
  release();
  return exitCode;
}

/** Returns the text if no pager can show it. */
async function leftByPager(text: string, host: Host): Promise<string> {
  const scopes = findCallerScopes(callerOf(host, null));
  const terminal = scopes.ok ? await host.openTerminal() : null;
  if (!scopes.ok || terminal === null) return text;
  const left = await showInPager(text, { ...host, scopes: scopes.value }, terminal);
  terminal.close();
  return left;
}
