import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { copyFile, mkdir, readdir, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { runProgram, type Workspace, workspace } from "../support/workspace.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

const tests = `
import { expect, test } from "vitest";
test("adds", () => expect(1 + 1).toBe(2));
test("adds \\u001b[31mred\\u001b[0m\\nlines", () => { throw new Error("one\\ntwo"); });
`;

/**
 * An npm that plays the scripts: \`test\` and \`check\` run these tests with vitest itself, or end as the variables say. It
 * notes where another user runs \`test\`.
 */
const npm = `#!/bin/sh
vitest() { node "$ROOT/node_modules/vitest/vitest.mjs" run --root . $1 \\
  --reporter=json --outputFile="$HOOKCTL_TEST_REPORT" >/dev/null 2>&1; }
case "$*" in
  ci) exit "\${CI_ENDS:-0}" ;;
  test)
    if [ "$PWD" != "$CHECKOUT" ]; then
      echo "$(umask) $(stat -c '%a %U' ../..) $PWD" >"$CHECKOUT/../elsewhere"
      TESTS=$TESTED_ELSEWHERE
    fi
    if [ -n "$TESTS" ]; then vitest "$TESTS"; else exit "\${TEST_ENDS:-0}"; fi ;;
  'run check')
    printf '> hookctl@0.1.0 check\\n> npm run types && npm run lint\\n\\n> hookctl@0.1.0 types\\n> tsc\\n\\n'
    if [ -n "$CHECKED" ]; then echo '> hookctl@0.1.0 test:slow'; vitest "$CHECKED"; else exit "\${CHECK_ENDS:-0}"; fi ;;
esac
`;

/** A checkout in which \`.ci/run\` and what it starts are the real ones. */
async function checkout(): Promise<Workspace> {
  const space = await workspace();
  for (const folder of [".ci", "tools"]) await mkdir(join(space.project, folder));
  for (const file of [".ci/run", ".ci/as-another-user", "tools/failed-tests.mjs"])
    await copyFile(join(root, file), join(space.project, file));
  await symlink(join(root, "node_modules"), join(space.project, "node_modules"));
  await space.write("project/adds.test.ts", tests);
  await space.write("project/broken.test.ts", 'throw new Error("no such thing");\n');
  await space.write("bin/npm", npm, 0o755);
  for (const name of ["apt-get", "useradd", "userdel"]) await space.write(`bin/${name}`, "#!/bin/sh\nexit 1\n", 0o755);
  await space.write("tmp/kept", "");
  return space;
}

async function ciRun(env: Readonly<Record<string, string>>) {
  await using space = await checkout();
  const path = `${join(space.dir, "bin")}:${join(process.execPath, "..")}:/usr/bin:/bin`;
  const call = {
    ...space.env,
    PATH: path,
    ROOT: root,
    CHECKOUT: space.project,
    TMPDIR: join(space.dir, "tmp"),
    ...env,
  };
  const { stdout, code } = await runProgram([join(space.project, ".ci/run")], { cwd: space.project, env: call });
  expect(await readdir(join(space.dir, "tmp"))).toEqual(["kept"]);
  const elsewhere = (await space.read("elsewhere"))?.trim() ?? null;
  if (elsewhere !== null) {
    expect(elsewhere).toMatch(/^0077 700 \w+ \/tmp\/ci-\w+\/a b\/hookctl$/);
    expect(existsSync(dirname(elsewhere.split(" ")[3] ?? ""))).toBe(false);
  }
  const isStep = (line: string) => line.startsWith("> ") || line.startsWith("▲ ") || line === "";
  return { code, told: stdout.split("\n").filter((line) => !isStep(line)) };
}

interface Case {
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
  readonly told: readonly string[];
}

const red = "✖ adds.test.ts > adds red: Error: one";
const broken = "✖ broken.test.ts: no such thing";

test.each<Case>([
  { name: "nothing fails", env: { TESTS: "adds -t=adds$" }, told: ["1 passed, 0 failed"] },
  {
    name: "a test fails",
    env: { TESTS: "adds" },
    told: [red, "✖ failed: npm test", "1 passed, 1 failed"],
  },
  {
    name: "a test fails in both, and a file that cannot be loaded in one",
    env: { TESTS: "adds", CHECKED: "test" },
    told: [red, broken, "✖ failed: npm test, npm run check, in its step test:slow", "1 passed, 2 failed"],
  },
  {
    name: "a step of the check fails without a test",
    env: { TESTS: "adds -t=adds$", CHECK_ENDS: "2" },
    told: ["✖ failed: npm run check, in its step types", "1 passed, 1 failed"],
  },
  {
    name: "npm test fails without a report",
    env: { TEST_ENDS: "1" },
    told: ["✖ failed: npm test, npm test as another user", "0 passed, 1 failed"],
  },
  {
    name: "a test fails for another user",
    env: { TESTS: "adds -t=adds$", TESTED_ELSEWHERE: "adds" },
    told: [red.replace("✖", "✖ as another user:"), "✖ failed: npm test as another user", "1 passed, 1 failed"],
  },
  { name: "the installation fails", env: { CI_ENDS: "7" }, told: ["✖ failed: npm ci", "0 passed, 1 failed"] },
])("it ends with what failed: $name", async ({ env, told }) => {
  expect(await ciRun(env)).toEqual({ code: told.at(-1)?.endsWith(" 0 failed") ? 0 : 1, told });
});

const canCheck = spawnSync("shellcheck", ["--version"]).status === 0;

test.skipIf(!canCheck)("shellcheck finds nothing in it (needs shellcheck)", () => {
  const files = [".ci/run", ".ci/as-another-user", ".ci/nightly", "tools/try-package.sh"].map((name) =>
    join(root, name),
  );
  expect(spawnSync("shellcheck", files, { encoding: "utf8" })).toMatchObject({ stdout: "", status: 0 });
});
