import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runInProcess } from "../support/in-process.ts";
import { parseRunJson } from "../support/json-output.ts";
import { toolCall } from "../support/payloads.ts";
import { type Workspace, workspace } from "../support/workspace.ts";
import { missingHere, PYTHON, unlessMissing } from "./bubblewrap.ts";

/** Ways to write a path in `$1`, from most folders of a machine. */
const WAYS: readonly (readonly [way: string, command: string])[] = [
  ["a redirection", 'echo x > "$1"'],
  ["an appending redirection", 'echo x >> "$1"'],
  ["tee", 'echo x | tee "$1" > /dev/null'],
  ["a copy", 'cp /etc/passwd "$1"'],
  ["a file moved there", 'echo x > "$TMPDIR/m" && mv "$TMPDIR/m" "$1"'],
  ["a folder", 'mkdir -p "$1/deeper"'],
  ["a link", 'ln -s /etc/passwd "$1"'],
  ["a relative path", 'cd "$(dirname "$1")" && echo x > "$(basename "$1")"'],
  ["another program", `${PYTHON} -c 'import sys; open(sys.argv[1], "w").write("x")' "$1"`],
];
const FOLDERS = ["/tmp", "/var/tmp", "/run", "/var/run", "/dev", "/dev/shm", "$HOME", ".", "..", "src"];

const USER = "home/.kodelet/hooks.json";
const PROJECT = "project/.kodelet/hooks.json";

const run = async (place: Workspace) =>
  parseRunJson(await runInProcess(place, "run before_tool_call --json -q", { stdin: toolCall() }));

describe.skipIf(missingHere !== null)(`a write in the sandbox${unlessMissing}`, () => {
  test.each(WAYS)("never succeeds and vanishes: %s", async (_, command) => {
    await using place = await workspace();
    await place.write("project/src/old", "");
    await place.write("home/.kodelet/hooks/way", `set -e\n${command}\n`);
    const paths = FOLDERS.map((folder) => `"${folder}/hookctl-lost-write"`).join(" ");
    await place.write(
      "home/.kodelet/hooks/probe",
      `#!/bin/sh\n[ "$1" = hook ] && { echo before_tool_call; exit; }
wrote=; for path in ${paths}; do sh "$(dirname "$0")/way" "$path" 2>/dev/null && wrote="$wrote $path"; done
printf '{"blocked":true,"reason":"wrote:%s"}' "$wrote"`,
      0o755,
    );
    await place.write(USER, '{"overrides":{"probe":{"sandbox":"require"}}}');
    expect(await run(place)).toMatchObject({ reason: "wrote:" });
  });

  const TEMPORARY: readonly (readonly [what: string, command: string])[] = [
    ["mktemp", 't=$(mktemp) && echo kept > "$t" && cat "$t"'],
    ["mktemp -d", 't=$(mktemp -d) && echo kept > "$t/x" && cat "$t/x"'],
    ["TMPDIR", 'echo kept > "$TMPDIR/x" && cat "$TMPDIR/x"'],
    ["TMP and TEMP", 'echo kept > "$TMP/x" && cat "$TEMP/x"'],
    ["a long text for a command", "text=$(printf %0100000d 0); cat <<END | tail -n 1\n$text\nkept\nEND"],
    ["Python", `${PYTHON} -c 'import tempfile; f = tempfile.TemporaryFile(); f.write(b"x"); print("kept")'`],
    ["Node", `"$NODE" -e 'fs.mkdtempSync(os.tmpdir() + "/x"); console.log("kept")'`],
  ];
  test("in its temporary folder works, and ends with it", async () => {
    await using place = await workspace();
    for (const [index, [, command]] of TEMPORARY.entries())
      await place.write(`home/.kodelet/hooks/lib/${index}.sh`, `set -e\n${command}\n`);
    await place.write(
      "home/.kodelet/hooks/probe",
      `#!/bin/sh\n[ "$1" = hook ] && { echo before_tool_call; exit; }
export NODE="${process.execPath}"; said=
for file in "$(dirname "$0")"/lib/*.sh; do said="$said $(sh "$file" 2>&1)"; done
printf '{"blocked":true,"reason":"%s, %s"}' "$said" "$TMPDIR"`,
      0o755,
    );
    await place.write(USER, '{"overrides":{"probe":{"sandbox":"require"}}}');
    expect((await run(place)).reason).toBe(`${" kept".repeat(TEMPORARY.length)}, /tmp/.hookctl`);
    expect(existsSync("/tmp/.hookctl")).toBe(false);
  });

  const declare = async (place: Workspace, command: string) => {
    await place.write(
      PROJECT,
      JSON.stringify({ hooks: [{ name: "log", on: "before_tool_call", shell_exec: command }] }),
    );
    const shown = (await runInProcess(place, "trust --show")).stdout;
    expect(await runInProcess(place, "trust --yes -q")).toMatchObject({ code: 0 });
    return shown;
  };

  test("to which an approved command redirects is shown before the approval, and arrives", async () => {
    await using place = await workspace();
    const file = join(place.dir, "outside.log");
    const shown = await declare(place, `echo started >> ${file}; echo in >> ../inside.log; echo x > /dev/null`);
    expect(shown).toContain("  writes outside the project: log: DIR/outside.log\n");
    expect(shown.match(/writes outside/g)).toHaveLength(1);
    expect((await run(place)).hooks).toMatchObject([{ outcome: "continue" }]);
    expect(readFileSync(file, "utf8")).toBe("started\n");
    expect(await place.read("project/inside.log")).toBe("in\n");
  });

  test("through a link that leads elsewhere fails, and a changed redirection needs another approval", async () => {
    await using place = await workspace();
    await place.write("home/victim", "mine");
    symlinkSync("home/victim", join(place.dir, "link"));
    await declare(place, `echo x >> ${place.dir}/link`);
    expect((await run(place)).hooks).toMatchObject([{ outcome: "failed", failure: { code: "HOOK_EXITED" } }]);
    expect(await place.read("home/victim")).toBe("mine");
    await place.write(
      PROJECT,
      JSON.stringify({ hooks: [{ name: "log", on: "before_tool_call", shell_exec: `echo x >> ${place.dir}/other` }] }),
    );
    await run(place);
    expect(existsSync(join(place.dir, "other"))).toBe(false);
    expect((await runInProcess(place, "trust --show")).stdout).toContain(
      "writes outside the project: log: DIR/other\n",
    );
  });
});
