import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { approveAll, outcomeOf } from "../support/approvals.ts";
import { runInProcess } from "../support/in-process.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const HOOKS = "project/.kodelet/hooks";
const CHANGED = "refused HOOK_REFUSED_CHANGED";
const PATH = `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`;

const sh = (body: string): string => `#!/bin/sh\nif [ "$1" = hook ]; then echo before_tool_call; exit 0; fi\n${body}\n`;
const js = (body: string): string =>
  `#!${process.execPath}
const fs = process.getBuiltinModule("node:fs");
if (process.argv[2] === "hook") console.log("before_tool_call");
else if (process.argv[2] === "run") {
${body}
}
`;

/** Approved before the file is there, and again when it is: neither time is it a part. */
async function statusesAround(place: Workspace, file: string): Promise<readonly string[]> {
  const statuses: string[] = [];
  const look = async (): Promise<void> => void statuses.push(await outcomeOf(place, "guard", ""));
  await approveAll(place);
  await look();
  await place.write(file, "one\n");
  await look();
  await rm(join(place.dir, file));
  await place.write(file, "one\n");
  await approveAll(place, "trust guard --yes");
  await place.write(file, "two\n");
  await look();
  return statuses;
}

describe("what a hook writes itself is no part of its approval", () => {
  test.each([
    [
      "state by a variable",
      sh(
        'cd "$HOOKCTL_PROJECT_DIR" && mkdir -p .kodelet/state && cat > "$HOOKCTL_PROJECT_DIR/.kodelet/state/last.json"',
      ),
      "state/last.json",
    ],
    [
      "state without an ending",
      sh('f=.kodelet/state/seen\nmkdir -p .kodelet/state; [ -f "$f" ] || : > "$f"'),
      "state/seen",
    ],
    ["a folder of state", sh("mkdir -p .kodelet/state/days; : > .kodelet/state/days/$$"), "state/days/1"],
    [
      "state of JavaScript",
      js(`fs.existsSync(\`\${process.env.HOOKCTL_PROJECT_DIR}/.kodelet/state/x.json\`);`),
      "state/x.json",
    ],
    ["a log", sh('cat >> "$HOOKCTL_PROJECT_DIR/.kodelet/guard.log"'), "guard.log"],
    ["a log beside the hook", sh('cat >> "$(dirname "$0")/guard.log"'), "hooks/guard.log"],
    ["lines of JSON", sh("cat >> .kodelet/audit.jsonl"), "audit.jsonl"],
    [
      "lines of JSON by a variable",
      js('const LOG = ".kodelet/audit.ndjson";\nfs.appendFileSync(LOG, "");'),
      "audit.ndjson",
    ],
  ])("%s", async (_, hook, file) => {
    await using place = await workspace();
    await place.write(`${HOOKS}/guard`, hook, 0o755);
    const statuses = await statusesAround(place, `project/.kodelet/${file}`);
    expect(statuses).toEqual(["continue", "continue", "continue"]);
  });

  test("an observer and a guard that write go on for as long as they are asked", async () => {
    await using place = await workspace();
    await place.write(`${HOOKS}/guard`, sh('cat >> "$HOOKCTL_PROJECT_DIR/.kodelet/guard.log"'), 0o755);
    await approveAll(place);
    for (const _ of [1, 2, 3]) expect(await outcomeOf(place, "guard")).toBe("continue");
    expect(((await place.read("project/.kodelet/guard.log")) ?? "").length).toBeGreaterThan(0);
  });
});

