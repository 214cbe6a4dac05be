import { readdir, rm, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runMain } from "../support/in-process.ts";
import { parseTestJson } from "../support/json-test-output.ts";
import { printResponse } from "../support/shell.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const project = { scope: "project" } as const;
const SETTINGS = "project/.kodelet/hooks.json";
const settings = (place: Workspace, value: object): Promise<string> =>
  place.write(SETTINGS, `${JSON.stringify(value, null, 2)}\n`);

interface Finding {
  readonly about: string;
  readonly check: string;
  readonly message: string | null;
}

/** Every failed check, each with the hook or file that it is about, and the notes on passed ones. */
async function findings(place: Workspace, args: readonly string[] = ["."], env: Readonly<Record<string, string>> = {}) {
  const result = await runMain(place, ["check", "--json", ...args], { env });
  const { hooks } = parseTestJson(result);
  const all = hooks.flatMap(({ name: about, checks }) => checks.map((check) => ({ about, ...check })));
  const told = (passed: boolean) =>
    all
      .filter((one) => one.passed === passed && one.message !== null)
      .map(({ about, name, message }): Finding => ({ about, check: name, message }));
  return { code: result.code, failed: told(false), notes: told(true), names: hooks.map(({ name }) => name) };
}

/** Every file below a folder with its content and times: what a call must leave alone. */
async function stateOf(folder: string): Promise<readonly string[]> {
  const names = (await readdir(folder, { recursive: true })).sort();
  return Promise.all(
    names.map(async (name) => {
      const { mtimeMs, mode, size } = await stat(join(folder, name));
      return [name, mtimeMs, mode, size].join(" ");
    }),
  );
}

