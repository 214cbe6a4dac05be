import { readdirSync, readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { missingHere } from "../sandbox/bubblewrap.ts";
import { collector } from "../support/collector.ts";
import { hasScript, runOnTerminal } from "../support/on-terminal.ts";
import { guardText, hasGit, packRepository } from "../support/pack-repository.ts";
import { printResponse, shellQuote } from "../support/shell.ts";
import { AS_PERSON, runProgram, type Workspace, workspace } from "../support/workspace.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Lines that this test does not run, and the reason. */
const LEFT_OUT: readonly (readonly [line: RegExp, reason: string])[] = [
  [/^(?:npm|npx) |^sudo npm /, "it installs, tests or measures hookctl itself"],
  [/^sudo |--scope machine/, "it changes the machine; the tests of machine scope do that in a namespace"],
  [/^cd my-project/, "it stands for any folder"],
  [/\/run\/(?:docker|user)|SSH_AUTH_SOCK/, "it names a socket that only some machines have"],
];

/** Lines that end with another code than 0 in the world of this test, which has a hook that blocks. */
const CODES: Readonly<Record<string, number>> = {
  "hookctl payload PreToolUse | hookctl run PreToolUse --as basecoat -q": 2,
  "hookctl explain 'rm -rf ~'": 2,
  "hookctl explain 'cd /tmp && rm -rf \"$HOME\"'": 2,
  "hookctl run before_tool_call < p.json -vv": 2,
  'hookctl try guard tool_input.command="echo forbidden"': 2,
};

/** These ask a person, who says yes. */
const ASKING = /^hookctl (?:init$|uninstall --all$|adopt claude$|off git --for|(?:un)?trust$|edit )/;

/** These run until they are stopped. */
const LASTING = /^hookctl serve --socket|export --follow/;

interface Block {
  readonly page: string;
  readonly text: string;
  /** The page shows the output of another project. */
  readonly isOutput: boolean;
}

const pages = ["README.md", ...readdirSync(join(root, "docs")).map((name) => `docs/${name}`)].filter((name) =>
  name.endsWith(".md"),
);

const BLOCKS: readonly Block[] = pages.flatMap((page) =>
  [...readFileSync(join(root, page), "utf8").matchAll(/^```(sh|console shown)\n([\s\S]*?)^```$/gm)]
    .map(([, kind, text = ""]) => ({ page, text, isOutput: kind !== "sh" }))
    // A hook in the language of the shell is no line to type.
    .filter(({ text }) => /^(?!#!).*\bhookctl /.test(text.replaceAll("\n", " "))),
);

/** The lines to type, without their comments; a here-document belongs to its line. */
const linesOf = ({ text, isOutput }: Block): readonly string[] =>
  [...text.matchAll(isOutput ? /(?<=^\$ )hookctl .+$/gm : /^.*<<'(\w+)'\n[\s\S]*?^\1$|^.+$/gm)]
    .map(([line]) => (line.includes("\n") ? line : line.replace(/\s+# .*$|\s+#$| \| jq .*$/, "")))
    .filter((line) => line !== "");

const leftOut = (line: string): string | undefined => LEFT_OUT.find(([pattern]) => pattern.test(line))?.[1];

const denied = printResponse({ blocked: true, reason: "no" });
const adoptable = { matcher: "Bash", hooks: [{ type: "command", command: "$HOME/check-command" }] };

/** A project of somebody who has used hookctl for a while: hooks, a stopped call, a pack to add, things to approve. */
async function livedIn(place: Workspace, env: Readonly<Record<string, string>>, text: string): Promise<string> {
  const settings = JSON.stringify({ hooks: { PreToolUse: [adoptable] } });
  await place.write("home/.claude/settings.json", settings);
  await place.write("home/check-command", "#!/bin/sh\ncat >/dev/null\n", 0o755);
  await place.write("project/.claude/settings.json", settings);
  await place.write("project/package.json", '{"scripts":{"test":"true"}}');
  await place.write("project/payload.json", '{"tool_name":"bash","tool_input":{"command":"ls"}}');
  await place.write("home/.kodelet/hooks.json", '{"guards":{"git":true},"settings":{"record":"payloads"}}');
  const used = { type: "tool_use", id: "t", name: "Bash", input: { command: "ls" } };
  const message = { role: "assistant", content: [used] };
  const said = { type: "assistant", sessionId: "s", cwd: place.project, timestamp: new Date().toISOString(), message };
  await place.write("home/.claude/projects/p/s.jsonl", `${JSON.stringify(said)}\n`);
  for (const folder of ["project/.kodelet/tests", "home/.cache/foo", "home/work/shared", "run"])
    await mkdir(join(place.dir, folder), { recursive: true, mode: 0o700 });
  const names = text.includes("hookctl new guard") ? ["upload-logs"] : ["guard", "upload-logs"];
  for (const name of names) await place.hook(name, denied, { scope: "project", says: "turn_end" });
  await place.hook("deny-dangerous", `case $(cat) in *"rm -rf build"*) ${denied} ;; esac`);
  const call = { session_id: "s", cwd: place.project, hook_event_name: "PreToolUse", tool_name: "Bash" };
  const stdin = JSON.stringify({ ...call, tool_input: { command: "git reset --hard" } });
  await runProgram([...AS_PERSON, "bridge", "claude", "--event", "PreToolUse"], { cwd: place.project, env, stdin });
  const { stdout } = await runProgram([...AS_PERSON, "log", "--json"], { cwd: place.project, env });
  return /"run_id": ?"(\w+)"/.exec(stdout)?.[1] ?? "";
}

/** Runs a line in a shell, with a person who answers yes where it asks one. */
async function typeIn(place: Workspace, line: string, env: Readonly<Record<string, string>>, before: string) {
  if (!ASKING.test(line)) {
    const script = line.replace(/^((?:\w+=\S+ )*)/, `$1${before}`);
    const { stdout, stderr, code } = await runProgram(["sh", "-c", script], { cwd: place.project, env });
    return { output: stdout + stderr, code };
  }
  const variables = Object.entries(env).map(([name, value]) => `export ${name}=${shellQuote(value)}; `);
  const { shown, code } = await runOnTerminal(place, `${variables.join("")}${line}`, Array(9).fill("y\n"));
  return { output: shown, code };
}

describe.each(BLOCKS)("$page: $text", (block) => {
  const { text, isOutput } = block;
  const lines = linesOf(block).filter((line) => leftOut(line) === undefined);

  const lacks = [
    lines.some((line) => ASKING.test(line)) && !hasScript ? "script of util-linux" : [],
    text.includes("acme/") && !hasGit ? "git" : [],
    /hookctl (?:on )?cage\b/.test(text) && missingHere !== null ? missingHere : [],
  ].flat();
  const unless = lacks.length === 0 ? "" : ` (needs ${lacks.join(", ")})`;
  test.skipIf(lines.length === 0 || lacks.length > 0)(`each line works${unless}`, async () => {
    await using place = await workspace();
    await using collected = await collector();
    const person = AS_PERSON.map(shellQuote).join(" ");
    await place.write("bin/hookctl", `#!/bin/sh\nexec ${person} "$@"\n`, 0o755);
    const path = [join(place.dir, "bin"), dirname(process.execPath), "/usr/bin", "/bin"].join(":");
    const env = {
      HOME: place.home,
      PATH: path,
      EDITOR: "/bin/true",
      XDG_RUNTIME_DIR: join(place.dir, "run"),
      TMPDIR: place.dir,
    };
    const run = await livedIn(place, env, text);
    const pack = text.includes("acme/guards") ? await packRepository(place) : null;
    for (const tag of pack === null ? [] : ["v1.2.0", "v1.3.0", "v2.0.0"]) {
      await pack?.commit({ "hooks/guard": guardText(tag) });
      await pack?.git("tag", tag);
    }
    const failed: string[] = [];
    for (const line of lines) {
      const typed = line
        // A pack of a local repository has the name of its folder.
        .replace("add acme/guards", `add ${pack?.url}`)
        .replace(/(?<!git\/)acme\/guards/, "guards")
        .replace(/^hookctl (?:add|update [^-].*)/, "$& --yes")
        .replace("http://localhost:4318", collected.url)
        .replace("--case RUN", `--case ${run}`);
      const { output, code } = await typeIn(place, typed, env, LASTING.test(line) ? "timeout 5 " : "");
      const expected = LASTING.test(line) ? [124] : isOutput ? [0, 1, 2] : [CODES[line] ?? 0];
      if (!expected.includes(code ?? -1)) failed.push(`$ ${typed}\n${output}[${code}]`);
    }
    expect(failed.join("\n")).toBe("");
  });
});

test("a line is left out for a reason alone, and each reason is needed", () => {
  const lines = BLOCKS.flatMap(linesOf);
  expect(lines.length).toBeGreaterThan(60);
  for (const [pattern, reason] of LEFT_OUT)
    expect(
      lines.some((line) => pattern.test(line)),
      reason,
    ).toBe(true);
  for (const line of Object.keys(CODES)) expect(lines).toContain(line);
});
