import { describe, expect, test } from "vitest";
import { AGENT_NAMES, type AgentName } from "../../../../src/protocol/agent-names.ts";
import { AGENT_INSTALLS, AGENTS } from "../../../agents/agents.ts";
import { createRegistrations } from "../../install/create-registrations.ts";
import { isHookctlCommand } from "../../install/find-registrations.ts";
import { addJsonRegistrations, removeJsonRegistrations } from "../../install/settings-file/edit-json.ts";
import { addTomlRegistrations, removeTomlRegistrations } from "../../install/settings-file/edit-toml.ts";
import { addRegistrations } from "../../install/write-registrations.ts";

/** Settings as people have them. */
const SAMPLES: Readonly<Record<string, string>> = {
  "an empty object": "{}",
  "an empty object with a comment": "{\n  // mine\n}\n",
  "other settings": '{\n  "model": "opus",\n  "permissions": { "allow": ["Bash(ls:*)"] }\n}\n',
  "comments and a trailing comma": '// mine\n{\n  /* keep */ "model": "opus", // here\n  "theme": "dark",\n}\n',
  "tabs and no final newline": '{\n\t"model": "opus"\n}',
  "carriage returns": '{\r\n  "model": "opus",\r\n  "theme": "dark"\r\n}\r\n',
  "a byte order mark": '\ufeff{ "model": "opus" }\n',
  "four spaces": '{\n    "model": "opus"\n}\n',
  "one line": '{"model":"opus","theme":"dark"}',
  "a hook of somebody else":
    '{\n  "hooks": {\n    "PreToolUse": [\n      { "matcher": "Bash", "hooks": [ { "type": "command", "command": "x" } ] }\n    ]\n  }\n}\n',
  "a hook of somebody else on one line":
    '{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"x"}]}]},"z":1}',
  "other events in odd formatting": '{ "hooks":\n{"Stop" : [ {"hooks":[]} , ] , }\n}\n',
};

/** Every character of the first text stands in the second, in the same order. */
function isWithin(text: string, longer: string): boolean {
  let at = 0;
  for (const char of longer) if (char === text[at]) at++;
  return at === text.length;
}

const fileOf = <Name extends AgentName>(name: Name) =>
  ({ agent: { name }, format: "json", shown: "settings.json" }) as const;
const claude = fileOf("claude");
const ownerOf = (agent: string) => ({ agent, shown: "settings.json" });
const PROBLEM = { code: "AGENT_SETTINGS_NOT_PARSED", path: "settings.json" };
const options = { events: null, failClosed: false };
type LineOptions = Omit<Parameters<typeof createRegistrations>[2], "events"> & {
  readonly events: readonly string[] | null;
};

/** The lines of a user's file; by default of every event. */
function linesOf(name: AgentName, program: string, { events, ...style }: LineOptions) {
  const agent = AGENTS[name];
  const place = { agent, scope: "user", shown: "~/settings.json" } as const;
  return createRegistrations(place, program, { events: events ?? Object.keys(agent.events), ...style });
}

const settings = AGENT_NAMES.flatMap((name) => {
  const registration = AGENT_INSTALLS[name].format;
  return registration.kind === "settings" ? [{ name, registration }] : [];
});

describe.each(settings)("$name", ({ name, registration }) => {
  const lines = linesOf(name, '"/opt/a b/bin/hookctl.js"', options);
  const samples = Object.entries(SAMPLES).map(([title, text]) => ({ title, text }));

  test.each(samples)("$title: what was there is not touched, and comes back byte for byte", ({ text }) => {
    const added = addJsonRegistrations(text, { ...registration, root: {} }, lines, ownerOf(name));
    expect(isWithin(text, added)).toBe(true);
    expect(removeJsonRegistrations(added, ownerOf(name))).toBe(text);
  });

  test.each(samples)("$title: twice is the same as once", ({ text }) => {
    const once = addJsonRegistrations(text, registration, lines, ownerOf(name));
    expect(addJsonRegistrations(once, registration, lines, ownerOf(name))).toBe(once);
  });

  test("a new file holds one line for each event, and each is known as ours", () => {
    const { hooks } = JSON.parse(addJsonRegistrations("", registration, lines, ownerOf(name)));
    expect(Object.keys(hooks)).toEqual(lines.map(({ event }) => event));
    for (const { command } of lines) expect(isHookctlCommand(command, name)).toBe(true);
    expect(JSON.stringify(hooks)).toContain(`bridge ${name} --event ${lines[0]?.event}`);
  });
});