describe("check", () => {
  test("a project whose hooks nobody approved is green, and nothing is approved or written", async () => {
    await using place = await workspace();
    await place.hook("guard", printResponse({ blocked: true, reason: "no" }), project);
    await settings(place, {
      hooks: { before_tool_call: [{ name: "declared", command: "true" }] },
      guards: { git: true },
    });
    // The user's own hook has no part in it.
    await place.hook("mine", "exit 3");
    const before = [await stateOf(place.home), await stateOf(place.project)];
    const result = await place.run(["check", "."]);
    expect(result).toMatchObject({ code: 0, stderr: "" });
    expect(result.stdout).toMatch(
      /^ ✔ guard .*\n(?: {3}▲ .*\n)* ✔ declared .*\n(?: {3}▲ .*\n)* ✔ project +3 checks .*\n\n/,
    );
    expect(result.stdout).toMatch(/\n✔ \d+ passed, (\d+ skipped, )?2 hooks, /);
    expect(result.stdout).not.toContain("mine");
    expect([await stateOf(place.home), await stateOf(place.project)]).toEqual(before);
    const listed = JSON.parse((await runMain(place, ["list", "--json"])).stdout);
    expect(listed.hooks.find((hook: { name: string }) => hook.name === "guard")).toMatchObject({ trust: "untrusted" });
  });

  test.each([["."], [".kodelet"], [".kodelet/hooks"], ["-C", "..", "project"]])(
    "the folder may be named in several ways: %j %s %s",
    { tags: "slow" },
    async (...args: string[]) => {
      await using place = await workspace();
      await place.hook("guard", ":", project);
      expect(await findings(place, args)).toMatchObject({ code: 0, names: ["guard", "project"] });
    },
  );

  describe("without a folder", { tags: "slow" }, () => {
    const hint = "Read it, then: hookctl check .";

    test("nothing that nobody approved is started, and each of it is a fault", async () => {
      await using place = await workspace();
      const marker = join(place.dir, "started");
      const marks = `#!/bin/sh\ntouch ${marker}\n`;
      await place.write("project/.kodelet/hooks/guard", marks, 0o755);
      await settings(place, {
        hooks: { before_tool_call: [{ name: "declared", command: `touch ${marker}` }] },
        guards: { git: true },
      });
      const result = await runMain(place, ["check", "--json"]);
      expect({ code: result.code, stderr: result.stderr }).toEqual({ code: 1, stderr: "" });
      const { hooks, skipped_hooks } = parseTestJson(result);
      const failed = hooks.flatMap(({ name, checks }) =>
        checks.flatMap((check) => (check.passed ? [] : [{ name, check: check.name }])),
      );
      const names = ["guard", "declared", ".kodelet/hooks.json"];
      expect(failed).toEqual(names.map((name) => ({ name, check: "every hook can start" })));
      expect(skipped_hooks).toEqual([]);
      expect(await stateOf(place.dir)).not.toContainEqual(expect.stringMatching(/^started /));
      const shown = await runMain(place, ["check"]);
      expect(shown).toMatchObject({ code: 1, stderr: "" });
      expect(shown.stdout).toContain("guard is not approved, so it was not started");
      expect(shown.stdout.split(`Hint: ${hint}\n`)).toHaveLength(names.length + 1);
    });

    test("what is approved is tested, until it changes", async () => {
      await using place = await workspace();
      await place.hook("guard", ":", project);
      await runMain(place, ["trust", "--yes"]);
      expect(await findings(place, [])).toMatchObject({ code: 0, names: ["guard", "project"] });
      await place.hook("guard", "exit 4", project);
      const changed = await findings(place, []);
      expect(changed).toMatchObject({ code: 1, failed: [{ about: "guard", check: "every hook can start" }] });
    });

    test("--trust is a word for the project, too", async () => {
      await using place = await workspace();
      await place.hook("guard", ":", project);
      expect(await findings(place, ["--trust"])).toMatchObject({ code: 0, names: ["guard", "project"] });
    });
  });

  test("hooks in another folder", { tags: "slow" }, async () => {
    await using place = await workspace();
    await place.write("project/hooks/guard", "#!/bin/sh\nexit 3\n", 0o755);
    expect(await findings(place, [".", "--hooks-dir", "hooks"])).toMatchObject({
      code: 1,
      failed: [{ about: "guard", check: "declares its event" }],
    });
  });

  test.each([
    { title: "no hooks, no settings", args: ["check"], stderr: /^✖ Nothing to test: no hooks found in this folder\./ },
    { title: "empty settings", args: ["check"], stderr: /^✖ Nothing to test: no hooks found in this folder\./ },
    { title: "no such folder", args: ["check", "nowhere"], stderr: /^✖ .*\/nowhere: there is no such folder/ },
    { title: "the home folder", args: ["check", "../home"], stderr: /^✖ .*home is your home folder, not a project/ },
    { title: "two folders", args: ["check", ".", "."], stderr: /^✖ check takes at most/ },
  ])("exit code 64: $title", async ({ title, args, stderr }) => {
    await using place = await workspace();
    await rm(join(place.project, ".kodelet"), { recursive: true });
    if (title.includes("empty")) await settings(place, {});
    expect(await runMain(place, args)).toMatchObject({ code: 64, stdout: "", stderr: expect.stringMatching(stderr) });
  });

  describe("a finding about the only hook is exit code 1, not nothing to test", () => {
    const write = (mode: number, text: string) => (place: Workspace) =>
      place.write("project/.kodelet/hooks/guard", text, mode);
    test.each([
      { title: "no execute bit", make: write(0o644, "#!/bin/sh\n") },
      { title: "others may change it", make: write(0o777, "#!/bin/sh\n") },
      { title: "declares no event", make: write(0o755, "#!/bin/sh\n") },
      { title: "neither a script (#!) nor a program", make: write(0o755, "echo\n") },
      { title: "no such interpreter", make: write(0o755, "#!/no/such/sh\n") },
      {
        title: "a broken link",
        make: async (place: Workspace) => {
          await write(0o755, "")(place);
          await rm(join(place.project, ".kodelet/hooks/guard"));
          await symlink("gone", join(place.project, ".kodelet/hooks/guard"));
        },
      },
    ])("$title", async ({ make }) => {
      await using place = await workspace();
      await make(place);
      const { code, stdout, stderr } = await runMain(place, ["check", "."]);
      expect({ code, stderr, stdout }).toEqual({
        ...{ code: 1, stderr: "" },
        stdout: expect.stringMatching(/ ✖ guard [\s\S]*\n✖ [1-9]\d* failed, /),
      });
    });
  });

  test("a denied hook is not started, and that is found", async () => {
    await using place = await workspace();
    await place.hook("guard", "touch $HOOKCTL_PROJECT_DIR/started", project);
    expect(await runMain(place, ["untrust", "guard", "--deny"])).toMatchObject({ code: 0 });
    expect(await findings(place)).toMatchObject({
      code: 1,
      failed: [{ about: "guard", check: "every hook can start", message: "guard is denied, so it was not started" }],
    });
  });

  test("approvals of this machine do not matter: a changed hook is examined as it is", { tags: "slow" }, async () => {
    await using place = await workspace();
    await place.hook("guard", ":", project);
    await runMain(place, ["trust", "--yes"]);
    await place.hook("guard", "exit 4", project);
    const found = await findings(place);
    expect(found.code).toBe(1);
    expect(found.failed[0]).toMatchObject({ about: "guard", check: "handles a sample payload" });
  });

  test("cases of a guard and of the chain are run with the project's settings, which nobody approved", async () => {
    await using place = await workspace();
    await settings(place, { guards: { git: { allow: ["git push --force origin topic"] } } });
    const push = (branch: string, decision: string) => ({
      ...{ name: branch, payload: { tool_input: { command: `git push --force origin ${branch}` } } },
      expect: { decision },
    });
    const cases = { guard: "git", cases: [push("topic", "allow"), push("main", "block")] };
    await place.write("project/.kodelet/tests/git.json", JSON.stringify(cases));
    const chain = { chain: true, event: "before_tool_call", cases: [push("main", "allow")] };
    await place.write("project/.kodelet/tests/chain.json", JSON.stringify(chain));
    expect(await findings(place)).toMatchObject({
      code: 1,
      names: ["git", "chain", "project"],
      failed: [
        { about: "chain", check: "main", message: expect.stringContaining("expected the decision allow, got ") },
      ],
    });
    expect((await runMain(place, ["check", "."])).stdout).toContain("     Run again: hookctl check -v . --only main\n");
  });

  test("hooks that were adopted from an agent's settings are examined on another machine", {
    tags: "slow",
  }, async () => {
    await using place = await workspace();
    await place.write("project/check.sh", "#!/bin/sh\ncat >/dev/null\nexit 0\n", 0o755);
    const hooks = [{ matcher: "Bash", hooks: [{ type: "command", command: "$CLAUDE_PROJECT_DIR/check.sh" }] }];
    await place.write("project/.claude/settings.json", JSON.stringify({ hooks: { PreToolUse: hooks } }));
    expect(await runMain(place, ["adopt", "claude"])).toMatchObject({ code: 0 });
    await rm(place.home, { recursive: true });
    await place.write("home/.keep", "");
    expect(await findings(place)).toMatchObject({ code: 0, failed: [], names: ["claude-PreToolUse-1", "project"] });
    await place.write("project/check.sh", "#!/bin/sh\necho oops >&2\nexit 1\n", 0o755);
    const broken = await findings(place);
    expect(broken.code).toBe(1);
    expect(broken.failed[0]).toMatchObject({ about: "claude-PreToolUse-1", message: expect.stringContaining("oops") });
  });
});

