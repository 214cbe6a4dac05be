import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { nativeCall } from "../../packages/agents/test/native-calls.ts";
import { effectOf } from "../../packages/agents/test/read-answer.ts";
import { LANGUAGES, type LanguageName } from "../../packages/authoring/commands/hook-template.ts";
import { runInProcess } from "../support/in-process.ts";
import { propertyRuns, sampledRows } from "../support/property-runs.ts";
import { workspace } from "../support/workspace.ts";
import { env } from "./new-hooks.ts";

const FILES = { bash: "guard", python: "guard", node: "guard", typescript: "guard.mts" } as const;
const AGENTS = ["claude", "gemini", "codex"] as const;

/** A text, as somebody types it over `forbidden`, and a command that has it; in bash the quote has its own spelling. */
const EDITS: readonly { readonly typed: string; readonly inBash?: string; readonly command: string }[] = [
  { typed: "npm publish", command: "cd x && npm publish --tag next" },
  { typed: "*npm publish*", command: "echo '*npm publish*'" },
  { typed: 'say "hi"', command: 'say "hi" twice' },
  { typed: "it's", inBash: "it'\\''s", command: "echo it's" },
  { typed: "$HOME/.ssh", command: "cat $HOME/.ssh/id" },
  { typed: "C:\\temp\\new", command: "dir C:\\temp\\new" },
  { typed: "a[b]? {c} (d) | e & f; #g", command: "x a[b]? {c} (d) | e & f; #g y" },
  { typed: "$(id) %s \\1", command: "printf '$(id) %s \\1'" },
  { typed: "größer – 日本", command: "echo größer – 日本" },
];
const OTHER = "npm run publish; echo say hi; ls '*' $HOME \\ \"";

const ROWS = (Object.keys(LANGUAGES) as LanguageName[]).flatMap((language) =>
  EDITS.map((edit) => ({ language, ...edit })),
);

test.each(sampledRows(ROWS))("the template in $language looks for $typed after an edit of its text", async (row) => {
  const { language, typed, inBash = typed, command } = row;
  await using place = await workspace();
  const file = `project/.kodelet/hooks/${FILES[language]}`;
  await runInProcess(place, `new guard --lang ${language}`, { env });
  const parts = ((await place.read(file)) ?? "").split("forbidden");
  expect(parts.length).toBe(2);
  await place.write(file, parts.join(language === "bash" ? inBash : typed), 0o755);
  expect(await runInProcess(place, "trust --yes", { env })).toMatchObject({ code: 0 });
  for (const agent of AGENTS)
    for (const sent of [command, OTHER]) {
      const sample = nativeCall(agent, "before_tool_call", { tool: "bash", input: { command: sent } });
      if (sample === null) throw new Error(`${agent} has no shell`);
      const stdin = JSON.stringify({ ...sample.payload, cwd: place.project });
      const { stdout, stderr, code } = await runInProcess(place, `bridge ${agent} --event ${sample.event}`, {
        stdin,
        env,
      });
      const { decision, reason } = effectOf(agent, "before", stdout);
      const isBlocked = sent === command;
      expect({ agent, sent, code, isBlocked: decision === "stop" }).toEqual({ agent, sent, code: 0, isBlocked });
      expect(reason).toContain(isBlocked ? "Not allowed here" : "");
      expect(stderr).toMatch(isBlocked ? /✖ Blocked by guard/ : /^$/);
    }
});

const EVALUATE: Readonly<Record<LanguageName, (literals: readonly string[]) => readonly [string, ...string[]]>> = {
  bash: (literals) => ["bash", "-c", `printf '%s\\0' ${literals.join(" ")}`],
  python: (literals) => ["python3", "-c", `for one in [${literals.join(", ")}]: print(one, end="\\0")`],
  node: (literals) => [
    process.execPath,
    "-e",
    `for (const one of [${literals.join(", ")}]) process.stdout.write(one + "\\0")`,
  ],
  typescript: (literals) => [
    process.execPath,
    "-e",
    `for (const one of [${literals.join(", ")}]) process.stdout.write(one + "\\0")`,
  ],
};

test.each(Object.keys(LANGUAGES) as LanguageName[])(
  "a literal in %s has exactly the text that was typed",
  (language) => {
    const typed = fc.string({ unit: fc.constantFrom(..."ab '\"`\\{}$()*?[]!%&;#\n~é日".split("")), maxLength: 8 });
    fc.assert(
      fc.property(fc.array(typed, { minLength: 30, maxLength: 60 }), (texts) => {
        const printable = texts.filter((text) => !text.includes("\n"));
        const [file, ...args] = EVALUATE[language](printable.map(LANGUAGES[language].quoted));
        const { stdout, stderr } = spawnSync(file, args, {
          ...{ encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] },
          env: { ...env, PYTHONUTF8: "1" },
        });
        expect(stderr).toBe("");
        expect(stdout).toBe(printable.map((text) => `${text}\0`).join(""));
      }),
      propertyRuns(20),
    );
  },
);
