import { describe, expect, test } from "vitest";
import { runInProcess } from "../../support/in-process.ts";
import { hasScript, hookctl, runOnTerminal } from "../../support/on-terminal.ts";
import { type Workspace, workspace } from "../../support/workspace.ts";

/** The operator's own command, of an operator who wants to be asked as in Reyn. */
async function asking(name?: string): Promise<Workspace> {
  const place = await workspace();
  const settings = { own_commands: "ask", on_untrusted: "ask" };
  const named = name === undefined ? {} : { name };
  const hooks = [{ on: "turn_end", ...named, shell_exec: `: > ${place.dir}/ran`, sandbox: "off" }];
  await place.write("home/.kodelet/hooks.json", JSON.stringify({ settings, hooks }));
  await place.write("project/payload.json", '{"point":"turn_end"}');
  return place;
}

const onScreen = (place: Workspace, keys: readonly string[]) =>
  runOnTerminal(place, `${hookctl} run turn_end < payload.json > out.json 2> err.txt`, keys);
const headless = (place: Workspace, env: Record<string, string> = {}) =>
  runInProcess(place, "run turn_end -q", { stdin: '{"point":"turn_end"}', env });
const ran = async (place: Workspace): Promise<boolean> => (await place.read("ran")) !== null;
const kept = async (place: Workspace): Promise<number> =>
  JSON.parse((await runInProcess(place, "trust --list --json")).stdout).entries.length;

/** One test for each function of test_2095_shell_hook_consent_bus.py: 9 of 9. The terminal stands for the bus. */
describe("consent for the operator's own command", () => {
  const onTerminalOnly = test.skipIf(!hasScript);

  onTerminalOnly(
    "consent_bus_always_records_and_runs (needs script of util-linux): always runs it, shows it and keeps the yes",
    async () => {
      await using place = await asking("nightly");
      const { shown } = await onScreen(place, ["a\n"]);
      expect(shown).toContain("shell_exec");
      expect({ ran: await ran(place), kept: await kept(place) }).toEqual({ ran: true, kept: 1 });
    },
  );

  onTerminalOnly(
    "consent_prompt_names_the_hook (needs script of util-linux): the question says which hook it is about",
    async () => {
      await using named = await asking("nightly-sync");
      expect((await onScreen(named, ["n\n"])).shown).toContain("nightly-sync");
      await using nameless = await asking();
      const { shown } = await onScreen(nameless, ["n\n"]);
      expect(shown).not.toContain("nightly-sync");
      expect(shown).toContain("turn_end#1");
    },
  );

  onTerminalOnly(
    "consent_bus_yes_runs_without_persisting (needs script of util-linux): yes is for this run",
    async () => {
      await using place = await asking("nightly");
      await onScreen(place, ["y\n"]);
      expect({ ran: await ran(place), kept: await kept(place) }).toEqual({ ran: true, kept: 0 });
    },
  );

  onTerminalOnly("consent_bus_no_denies_and_skips (needs script of util-linux): no does not run it", async () => {
    await using place = await asking("nightly");
    expect((await onScreen(place, ["n\n"])).code).toBe(0);
    expect({ ran: await ran(place), kept: await kept(place) }).toEqual({ ran: false, kept: 0 });
  });

  onTerminalOnly("consent_bus_empty_answer_denies (needs script of util-linux): no answer runs nothing", async () => {
    await using place = await asking("nightly");
    // An empty line asks again; the end of the input is no answer at all.
    await onScreen(place, ["\n", "\u0004"]);
    expect({ ran: await ran(place), kept: await kept(place) }).toEqual({ ran: false, kept: 0 });
  });

  test("no_bus_nontty_fails_closed: without a terminal it is not run, and nothing waits", async () => {
    await using place = await asking("nightly");
    expect(await headless(place)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("nightly is not approved"),
    });
    expect(await ran(place)).toBe(false);
  });

  test("accept_env_short_circuits_before_bus differs: a variable covers what was read, in a project, and no command of one's own", async () => {
    await using place = await asking("nightly");
    await headless(place, { REYN_ACCEPT_HOOKS: "1" });
    expect(await ran(place)).toBe(false);
    const hooks = [{ on: "turn_end", name: "theirs", shell_exec: `: > ${place.dir}/ran`, sandbox: "off" }];
    await place.write("project/.kodelet/hooks.json", JSON.stringify({ hooks }));
    const digest = (await runInProcess(place, "trust --digest")).stdout.trim();
    await headless(place, { HOOKCTL_TRUST: digest });
    expect(await ran(place)).toBe(true);
  });

  onTerminalOnly(
    "dispatcher_passes_bus_when_listener_present (needs script of util-linux): a person on the terminal is asked without an option",
    async () => {
      await using place = await asking("e2e-probe");
      expect((await onScreen(place, ["n\n"])).shown).toContain("e2e-probe");
    },
  );

  test("dispatcher_withholds_bus_when_no_listener: where nobody answers, nobody is asked, and no word is lost on it", async () => {
    await using place = await asking("e2e-probe");
    expect(await headless(place)).toMatchObject({ stderr: "", code: 0 });
    expect(await ran(place)).toBe(false);
  });
});