interface Row {
  readonly title: string;
  readonly make: (place: Workspace) => Promise<unknown>;
  readonly env?: Readonly<Record<string, string>>;
  readonly failed: readonly Partial<Finding>[];
  readonly notes?: readonly Partial<Finding>[];
}

const SETTINGS_CHECK = "settings are valid";
const START_CHECK = "every hook can start";
const GUARD_CHECK = "every guard can block";
const registration = (...events: readonly string[]) => ({
  hooks: Object.fromEntries(
    events.map((event) => [
      event,
      [{ hooks: [{ type: "command", command: `hookctl bridge claude --event ${event}` }] }],
    ]),
  ),
});

const rows: readonly Row[] = [
  {
    title: "an unknown key of a setting",
    make: (place) => settings(place, { guards: { git: { enbaled: true } } }),
    failed: [
      {
        about: ".kodelet/hooks.json",
        check: SETTINGS_CHECK,
        message: expect.stringMatching(/unknown key "enbaled" in guards\.git.*enabled/),
      },
    ],
  },
  {
    title: "settings that do not parse",
    make: (place) => place.write(SETTINGS, '{\n  "guards": {\n'),
    failed: [{ about: ".kodelet/hooks.json", check: SETTINGS_CHECK, message: expect.stringContaining("line 3") }],
  },
  {
    title: "a template that does not compile",
    make: (place) =>
      settings(place, { hooks: { turn_end: [{ name: "push", template_push: { message: "{{ x | shout }}" } }] } }),
    failed: [{ about: ".kodelet/hooks.json", check: SETTINGS_CHECK, message: expect.stringContaining("shout") }],
  },
  {
    title: "two settings files",
    make: async (place) => [await settings(place, {}), await place.write("project/.hookctlrc", "{}")],
    failed: [{ about: ".kodelet/hooks.json", check: SETTINGS_CHECK, message: expect.stringMatching(/^two settings/) }],
  },
  {
    title: "an override of a hook that is not there",
    make: async (place) => {
      await place.hook("guard", ":", project);
      await settings(place, { overrides: { gaurd: { timeout: "1s" } } });
    },
    failed: [{ about: "gaurd", check: SETTINGS_CHECK, message: expect.stringContaining('Did you mean "guard"?') }],
  },
  {
    title: "a script without its execute bit",
    make: async (place) => [
      await place.hook("one", ":", project),
      await place.write("project/.kodelet/hooks/two", "#!/bin/sh\n"),
    ],
    failed: [{ about: "two", message: expect.stringContaining("no execute bit") }],
  },
  {
    title: "a declared command whose script is not there",
    make: (place) => settings(place, { hooks: { before_tool_call: [{ name: "one", command: "sh hooks/one.sh" }] } }),
    failed: [{ about: "one", message: expect.stringContaining("there is no hooks/one.sh") }],
  },
  {
    title: "hooks are switched off",
    make: (place) => place.hook("one", "touch /tmp/never", project),
    env: { HOOKCTL_NO_HOOKS: "1" },
    failed: [{ about: "project", check: START_CHECK, message: expect.stringContaining("disabled") }],
  },
  {
    title: "a hook that a variable switches off",
    make: (place) => place.hook("one", ":", project),
    env: { HOOKCTL_SKIP: "one" },
    failed: [{ about: "one", check: START_CHECK, message: expect.stringContaining("HOOKCTL_SKIP") }],
  },
  {
    title: "a fail-closed hook of an event that cannot be blocked",
    make: (place) => place.hook("late", ":", { ...project, says: '{"event":"turn_end","fail_open":false}' }),
    failed: [{ about: "late", check: GUARD_CHECK, message: expect.stringContaining("cannot be blocked: turn_end") }],
  },
  {
    title: "protected-paths without paths",
    make: (place) => settings(place, { guards: { "protected-paths": true } }),
    failed: [{ check: GUARD_CHECK, message: "protected-paths protects nothing: it has no `paths`" }],
  },
  {
    title: "a guard whose match names a field that its event does not have",
    make: (place) =>
      place.hook("guard", ":", { ...project, says: '{"event":"before_tool_call","match":{"toolName":"bash"}}' }),
    failed: [{ about: "guard", check: GUARD_CHECK, message: expect.stringContaining("the field toolName") }],
  },
  {
    title: "a match on fields that are like none of its event",
    make: (place) =>
      settings(place, {
        hooks: { turn_end: [{ name: "late", command: "true", match: { flavour: "a", zone: "b", conv_id: "*" } }] },
      }),
    failed: ["flavour", "zone"].map((field) => ({
      ...{ about: "late", check: GUARD_CHECK },
      message: `late never runs: its match names the field ${field}, which turn_end does not have`,
    })),
  },
  {
    title: "a guard on trial",
    make: (place) => settings(place, { guards: { git: { observe: true } } }),
    failed: [],
    notes: [{ about: "git", check: GUARD_CHECK, message: "git is set to observe: it records, and blocks nothing" }],
  },
  {
    title: "a guard for a tool with a misspelt name",
    make: (place) =>
      place.hook("guard", ":", { ...project, says: '{"event":"before_tool_call","match":{"tool_name":"Bahs"}}' }),
    failed: [{ about: "guard", check: GUARD_CHECK, message: "guard never matches a tool of any agent" }],
  },
  {
    title: "an agent that does not call hookctl before a tool call",
    make: async (place) => {
      await settings(place, { guards: { git: true } });
      await place.write("project/.claude/settings.json", JSON.stringify(registration("SessionStart")));
    },
    failed: [{ about: ".claude/settings.json", check: GUARD_CHECK, message: expect.stringContaining("PreToolUse") }],
  },
  {
    title: "an agent whose settings switch hooks off",
    make: async (place) => {
      await settings(place, { guards: { git: true } });
      const registered = registration("SessionStart", "PreToolUse");
      await place.write("project/.claude/settings.json", JSON.stringify({ ...registered, disableAllHooks: true }));
    },
    failed: [
      { about: ".claude/settings.json", check: GUARD_CHECK, message: expect.stringContaining("disableAllHooks") },
    ],
  },
];

