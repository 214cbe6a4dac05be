import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { validateAction, validateWorkflow } from "@action-validator/core";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { shellQuote } from "../support/shell.ts";
import { type CommandResult, HOOKCTL, runProgram, type Workspace, workspace } from "../support/workspace.ts";

const read = (path: string): string => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), "utf8");

interface Step {
  readonly uses?: string;
  readonly with?: Readonly<Record<string, string>>;
  readonly run?: string;
  readonly shell?: string;
  readonly env?: Readonly<Record<string, string>>;
}
interface Action {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>;
  readonly runs: { readonly steps: readonly Step[] };
}
interface Manifest {
  readonly id: string;
  readonly entry: string;
  readonly files: string;
}

const actionText = read("action.yml");
const action = parse(actionText) as Action;
const [manifest] = parse(read(".pre-commit-hooks.yaml")) as readonly [Manifest];

/** The example of a file in the docs; its first line names it. */
function example(name: string): unknown {
  const page = read("docs/testing-in-ci.md");
  const block = page.split("```yaml\n").find((one) => one.startsWith(`# ${name}\n`));
  return parse(block?.split("```")[0] ?? "");
}

const WORKS = "#!/bin/sh\ncase $1 in hook) echo before_tool_call ;; run) cat >/dev/null ;; esac\n";
const CRASHES = "#!/bin/sh\ncase $1 in hook) echo before_tool_call ;; run) echo oops >&2; exit 3 ;; esac\n";

/** npm writes down how it was called, and installs this hookctl. `npx` runs it. */
const npm = (place: Workspace): string => `#!/bin/bash
printf '%s|' "$PWD" "$@" >>${shellQuote(join(place.dir, "npm-calls"))}; echo >>${shellQuote(join(place.dir, "npm-calls"))}
if [[ $1 == pack ]]; then echo built; echo hookctl-0.1.0.tgz; fi
if [[ $1 == install ]]; then mkdir -p "$4/bin"; cp ${shellQuote(join(place.dir, "bin/local-hookctl"))} "$4/bin/hookctl"; fi
`;

async function runner(hook: string): Promise<Workspace> {
  const place = await workspace();
  await place.write("project/.kodelet/hooks/guard", hook, 0o755);
  const call = `#!/bin/sh\nexec ${HOOKCTL.map(shellQuote).join(" ")} "$@"\n`;
  await place.write("bin/local-hookctl", call, 0o755);
  await place.write("bin/npm", npm(place), 0o755);
  await place.write(
    "bin/npx",
    `#!/bin/sh\n[ "$1 $2" = "--no hookctl" ] || exit 1\nshift 2\nexec ${shellQuote(join(place.dir, "bin/local-hookctl"))} "$@"\n`,
    0o755,
  );
  for (const file of ["runner/path", "runner/summary", "action/package.json"]) await place.write(file, "");
  return place;
}

/** Runs the steps of the action as GitHub does: expressions are replaced by text before the shell reads a script. */
async function runAction(place: Workspace, given: Readonly<Record<string, string>>): Promise<CommandResult> {
  const inputs = Object.entries(action.inputs).map(([name, row]) => [`inputs.${name}`, given[name] ?? row.default]);
  const values = Object.fromEntries([...inputs, ["github.action_path", join(place.dir, "action")]]);
  const filledIn = (text: string): string => text.replace(/\$\{\{ *(.*?) *\}\}/g, (_, name: string) => values[name]);
  let result: CommandResult = { stdout: "", stderr: "", code: 0, signal: null };
  for (const step of action.runs.steps) {
    if (step.run === undefined || result.code !== 0) continue;
    const script = await place.write("runner/script.sh", filledIn(step.run));
    const added = (await place.read("runner/path"))?.trim().replaceAll("\n", ":") ?? "";
    const env = {
      ...place.env,
      ...Object.fromEntries(Object.entries(step.env ?? {}).map(([name, value]) => [name, filledIn(value)])),
      ...{ RUNNER_TEMP: join(place.dir, "runner"), GITHUB_PATH: join(place.dir, "runner/path") },
      ...{ GITHUB_WORKSPACE: place.project, GITHUB_STEP_SUMMARY: join(place.dir, "runner/summary") },
      PATH: `${added}:${join(place.dir, "bin")}:${place.env.PATH}`,
    };
    const shell = ["/bin/bash", "--noprofile", "--norc", "-e", "-o", "pipefail", script];
    result = await runProgram(shell, { cwd: place.project, env });
  }
  return result;
}