describe("what a hook reads, loads or starts stays a part wherever it lies", () => {
  test.each([
    ["a switch", sh("[ -f .kodelet/off ] && exit 0"), "off"],
    ["rules", sh("grep -qf .kodelet/rules.json"), "rules.json"],
    ["rules in lines of JSON", js('fs.existsSync(".kodelet/rules.jsonl");'), "rules.jsonl"],
    [
      "rules in lines of JSON beside a log",
      sh("grep -qf .kodelet/rules.jsonl\ncat >> .kodelet/audit.jsonl"),
      "rules.jsonl",
    ],
    ["a script among the state, by the dot", sh("[ -f .kodelet/state/x ] && . .kodelet/state/x"), "state/x"],
    ["a script among the state, as a command", sh('[ ! -f .kodelet/state/x ] || "$PWD/.kodelet/state/x"'), "state/x"],
    ["a log that is run", sh("[ ! -f .kodelet/x.log ] || sh .kodelet/x.log"), "x.log"],
    ["code in a folder of state", js('fs.readdirSync(".kodelet/state");'), "state/rules.js", "state/seen"],
    ["a module among the state", js('try { require("../state/rules"); } catch {}'), "state/rules.js"],
  ] as [string, string, string, string?][])("%s", async (_, hook, file, before = "") => {
    await using place = await workspace();
    if (before !== "") await place.write(`project/.kodelet/${before}`, "");
    await place.write(`${HOOKS}/guard`, hook, 0o755);
    await approveAll(place);
    await place.write(`project/.kodelet/${file}`, "exit 0\n", 0o755);
    expect(await outcomeOf(place, "guard")).toBe(CHANGED);
  });
});

/** Declared: approved when the files are there, because of these one that is there already was bound. */
async function declaredAfter(command: string, files: Readonly<Record<string, string>>, edited: string) {
  const place = await workspace();
  for (const [path, text] of Object.entries(files)) await place.write(`project/.kodelet/${path}`, text, 0o755);
  const entry = { name: "guard", command };
  await place.write("project/.kodelet/hooks.json", JSON.stringify({ hooks: { before_tool_call: [entry] } }));
  await approveAll(place);
  await place.write(`project/.kodelet/${edited}`, "exit 0\n", 0o755);
  const result = await runInProcess(place, "list --json", { env: { PATH } });
  const { hooks } = JSON.parse(result.stdout) as { hooks: readonly { name: string; trust: string }[] };
  await place[Symbol.asyncDispose]();
  return hooks.find(({ name }) => name === "guard")?.trust;
}

describe("the same for a declared command", () => {
  const python = { "hooks/log.py": 'import sys\nopen("hooks/log.jsonl", "a").write(sys.stdin.read())\n' };
  const script = { "hooks/log.sh": "log=state/last\ncat > $log; cat $log >> guard.log\n" };
  const reader = { "hooks/read.sh": "while read -r line; do :; done < state/seen\n" };
  test.each([
    ["a log of a Python program", "python3 hooks/log.py", { ...python, "hooks/log.jsonl": "{}\n" }, "hooks/log.jsonl"],
    ["state of a script", "sh hooks/log.sh", { ...script, "state/last": "" }, "state/last"],
    ["state in the command", "cat state/last >&2 || :", {}, "state/last"],
    ["state as input", "sh hooks/read.sh", { ...reader, "state/seen": "" }, "state/seen"],
    ["state as input of the command", "cat < state/seen >&2", {}, "state/seen"],
  ])("%s is no part", async (_, command, files, edited) => {
    expect(await declaredAfter(command, files, edited)).toBe("trusted");
  });

  const rules = { "hooks/r.py": 'open("hooks/rules.jsonl").read()\n', "hooks/rules.jsonl": "{}\n" };
  test.each([
    ["rules in lines of JSON", "python3 hooks/r.py", rules, "hooks/rules.jsonl"],
    ["a script among the state", "sh state/x", {}, "state/x"],
    ["a program among the state", "state/x", { "state/x": "" }, "state/x"],
    ["a program behind a wrapper", "timeout 5 state/x", { "state/x": "" }, "state/x"],
    ["a script as input of a shell", "sh < state/x", {}, "state/x"],
    ["code that is named", "cat state/x.sh", { "state/x.sh": "" }, "state/x.sh"],
  ])("%s is a part", async (_, command, files, edited) => {
    expect(await declaredAfter(command, files, edited)).toBe("changed");
  });
});