test.each(rows)("check finds $title", async ({ make, env = {}, failed, notes = [] }) => {
  await using place = await workspace();
  await make(place);
  const found = await findings(place, ["."], env);
  expect(found).toMatchObject({ code: failed.length === 0 ? 0 : 1, failed, notes });
});

const lines: readonly { readonly file: string; readonly text: string; readonly told: string }[] = [
  {
    file: ".kodelet/hooks.yaml",
    text: "settings:\n  timeout: 5s\nguards:\n  git: true\n  # on trial\n  cloud: { observ: true }\n",
    told: '.kodelet/hooks.yaml:6: unknown key "observ" in guards.cloud. Did you mean observe?',
  },
  {
    file: ".kodelet/hooks.json",
    text: '{\n  "hooks": { "turn_end": [\n    { "name": "a", "command": "true" },\n    { "name": "b", "comand": "true" }\n  ] }\n}\n',
    told: ".kodelet/hooks.json:4: ",
  },
  {
    file: "package.json",
    text: '{\n  "guards": {},\n  "hookctl": {\n    "guards": {\n      "gti": true\n    }\n  }\n}\n',
    told: 'package.json:5: unknown key "gti" in guards. Did you mean git?',
  },
  { file: ".hookctlrc.yaml", text: "guards:\n  git: true\n git: no\n", told: ".hookctlrc.yaml:3 cannot be parsed: " },
  {
    file: ".hookctlrc",
    text: "settings:\n  project_hooks: allow\n",
    told: ".hookctlrc:2: settings.project_hooks is only",
  },
];