describe("the GitHub action", () => {
  test("is what GitHub's schema asks for, and hands its inputs to shells by variables alone", () => {
    expect(validateAction(actionText)).toEqual({ actionType: "action", errors: [] });
    for (const { run, shell } of action.runs.steps.filter((step) => step.run !== undefined)) {
      expect(run).not.toContain("${{");
      expect(shell).toBe("bash");
    }
  });

  test("green: installs its own hookctl outside of the checkout, checks, and writes a summary", async () => {
    await using place = await runner(WORKS);
    const result = await runAction(place, {});
    expect(result).toMatchObject({ code: 0, stderr: "" });
    expect(result.stdout).toMatch(/^hookctl: \d+ passed, 1 hook, .*\n$/);
    expect(await place.read("runner/summary")).toContain("### hookctl: ✅");
    const [folder, temp] = [join(place.dir, "action"), join(place.dir, "runner")];
    const rest = "--ignore-scripts|--no-audit|--no-fund|";
    expect(await place.read("npm-calls")).toBe(
      [
        `${temp}|ci|--prefix|${folder}|${rest}`,
        `${folder}|pack|--silent|--pack-destination|${temp}|`,
        `${temp}|install|--global|--prefix|${temp}/hookctl|${rest}${temp}/hookctl-0.1.0.tgz|\n`,
      ].join("\n"),
    );
  });

  test("red: exits with 1 and annotates the hook", async () => {
    await using place = await runner(CRASHES);
    const result = await runAction(place, { directory: ".", args: "--hook\nguard\n" });
    expect(result.code).toBe(1);
    expect(result.stdout).toMatch(
      /^::error title=guard%3A handles a sample payload,file=\.kodelet\/hooks\/guard,line=1::/,
    );
    expect(await place.read("runner/summary")).toContain("### hookctl: ❌");
  });

  const touch = (place: Workspace): string => `touch ${place.dir}/injected`;
  const hostile: readonly {
    readonly input: string;
    readonly text: (place: Workspace) => string;
    readonly code: number;
  }[] = [
    { input: "directory", text: (place) => `"; ${touch(place)}; "`, code: 64 },
    { input: "directory", text: (place) => `$(${touch(place)})`, code: 64 },
    { input: "directory", text: (place) => `\`${touch(place)}\``, code: 64 },
    { input: "directory", text: (place) => `x\n${touch(place)}\n`, code: 64 },
    { input: "directory", text: () => "--trust", code: 64 },
    { input: "directory", text: () => "*", code: 64 },
    { input: "args", text: (place) => `$(${touch(place)})`, code: 64 },
    { input: "args", text: (place) => `--hook\n'; ${touch(place)}; '`, code: 64 },
    { input: "args", text: () => "--hook guard", code: 64 },
  ];

  test.each(hostile)("a hostile $input is text: $text", async ({ input, text, code }) => {
    await using place = await runner(WORKS);
    expect((await runAction(place, { [input]: text(place) })).code).toBe(code);
    expect(existsSync(join(place.dir, "injected"))).toBe(false);
  });

  test("the workflow in the docs is valid, and uses inputs that the action has", () => {
    const workflow = example(".github/workflows/hooks.yml") as { jobs: { check: { steps: readonly Step[] } } };
    expect(validateWorkflow(JSON.stringify(workflow))).toEqual({ actionType: "workflow", errors: [] });
    const step = workflow.jobs.check.steps.find(({ uses }) => uses?.startsWith("hookctl/hookctl@"));
    expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(Object.keys(step?.with ?? {})));
  });
});

interface Script {
  readonly title: string;
  readonly lines: () => readonly string[];
  readonly red: RegExp;
}

const scripts: readonly Script[] = [
  { title: "pre-commit's entry", lines: () => [manifest.entry], red: /✖ guard / },
  {
    title: "GitLab's script",
    lines: () => (example(".gitlab-ci.yml") as { hooks: { script: readonly string[] } }).hooks.script,
    red: /✖ guard /,
  },
  {
    title: "lefthook's command",
    lines: () => [
      (example("lefthook.yml") as { "pre-commit": { commands: { hookctl: { run: string } } } })["pre-commit"].commands
        .hookctl.run,
    ],
    red: /✖ guard /,
  },
];

describe.each(scripts)("$title", ({ title, lines, red }) => {
  test.each([
    { hook: WORKS, code: 0 },
    { hook: CRASHES, code: 1 },
  ])("exits with $code", async ({ hook, code }) => {
    await using place = await runner(hook);
    await place.write("bin/hookctl", (await place.read("bin/local-hookctl")) ?? "", 0o755);
    if (title.startsWith("GitLab")) await chmod(join(place.project, ".kodelet/hooks/guard"), 0o777);
    const PATH = `${join(place.dir, "bin")}:${place.env.PATH}`;
    const env = { ...place.env, PATH };
    const result = await runProgram(["/bin/sh", "-e", "-c", lines().join("\n")], { cwd: place.project, env });
    expect(result).toMatchObject({ code, stderr: "" });
    expect(red.test(result.stdout)).toBe(code === 1);
  });
});

test("GitLab gets the reports that its job names", async () => {
  const { hooks } = example(".gitlab-ci.yml") as {
    hooks: { script: readonly string[]; artifacts: { reports: Readonly<Record<"junit" | "codequality", string>> } };
  };
  await using place = await runner(CRASHES);
  const env = { ...place.env, PATH: `${join(place.dir, "bin")}:${place.env.PATH}`, CI_PROJECT_DIR: place.project };
  await runProgram(["/bin/sh", "-e", "-c", hooks.script.join("\n")], { cwd: place.project, env });
  const { junit, codequality } = hooks.artifacts.reports;
  expect(await place.read(`project/${junit}`)).toContain('<testcase classname="guard"');
  expect(JSON.parse((await place.read(`project/${codequality}`)) ?? "")[0].location.path).toBe(".kodelet/hooks/guard");
});

test("pre-commit finds the hook that the docs name, and runs it for files that hookctl reads", () => {
  const { repos } = example(".pre-commit-config.yaml") as { repos: readonly { hooks: readonly { id: string }[] }[] };
  expect(repos[0]?.hooks.map(({ id }) => id)).toEqual([manifest.id]);
  const isRun = (file: string): boolean => new RegExp(manifest.files).test(file);
  const files = [
    ".kodelet/hooks/a",
    "lib/.kodelet/tests/a.yaml",
    ".hookctlrc.yaml",
    "package.json",
    "src/a.ts",
    "x/package.jsonl",
  ];
  expect(files.filter(isRun)).toEqual(files.slice(0, 4));
});

const canValidate = spawnSync("pre-commit", ["--version"]).status === 0;

test.skipIf(!canValidate)("pre-commit accepts the manifest (needs pre-commit)", () => {
  const file = fileURLToPath(new URL("../../.pre-commit-hooks.yaml", import.meta.url));
  expect(spawnSync("pre-commit", ["validate-manifest", file], { encoding: "utf8" })).toMatchObject({ status: 0 });
});