test.each([
  { text: "{", title: "half an object" },
  { text: '{"a": tru}', title: "no JSON" },
  { text: "[]", title: "a list" },
  { text: '{"hooks": []}', title: "hooks that are a list" },
  { text: '{"hooks": {}, "hooks": {}}', title: "hooks that stand twice" },
  { text: '{"hooks": {"Stop": [], "Stop": []}}', title: "an event that occurs twice" },
  { text: '{"hooks": {"PreToolUse": {}}}', title: "an event that is no list" },
])("settings that are $title are left alone, with the place", ({ text }) => {
  const lines = linesOf("claude", "hookctl", options);
  const problem = expect.objectContaining({ ...PROBLEM, line: 1 });
  expect(() => addRegistrations(text, claude, lines)).toThrow(expect.objectContaining({ problem }));
});

test.each(["", " \n", '{ "hooks": { } }\n', '{ "hooks": { "Stop": [ ] } }'])(
  "%j holds no line of ours, and stays as it is",
  (text) => {
    expect(removeJsonRegistrations(text, ownerOf("claude"))).toBe(text);
  },
);

test("a line that calls hookctl another way is exchanged in its place", () => {
  const before = addRegistrations("{}", claude, linesOf("claude", "hookctl", options));
  const moved = linesOf("claude", '"/new/bin/hookctl.js"', options);
  const after = addRegistrations(before, claude, moved);
  expect(after).not.toMatch(/"hookctl bridge/);
  expect(after.match(/bridge claude/g)).toHaveLength(moved.length);
});

const OTHER = '{ "type": "command", "command": "other" }';
const OURS = '{ "type": "command", "command": "hookctl bridge claude --event PreToolUse --fail-open", "timeout": 60 }';
const CLOSED = linesOf("claude", "hookctl", { events: ["PreToolUse"], failClosed: true });

describe("a group that we do not have for ourselves", () => {
  const shared = [
    { title: "a handler behind ours", group: `{ "hooks": [ ${OURS}, ${OTHER} ] }`, left: `{ "hooks": [ ${OTHER} ] }` },
    { title: "a handler before ours", group: `{ "hooks": [ ${OTHER}, ${OURS} ] }`, left: `{ "hooks": [ ${OTHER} ] }` },
    {
      title: "a handler and a matcher",
      group: `{ "matcher": "Bash", "hooks": [ ${OURS}, ${OTHER} ] }`,
      left: `{ "matcher": "Bash", "hooks": [ ${OTHER} ] }`,
    },
    {
      title: "two handlers of ours and one between them",
      group: `{ "hooks": [ ${OURS}, ${OTHER}, ${OURS} ] }`,
      left: `{ "hooks": [ ${OTHER} ] }`,
    },
  ];
  const settingsOf = (group: string): string => `{ "hooks": { "PreToolUse": [ ${group} ] } }`;

  test.each(shared)("$title: what is not ours stays when our lines go", ({ group, left }) => {
    expect(removeJsonRegistrations(settingsOf(group), ownerOf("claude"))).toBe(settingsOf(left));
  });

  test.each([...shared.slice(0, 3), { title: "a matcher", group: `{ "matcher": "Bash", "hooks": [ ${OURS} ] }` }])(
    "$title: what is not ours stays when our line is exchanged",
    ({ group }) => {
      const after = addRegistrations(settingsOf(group), claude, CLOSED);
      const [handler] = CLOSED.map(({ command }) => ({ type: "command", command, timeout: 3600 }));
      const wanted = JSON.parse(settingsOf(group.replace(OURS, JSON.stringify(handler))));
      expect(JSON.parse(after)).toEqual(wanted);
      expect(addRegistrations(after, claude, CLOSED)).toBe(after);
    },
  );

  test("our line alone, narrowed by a matcher, goes with its group", () => {
    const text = settingsOf(`{ "matcher": "Bash", "hooks": [ ${OURS} ] }`);
    expect(removeJsonRegistrations(text, ownerOf("claude"))).toBe("{}");
  });

  test("a handler that stands alone keeps what somebody wrote into it", () => {
    const command = "hookctl bridge cursor --event stop --fail-open";
    const text = JSON.stringify({ version: 1, hooks: { stop: [{ command, loop_limit: 3 }] } });
    const lines = linesOf("cursor", "hookctl", { events: ["stop"], failClosed: false });
    const after = addRegistrations(text, fileOf("cursor"), lines);
    const [entry] = JSON.parse(after).hooks.stop;
    expect(entry).toEqual({ command: lines[0]?.command, timeout: 3600, loop_limit: 3 });
  });

  test("what goose is told of a failure belongs to our group, and goes when it is not wanted any more", () => {
    const place = fileOf("goose");
    const linesWith = (failClosed: boolean) => linesOf("goose", "hookctl", { events: ["PreToolUse"], failClosed });
    const open = addRegistrations("", place, linesWith(false));
    const closed = addRegistrations(open, place, linesWith(true));
    expect(closed).toContain('"on_failure": "block"');
    expect(addRegistrations(closed, place, linesWith(false))).toBe(open);
  });
});

test.each([
  {
    title: "another hook",
    text: 'model = "m"\n\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "x"\n',
  },
  { title: "no final newline", text: 'model = "m"\n[hooks]' },
  { title: "carriage returns", text: 'model = "m"\r\n[hooks]\r\n' },
])("Codex's own TOML with $title gets ours at its end, and they go without a trace", ({ text }) => {
  const lines = linesOf("codex", "hookctl", options);
  const added = addTomlRegistrations(text, {}, lines, "config.toml");
  expect(added.startsWith(text)).toBe(true);
  expect(added).toContain("[[hooks.PreToolUse.hooks]]");
  expect(addTomlRegistrations(added, {}, lines, "config.toml")).toBe(added);
  const back = removeTomlRegistrations(added);
  expect(text.endsWith("\n") ? back : back.trimEnd()).toBe(text);
});

test.each(["[hooks\n", "hooks = { Stop = [] }\n[hooks2]\n"])(
  "TOML that is broken, or would be with ours, is left alone: %j",
  (text) => {
    const problem = expect.objectContaining({ ...PROBLEM, path: "config.toml" });
    const add = () => addTomlRegistrations(text, {}, linesOf("codex", "hookctl", options), "config.toml");
    expect(add).toThrow(expect.objectContaining({ problem }));
  },
);

test("a line that fails closed denies by itself, in the agent's own words, when hookctl is missing", () => {
  const closed = linesOf("claude", "hookctl", {
    events: ["PreToolUse", "Notification"],
    failClosed: true,
  });
  expect(closed.map(({ command }) => command)).toEqual([
    `POSIXLY_CORRECT=1; trap : HUP INT TERM; unset -f printf 2>/dev/null || :; answer=$(hookctl bridge claude --event PreToolUse --fail-closed --proof) || answer=; case $answer in *hookctl-answered) printf %s "\${answer%hookctl-answered}" ;; *) printf '%s\\n' '${JSON.stringify(
      {
        hookSpecificOutput: {
          hookEventName: "PreToolUse",
          permissionDecision: "deny",
          permissionDecisionReason:
            "hookctl could not be asked, and Claude Code fails closed: install hookctl and run hookctl init claude --scope user, or remove the entries of hookctl from ~/settings.json.",
        },
      },
    )}' ;; esac`,
    "hookctl bridge claude --event Notification; code=$?; case $code in 126|127) echo 'hookctl is not installed, so no hook runs: install hookctl and run hookctl init claude --scope user, or remove the entries of hookctl from ~/settings.json.' >&2 ;; esac; exit $code",
  ]);
});