test("every fault of a settings file is told at once, each with its line", async () => {
  await using place = await workspace();
  const text = `settings:
  timeout: soon
  sound: true
guards:
  git: { enbaled: true, enabled: 3 }
  gti: true
hooks:
  turn_end:
    - { name: a, comand: x, timout: 1s }
    - { name: b, command: "true" }
    - { name: c, text: x, command: y }
  turn_ende: []
`;
  await place.write("project/.kodelet/hooks.yaml", text);
  const { failed } = await findings(place);
  expect(failed.map(({ message }) => message?.match(/^\.kodelet\/hooks\.yaml:(\d+)/)?.[1]).sort()).toEqual([
    "11",
    "12",
    "2",
    "3",
    "5",
    "5",
    "6",
    "9",
    "9",
  ]);
});

test("every setting that only a user may have is told", async () => {
  await using place = await workspace();
  await settings(place, { settings: { project_hooks: "allow" }, overrides: { a: { required: true } } });
  const told = (await findings(place)).failed.map(({ message }) => message);
  expect(told).toEqual([
    expect.stringContaining("settings.project_hooks is only"),
    expect.stringContaining("overrides.a.required is only"),
  ]);
});

test.each(lines)("a fault of $file is told with its line", async ({ file, text, told }) => {
  await using place = await workspace();
  await place.write(join("project", file), text);
  const { stdout, code } = await runMain(place, ["check", "."]);
  expect({ code, told: stdout.split("\n").filter((line) => line.startsWith(`     ${told}`)) }).toMatchObject({
    code: 1,
    told: [expect.any(String)],
  });
});
