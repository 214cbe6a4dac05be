import { spawnSync } from "node:child_process";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { canSwitchUser, WHY_SKIPPED as WHY_NOT_SWITCHED } from "../support/as-user.ts";
import { runInProcess } from "../support/in-process.ts";
import { parseRunJson } from "../support/json-output.ts";
import { toolCall } from "../support/payloads.ts";
import { shellQuote, touch } from "../support/shell.ts";
import { AS_PERSON, runProgram, type Workspace, workspace } from "../support/workspace.ts";

const USER = 54_321;
/** A user of the test's own needs other lists of users than the machine's, seen by the call alone. */
const canHaveLists = process.getuid?.() === 0 && canSwitchUser && spawnSync("unshare", ["-m", "true"]).status === 0;
const WHY_SKIPPED = canHaveLists
  ? ""
  : WHY_NOT_SWITCHED || ": skipped, only root with unshare can give a call other lists";

/** Calls a shell line as that user, with a umask of 002 and these members in the user's own group. */
async function asUser(place: Workspace, line: string, members: string) {
  const passwd = await place.write("passwd", `root:x:0:0::/:/bin/sh\nada:x:${USER}:${USER}::/:/bin/sh\n`);
  const group = await place.write("group", `root:x:0:\nada:x:${USER}:${members}\n`);
  const mounts = `mount --bind ${passwd} /etc/passwd && mount --bind ${group} /etc/group && exec "$@"`;
  const user = ["setpriv", `--reuid=${USER}`, `--regid=${USER}`, "--clear-groups", "sh", "-c", `umask 002; ${line}`];
  return runProgram(["unshare", "-m", "sh", "-c", mounts, "sh", ...user], {
    cwd: place.project,
    env: place.env,
    stdin: toolCall(),
  });
}

const HOOKS =
  "mkdir -p .kodelet/hooks && cp ../guard .kodelet/hooks/guard && chmod +x .kodelet/hooks/guard && chmod -R g+w .";
const HOOKCTL = AS_PERSON.map(shellQuote).join(" ");

async function setUp(): Promise<Workspace> {
  const place = await workspace();
  await place.write(
    "guard",
    `#!/bin/sh\n[ "$1" = hook ] && echo before_tool_call\n${touch(join(place.dir, "canary"))}\n`,
  );
  await chmod(place.dir, 0o755);
  spawnSync("chown", ["-R", `${USER}:${USER}`, place.dir]);
  return place;
}

test.skipIf(!canHaveLists)(`with umask 002 hooks are approved and run in a private group${WHY_SKIPPED}`, async () => {
  await using place = await setUp();
  const line = `${HOOKS} && ${HOOKCTL} trust --yes >&2 && ${HOOKCTL} run before_tool_call --json`;
  const result = await asUser(place, line, "");
  expect(result).toMatchObject({ code: 0, stderr: expect.stringContaining("✔ Allowed") });
  expect(result.stderr).not.toContain("writable");
  expect(parseRunJson(result).hooks).toMatchObject([{ name: "guard", outcome: "continue" }]);
  expect(await place.read("canary")).toBe("");
});

test.skipIf(!canHaveLists)(`new and run work with umask 002${WHY_SKIPPED}`, { tags: "slow" }, async () => {
  await using place = await setUp();
  const result = await asUser(
    place,
    `${HOOKCTL} new mine --event before_tool_call >&2 && ${HOOKCTL} run before_tool_call --json`,
    "ada",
  );
  expect(result.code).toBe(0);
  expect(parseRunJson(result)).toMatchObject({ decision: "continue", warnings: [] });
});

test.skipIf(!canHaveLists)(`a group with another member is refused, with each place${WHY_SKIPPED}`, async () => {
  await using place = await setUp();
  const result = await asUser(place, `${HOOKS} && ${HOOKCTL} run before_tool_call --json --trust`, "bob");
  const places = ["/.kodelet/hooks/guard", "/.kodelet/hooks", "/.kodelet", ""].map((path) => place.project + path);
  expect(parseRunJson(result).hooks).toMatchObject([
    {
      outcome: "refused",
      failure: { code: "HOOK_REFUSED_UNSAFE", message: expect.stringContaining(places.join(", ")) },
    },
  ]);
  expect(result.stderr).toContain(`chmod go-w ${places.join(" ")}\n`);
  expect(await place.read("canary")).toBeNull();
  // The command is the whole remedy.
  const mended = await asUser(
    place,
    `chmod go-w ${places.join(" ")}; ${HOOKCTL} run before_tool_call --json --trust`,
    "bob",
  );
  expect(parseRunJson(mended).hooks).toMatchObject([{ outcome: "continue" }]);
});

test("trust lists the places of all hooks in one message, each once", async () => {
  await using place = await workspace();
  const text = "#!/bin/sh\necho before_tool_call\n";
  await place.write("project/.kodelet/hooks/a", text, 0o757);
  await place.write("project/.kodelet/hooks/b", text, 0o757);
  await chmod(join(place.project, ".kodelet"), 0o777);
  const [a, folder, b] = ["hooks/a", "", "hooks/b"].map((path) =>
    join("DIR/project/.kodelet", path).replace(/\/$/, ""),
  );
  expect(await runInProcess(place, "trust --yes")).toEqual({
    stdout: "",
    stderr: `✖ Nothing was approved: ${a}, ${folder}, ${b}: each is writable by group or others. (TRUST_UNSAFE_PLACE)\n  Other users could change what you approve. Fix: chmod go-w ${a} ${folder} ${b}\n`,
    code: 77,
  });
});
